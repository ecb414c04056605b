// Package loaders finds the Vulkan loader that a program gets, its version, and the variables and settings that it obeys.
//
// A program gets the loader that the dynamic linker finds for it: this project's library, the distribution's, or a bundled
// copy. Package binary finds the file; For names it with its version and package. One table has the features of loaders,
// with the version that each came with and the source of that fact; docs/loaders.md is made of it. Where the file of a
// loader can be read, its own constants tell which variables it reads, for every version.
//
// A Loader is also how the tool makes the library's decision for another loader: variables and settings that it does not
// read count for nothing (machine.OtherLoader).
//
// ReadLog, LogTimes and Progress read a loader's log. Its lines are interface (LOG-9, LOG-17, LOG-18, LAY-423 to LAY-427): what
// only the running library knows reaches the tool through them.
//
// The package opens files; it loads none of them, and starts a program only to ask rpm whose a file is.
package loaders

//go:generate go run vkloader/tools/pages loaders ../../../docs/loaders.md
