// Package manual writes the tool's commands as man pages. It decides nothing about their words: they are those of
// the commands' help.
package manual
