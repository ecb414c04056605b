// Package probe runs a child of the tool that loads the library and uses it as a short program does: it loads,
// enumerates, creates an instance, lists the devices, creates and destroys a device on each, and destroys the instance.
// A Result has the child's report, the time of each phase, and the phase in which a driver or layer crashed or hung.
//
// On Windows, a Reader asks the same child for facts of the running system, because the child contains the library's
// readers. The child reads no files, no variables and no copies of a system for it; the tool reads these itself.
//
// The tool's own process loads nothing. The child's source is in child/.
package probe
