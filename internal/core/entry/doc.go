// Package entry is what the library calls: these functions, and what they reach, are translated to C.
//
// It decides nothing.
package entry
