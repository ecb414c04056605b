// Package constructs has a small program for each construct of the subset that tools/goc translates. The test runs each
// as Go and as C and compares their output and the way they end.
package constructs
