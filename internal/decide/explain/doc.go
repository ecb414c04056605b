// Package explain makes the library's decision, and adds the reasons: which drivers and layers are in, in the order in
// which they act, which are out, and which places were searched.
//
// Decide returns the decision for a program that creates an instance, without reasons. Without, Lacking and Replacing
// return facts with a change. A Trial tests a change before the tool proposes it: it applies the change to the facts of
// a machine, and decides again.
//
// SettingsPlaces lists the settings files that loaders try, in order. ShadowSettings makes a child of the tool read
// other settings, through an environment variable; the user's files stay as they are.
//
// The package decides nothing itself, prints nothing, and changes nothing on the machine.
package explain
