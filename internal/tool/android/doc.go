// Package android says what Android's own loader does: which driver and which layers it takes for a program, what it adds
// to extensions, and what it passes on. There are no manifests there; properties, settings and the package decide.
//
// It is given facts and asks others through functions; it opens nothing.
package android
