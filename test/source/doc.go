// Package source tests the shape of the source itself: which package may import which, where cgo and unsafe may stand,
// that no unfinished code is left.
package source
