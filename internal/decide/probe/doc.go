// Package probe runs a child of the tool that loads the library and uses it as a short program does: load, enumerate,
// create an instance, list the devices, create and destroy a device on each, destroy the instance. It returns the child's
// report, the time of each phase, and the phase in which a driver or layer crashed or hung.
//
// On Windows, a Reader asks the same child for facts of the running system, because the child contains the library's
// readers. It reads no files, no variables and no copies of a system; the tool reads these itself.
//
// The tool's own process loads nothing. The child's source is in child/.
package probe
