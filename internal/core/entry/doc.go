// Package entry has the functions that the library calls. tools/goc translates them, and everything that they call, to
// C.
//
// It decides nothing.
package entry
