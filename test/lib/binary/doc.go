// Package binary writes small ELF shared objects for the fake machines of the tests: of either class and of any
// machine, with the libraries and symbol versions they need and the symbols they export. Those for x86 can be loaded;
// their functions return 0, hang or crash. It needs no compiler.
package binary
