// Package spelling finds the known name that a misspelled one was probably meant to be, for "did you mean". It knows
// no names itself.
package spelling
