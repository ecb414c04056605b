// Package chips knows which Vulkan driver serves which chip, and since which release of Mesa, of Linux and of the maker's
// own driver; and which distributions have newer packages for an older release of theirs.
//
// The facts are in chips.txt, which says from which files they come. The package reads nothing of a machine.
package chips
