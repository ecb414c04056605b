// Package culprit finds the layer, driver or variable that makes a run fail. Find decides which runs to make, with what left out,
// and what follows from their ends. Suspects says what can be left out, and Without how: by variables alone.
//
// The caller makes the runs, of a program or of the tool's child, and says which of them are good. The package starts
// nothing and changes no variable of this process.
package culprit
