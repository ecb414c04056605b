// Package source tests the shape of the source itself: who may import whom, where cgo and unsafe may stand, that nothing
// unfinished is left.
package source
