// Package state holds what the driver service knows: devices, the drivers that each of them lists, the components that
// these drivers come from, who waits for what, and whether anything is still to be found out. It is a machine without
// clock, thread or file: it is told what happened, and tells its World what to do. All calls come from one goroutine.
package state
