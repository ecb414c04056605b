// Package client tests the library as a client of the driver service. A scripted service, or the real one, gives drivers to programs that
// find none, and misbehaves.
package client
