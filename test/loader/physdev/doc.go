// Package physdev tests, through the built library, a program's view of physical devices and groups: enumeration and
// its handles, order, filters, drivers without devices, the physical-device queries and their emulation, displays, and
// the extensions and layers of a device.
//
// It judges by the results and by the records of the fake drivers; it never looks into the loader.
package physdev
