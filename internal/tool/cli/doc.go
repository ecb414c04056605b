// Package cli implements the tool's commands: flags, the sequence of the work, and the output. The packages below it
// make the decisions.
package cli
