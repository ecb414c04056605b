// Package target holds what is the same on every machine and with every C library: the library, a driver, a layer and a
// program, all built for it (make TARGET=...), are one chain. The lists of what is not tried there, and why, lie here.
package target
