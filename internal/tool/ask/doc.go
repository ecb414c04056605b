// Package ask asks package discover for the tool: what a program gets on a machine that the tool knows as a source of facts.
//
// It decides nothing. An answer without a driver is no error here: the commands show why there is none.
package ask
