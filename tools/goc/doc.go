// Command goc translates Go to C: the named functions, and everything that they reach, become one C file without a Go
// runtime. docs/goc.md describes the subset and its reasons.
//
//	goc [-macro VARIABLE=MACRO]... -o FILE.c PACKAGE FUNCTION=C_NAME...
//
// Each function named becomes a C function of the name given, with Go's parameters and results in C's types: a string
// is a pointer and a size, pointers are void *. -macro lets a package variable of type string take its text from a C
// macro.
//
// Exit codes: 0 written, 1 the source is outside the subset (a line for each place on standard error), 2 wrong usage.
package main
