// Package target tests the same chain on every machine and with every C library: the library, a driver, a layer and a program, all built
// for it (make TARGET=...). Its directory has the lists of skipped tests, with the reasons.
package target
