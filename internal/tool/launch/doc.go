// Package launch is what is needed to run somebody's program: what it gets, how it is started, and what makes it fail.
//
// A Choice of drivers, devices and layers becomes the loader's own variables, and what of it comes to nothing is said. A
// program runs as this very process, or as a child whose standard error is split into the loader's log and the program's
// own talk. FindCulprit finds the layer or driver that crashes or hangs a program: it decides which runs to make, with
// what left out, and what follows from their ends; who asks for it makes the runs.
//
// A child sees what it would see without the split. Its standard input and output are this process's own; its standard
// error is a terminal where this process's is one, and a pipe elsewhere; signals sent to this process reach it; what it
// leaves running keeps a reader for its standard error. The package never changes this process's variables, and it leaves
// the decision to the core.
package launch
