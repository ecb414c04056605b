// Package constructs has a small program for each construct of the subset that tools/goc translates. The test runs each
// as Go and as C and compares what it prints and how it ends.
package constructs
