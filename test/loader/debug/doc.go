// Package debug holds the cases on messengers, report callbacks, submitted messages, object names and labels, on the
// built library with scripted drivers.
package debug
