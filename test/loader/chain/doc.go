// Package chain holds the statements about layers at work: functions called before there is an instance, opening and
// negotiation, the instance and device chains with their structures and callbacks, devices that layers make, look-up
// through layers, commands that the loader does not know, and the call stack in the log.
package chain
