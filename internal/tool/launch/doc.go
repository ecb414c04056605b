// Package launch runs a program: as this very process, or as a child whose standard error is split into the loader's log
// and the program's own talk.
//
// A child sees what it would see without the split. Its standard input and output are this process's own; its standard
// error is a terminal where this process's is one, and a pipe elsewhere; signals sent to this process reach it; what it
// leaves running keeps a reader for its standard error. The package sets no variable and decides nothing.
package launch
