// Package binary reads the headers of libraries and programs, and finds the libraries that one needs.
//
// ReadELF and ReadPE read the two formats: word size, processor, needed libraries, versions and exported functions.
// ProgramOf says for which word size a program is, by its file or by its Wine prefix. A Linker finds libraries as the
// dynamic linker of glibc would (ld.so(8)): DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the default directories;
// it says which are missing and which are too old.
//
// It reads files as bytes and never loads them, and it knows nothing of drivers, layers or decisions.
package binary
