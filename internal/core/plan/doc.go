// Package plan makes the decision: the drivers and layers that a program gets, their order, and the reason for each.
//
// The decision is a pure function of a question and facts. The answer includes the log lines, in order. The package
// reads no file, opens no library, and keeps no state between calls.
//
// A decision (decide.go) consists of parts, each of which decides one question: manifests, the content of files;
// finder, the files that exist; settingsFile, the settings in force; switches, the layers that variables enable and
// disable; lister, the layer list; chain and activator, the active layers; driverSearch, the drivers
// to open; offers, the opened drivers whose extensions are offered; request, the checks of the
// program's request. All parts write to one script.
package plan
