// Package program loads the Go packages to translate, and finds what can be reached from the exported functions:
// functions, package variables, and everything outside the subset.
//
// It translates nothing.
package program
