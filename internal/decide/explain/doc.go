// Package explain makes the library's decision for the tool, and puts it into the order in which drivers and layers come to
// act, with the reason for each: what is in, what is out, what would change that, and where it was looked for.
//
// Decide gives the decision: what a program that creates an instance gets. Nothing is added to the answer. What is said to
// help is tried first: Without, Lacking and Replacing give facts with a change, and a Trial applies a change of a variable,
// or the absence of a file, to what is known of a machine; then the decision is made again.
//
// SettingsPlaces are the settings files that loaders try, in order. ShadowSettings gives a child of the tool other settings
// than those in force, with an environment that names another place. No file of the user is written.
//
// A Question is how the tool asks package discover: a machine as the tool knows it, with options that have no place in a
// public interface. It is an io/fs.FS, so that it can be given to discover.Files, which recognizes it. It then has the values
// that the answer was made of, for commands that try changes on them.
//
// The package decides nothing itself, prints nothing, and changes nothing on the machine.
package explain
