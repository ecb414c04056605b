// Package explain makes the library's decision, and puts it into the order in which drivers and layers act, with the reason
// for each: which are in, which are out, which change would alter that, and where they were searched.
//
// Decide returns the decision for a program that creates an instance, and adds nothing to it. A proposed change is tried
// first: Without, Lacking and Replacing return facts with a change; a Trial applies a change of a variable, or the absence
// of a file, to the facts of a machine, and decides again.
//
// SettingsPlaces lists the settings files that loaders try, in order. ShadowSettings gives a child of the tool other
// settings, with an environment that names another place. It writes no file of the user.
//
// The package decides nothing itself, prints nothing, and changes nothing on the machine.
package explain
