// Package wire encodes facts and plans as bytes, and decodes them. Spine and core exchange nothing else.
//
// This package and the spine's gen/zwire.h are generated from one description, wire.def. The decoder checks every
// bound, and follows nothing but offsets. The package decides nothing.
package wire

//go:generate go run vkloader/tools/wiregen wire.def zwire.go ../../../spine/gen/zwire.h
