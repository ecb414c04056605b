// Package server runs the driver service. It accepts clients. One goroutine owns the state and never waits; workers
// carry out the state's decisions.
package server
