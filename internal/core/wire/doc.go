// Package wire turns facts and plans into bytes and back: the only thing that crosses between spine and core.
//
// One description, wire.def, gives this package and the spine's gen/zwire.h. Reading checks every bound and never
// follows anything but offsets; the package never decides.
package wire

//go:generate go run vkloader/tools/wiregen wire.def zwire.go ../../../spine/gen/zwire.h
