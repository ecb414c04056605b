// Package loaders tells which Vulkan loader a program gets, of which version, and what that loader obeys.
//
// A program gets what the dynamic linker finds for it: this project's library, the distribution's, or one that it brings
// along. Package binary finds the file; For names it with its version and package. One table has the features of loaders,
// with the version that each came with and the source of that fact; docs/loaders.md is made of it. Where the file of a
// loader can be read, its own constants say what it reads, whatever the version.
//
// A Loader is also how the tool makes the library's decision for another loader: variables and settings that it does not
// read count for nothing (machine.Loader). The package opens files; it loads none of them, and starts a program only to
// ask rpm whose a file is.
package loaders

//go:generate go run vkloader/tools/pages loaders ../../../docs/loaders.md
