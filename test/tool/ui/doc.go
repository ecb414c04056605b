// Package ui tests the pages of "vkloader ui" in a real browser, which is driven over its debugging interface.
//
// A test has its own server, in its own world, and its own browser. It waits for conditions of the page, never for a time.
package ui
