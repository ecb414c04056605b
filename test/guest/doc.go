// Package guest tests the guest rules: what the loader must not do to the process that it is in. Each case is a process of
// its own (the guest program, in C) on the built library and the null driver, and, where it makes sense, on the
// distribution's loader as a control.
//
// It never looks at what the loader answers beyond success and failure; other packages do.
package guest
