// Package debug tests messengers, report callbacks, submitted messages, object names and labels, with the built
// library and scripted drivers.
package debug
