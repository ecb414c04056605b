// Package wsi tests surfaces, surface queries and swapchains, with the built library and scripted drivers.
//
// It needs no window system: a loader only copies the members of the creation structures. present_test.go tests real windows, with the
// program of test/lib/present.
package wsi
