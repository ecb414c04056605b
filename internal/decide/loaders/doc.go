// Package loaders finds the Vulkan loader that a program gets, its version, and the variables and settings that it
// obeys.
//
// A program gets the loader that the dynamic linker finds for it: this project's library, the distribution's, or a
// bundled copy. Package binary finds the file; For returns it with its version and package. One table lists the
// features of loaders, each with the version that introduced it and the source of that fact; docs/loaders.md is
// generated from it. If the loader's file can be read, its constants show which variables it reads, for every version.
//
// A Loader also filters the facts of a decision: variables and settings that this loader does not read are left out
// (machine.OtherLoader).
//
// ReadLog, LogTimes and Progress read a loader's log. The texts of its lines are an interface (LOG-9, LOG-17, LOG-18,
// LAY-423 to LAY-427): they give the tool facts of the running library.
//
// The package opens files and loads none of them. It starts one program, rpm, to ask which package has a file.
package loaders

//go:generate go run vkloader/tools/pages loaders ../../../docs/loaders.md
