// Package guest tests the guest rules: the loader's promises to the process that it is in. Each case is a process of
// its own (the guest program, in C) on the built library and the null driver, and, where it makes sense, on the
// distribution's loader as a control.
//
// It checks no answer of the loader beyond success and failure; other packages do.
package guest
