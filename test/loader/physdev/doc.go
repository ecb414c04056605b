// Package physdev tests a program's view of physical devices and groups, through the built library: enumeration and handles, order,
// filters, drivers without devices, the physical-device queries and their emulation, displays, and the extensions and layers of a
// device.
//
// It checks results and the records of the fake drivers, never the state of the loader.
package physdev
