// Package launch is what is needed to run somebody's program: what it gets, how it is started, and how it ends.
//
// A Choice of drivers, devices and layers becomes the loader's own variables, and what of it comes to nothing is said. A
// program runs as this very process, or as a child whose standard error is split into the loader's log and the program's
// own lines. How it ended, and in which file it stopped, is known of a program that is traced.
//
// FindCulprit finds the layer, driver or variable that makes a run fail: it decides which runs to make, with what left out, and
// what follows from their ends. Scene.Suspects says what can be left out, and Scene.Without how: by variables alone. The
// caller makes these runs, of a program or of the tool's child, and says which of them are good.
//
// A child sees what it would see without the split. Its standard input and output are this process's own; its standard
// error is a terminal where this process's is one, and a pipe elsewhere; signals sent to this process reach it; what it
// leaves running keeps a reader for its standard error. The package never changes this process's variables, and it leaves
// the decision to the core.
package launch
