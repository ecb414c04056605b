// Package plan makes the decision: which drivers and layers a program gets, in which order, and the reason for
// everything that was found.
//
// It is a pure function of a question and of facts. Its answer contains the log lines, in order. It reads nothing,
// opens nothing, and keeps nothing between calls.
//
// A decision (decide.go) consists of parts. Each decides one question: manifests, what the files say; finder, which
// files exist; settingsFile, which settings are in force; switches, which layers variables enable and disable; lister,
// which layers are listed; chain, activator and computePolicy, which of them are active; driverSearch, which drivers
// are opened; offers, which of those count; request, whether the program may have what it asks for. All parts write to
// one script.
package plan
