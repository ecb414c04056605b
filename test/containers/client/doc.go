// Package client holds the statements about the library as a client of the driver service: a scripted service, or the
// real one, gives drivers to programs that find none, and misbehaves.
package client
