// Package system finds the libvulkan.so.1 that the system's programs of each word size get. If this loader is installed
// next to the distribution's, it also chooses between the two. Packages install this loader in the directory vkloader
// below the distribution's libraries; "make install" puts it among them. The package changes only symbolic links, and
// starts no package manager. docs/packages.md describes the links.
package system
