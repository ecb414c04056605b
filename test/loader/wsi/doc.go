// Package wsi holds the cases on surfaces, surface queries and swapchains, on the built library with scripted drivers.
//
// It uses no window system: a loader only copies the members of the creation structures. Real windows are in
// present_test.go, which runs the program of test/lib/present.
package wsi
