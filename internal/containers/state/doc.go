// Package state holds the state of the driver service: the devices, the drivers that each device lists, the components
// of these drivers, the waiting requests, and the pending lookups. It has no clock, no thread and no file. Its caller
// reports events; the package then tells its World to act. All calls come from one goroutine.
package state
