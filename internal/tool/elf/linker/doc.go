// Package linker finds the libraries that a library needs as the dynamic linker of glibc would (ld.so(8)): DT_RPATH,
// LD_LIBRARY_PATH, DT_RUNPATH, the cache, the default directories; and says which are missing, and which are too old.
// It reads files and loads nothing.
package linker
