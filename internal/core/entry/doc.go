// Package entry has the functions that the library calls. tools/goc translates them, and everything that they call, to
// C. Each system's library contains one of the functions Begin, and so the search of its system alone.
//
// It decides nothing.
package entry
