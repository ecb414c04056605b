// Package system tells which libvulkan.so.1 programs of each word size get, and changes it where this loader lies beside
// the distribution's: in the directory vkloader below that of the distribution's. It moves links only, starts nothing and
// asks no package manager to do anything. docs/packages.md says how the links lie.
package system
