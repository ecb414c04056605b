// Package target tests the same chain on every machine and with every C library: the library, a driver, a layer and a
// program, all built for it (make TARGET=...). The lists of tests that are left out, and the reasons, lie here.
package target
