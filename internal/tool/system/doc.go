// Package system tells which libvulkan.so.1 the system's programs of each word size get, and changes it where this loader is
// installed next to the distribution's: in the directory vkloader below the distribution's libraries, or, after "make install",
// among them. It moves links only, and starts no package manager. docs/packages.md describes the links.
package system
