// Package state holds what the driver service knows: the devices, the drivers that each device lists, the components
// that these drivers come from, who is waiting for what, and whether anything is still unknown. It has no clock, no
// thread and no file. Its caller reports events; the package then tells its World what to do. All calls come from one
// goroutine.
package state
