// Package explain puts the library's decision into the order in which drivers and layers come to act, with the reason for
// each: what is in, what is out, what would change that, and where it was looked for. What is said to help is tried first:
// a Trial applies a change of a variable, or the absence of a file, to what is known of a machine, and asks for the
// library's decision again.
//
// A Question is how the tool asks package discover: a machine as the tool knows it, with options that have no place in a
// public interface. It is an io/fs.FS, so that it can be given to discover.Files, which recognizes it. It then has the values
// that the answer was made of, for commands that try changes on them.
//
// The package decides nothing, prints nothing, and changes nothing on the machine.
package explain
