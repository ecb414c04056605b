// Package plan is the decision: which drivers and layers, in which order, and for everything found why it is in or out.
//
// It is a pure function of a question and of facts. What it wants logged stands in its answer, in order; it reads
// nothing, opens nothing and keeps nothing.
//
// A decision (decide.go) has parts that decide one thing each: manifests what files say, finder which files there are,
// settingsFile which settings are in force, switches which layers variables turn on and off, lister which layers there
// are, chain, activator and computePolicy which of them are active, driverSearch which drivers are opened, offers which of those count,
// request whether the program may have what it asks for. All of them write one script.
package plan
