// Package goc tests the translator tools/goc with each construct of its subset, with the programs of Go's own test
// directory, and with code outside the subset.
package goc
