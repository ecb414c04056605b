// Package logging writes the service's log to standard error, as lines of key=value pairs. Each line has the
// prefix from which the journal takes its priority.
package logging
