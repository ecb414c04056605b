// Package doctor examines the whole way from a program to its GPU: devices and their nodes, kernel drivers, manifests,
// libraries with everything that they need, loader files, leftovers, variables, sandboxes.
//
// It reads files of a machine and asks the library's own decision. It loads no driver and starts no process unless the
// caller asks for a probe: then child processes load each driver and layer. One table of codes describes every finding; the
// documentation is generated from it.
//
// It examines a machine with another system by its files alone, and loads nothing from it.
package doctor
