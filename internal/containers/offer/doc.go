// Package offer finds the machine's drivers for a client, with every file that they need. The library's own decision
// selects the drivers, and the dynamic linker's rules find the files. The package loads nothing. It never offers the C
// library, because a process has exactly one, its own.
package offer
