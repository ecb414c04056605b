// Package server runs the driver service. It accepts clients. One goroutine owns the state and never waits; workers
// carry out what the state decides.
package server
