// Package server is the driver service's running part: it accepts clients, has one goroutine that owns the state and is
// never made to wait, and carries out what the state decides by workers.
package server
