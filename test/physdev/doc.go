// Package physdev tests, through the built library, what programs see of physical devices and groups: enumeration and
// its handles, order, filters, drivers without devices, the physical-device queries and their emulation, displays, and
// the extensions and layers of a device.
//
// It judges by what came back and by what the fake drivers saw; it never looks into the loader.
package physdev
