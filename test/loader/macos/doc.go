// Package macos checks libvulkan.1.dylib: its file by reading it, and its behaviour by running it with the Mach-O runner of
// test/lib/macos, which is a dynamic linker for Mach-O files on Linux.
package macos
