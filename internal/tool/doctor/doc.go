// Package doctor examines the whole way from a program to its GPU: devices and their nodes, kernel drivers, manifests,
// libraries with everything that they need, loader files, leftovers, variables, sandboxes.
//
// It reads files of a machine and asks the library's own decision; it loads nothing, and starts nothing unless it is asked
// to probe: then children load each driver and layer. What it finds stands in one table of codes, from which the
// documentation is made.
//
// It examines a machine with another system by its files alone: nothing of that machine is loaded or tried.
package doctor
