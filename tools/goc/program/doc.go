// Package program loads the Go packages that are to be translated, and finds what of them can be reached from the
// exported functions: functions, package variables, and everything that lies outside the subset.
//
// It translates nothing.
package program
