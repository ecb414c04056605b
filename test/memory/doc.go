// Package memory tests which memory is taken from whom, that nothing is left, and what happens when there is none.
package memory
