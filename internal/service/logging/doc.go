// Package logging writes the service's log: lines of key=value pairs or of JSON on standard error, with the marks by which
// the journal knows how serious a line is.
package logging
