// Package goc tests the translator tools/goc: what it makes of each construct of its subset, of the programs of Go's own
// test directory, and of what lies outside the subset.
package goc
