// Package culprit finds the layer or driver that crashes or hangs a program: it decides which runs to make, with what left
// out, and what follows from their ends. It starts nothing itself.
package culprit
