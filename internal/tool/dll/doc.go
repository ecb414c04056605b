// Package dll reads what a library or program for Windows says of itself: word size, machine, the libraries that it needs,
// the functions that it exports. It reads the PE file as bytes and never loads it.
package dll
