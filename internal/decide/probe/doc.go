// Package probe has a child of the tool load the library and use it as a short program does: load, enumerate, create an
// instance, list the devices, create and destroy a device on each, destroy the instance. It reports what the child saw,
// how long each phase took, and in which one a driver or layer crashed or hung.
//
// On Windows, a Reader asks the same child for the facts of the running system as the library reads them, because the child
// has the library's own code for that. Files and variables are not its part, and neither are copies of a system, which the
// tool reads itself.
//
// The tool's own process loads nothing. The child's source is in child/.
package probe
