// Package program loads the Go packages to translate, and finds the functions and package variables that the exported
// functions reach, and everything outside the subset.
//
// It translates nothing.
package program
