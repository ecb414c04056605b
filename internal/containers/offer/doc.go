// Package offer finds which of the machine's own drivers a client gets, with every file that they need. The library's
// own decision selects the drivers; the dynamic linker's rules find the files. The package loads nothing. It never
// hands out the C library, because a process has exactly one, its own.
package offer
