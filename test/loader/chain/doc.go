// Package chain tests layers in the chain: functions called before an instance exists, opening and negotiation, the instance
// and device chains with their structures and callbacks, devices that layers create, lookups through layers, commands that the
// loader does not know, and the call stack in the log.
package chain
