// Package binary writes small ELF shared objects for the fake machines of the tests: of either class and of any
// machine, with the libraries and symbol versions they need and the symbols they export. Those for x86 can be loaded;
// what they export returns 0, hangs or crashes. It needs no compiler.
package binary
