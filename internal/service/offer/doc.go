// Package offer finds out which drivers of the machine itself a client gets, with every file that they need: what the
// library's own decision has opened, found by the dynamic linker's rules. It loads nothing, and it never hands out the C
// library: a process has exactly one, its own.
package offer
