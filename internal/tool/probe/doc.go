// Package probe has a child of the tool load the library and use it as a short program does: load, enumerate, create an
// instance, list the devices, create and destroy a device on each, destroy the instance. It reports what the child saw,
// how long each phase took, and in which one a driver or layer crashed or hung.
//
// The tool's own process loads nothing. The child's source is in child/.
package probe
