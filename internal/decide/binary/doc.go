// Package binary reads the headers of libraries and programs, and finds the libraries that they need.
//
// ReadELF, ReadPE and ReadMachO read the formats of Linux, Windows and macOS: word size, processor, needed libraries,
// versions and exported functions. ProgramOf returns a program's word size, from its file or its Wine prefix. A Linker
// finds libraries as the dynamic linker of glibc or musl would (ld.so(8)): DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the
// cache, the default directories. It reports missing libraries, and libraries that are too old.
//
// The package reads files as bytes and never loads them. It knows nothing of drivers, layers or decisions.
package binary
