// Package guest tests the guest rules: the loader's promises to its process. Each case is a process (the guest
// program, in C) with the built library and the null driver and, where that makes sense, also with the distribution's
// loader as a control.
//
// It checks no answer of the loader beyond success and failure; other packages do.
package guest
