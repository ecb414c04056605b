// Package run runs a program: it prepares the environment, starts the program, and reports its end.
//
// A Choice of drivers, devices and layers becomes the loader's own variables; Check reports parts without effect. A
// program replaces this process, or runs as a child whose standard error is split into the loader's log and the
// program's own lines. A traced program also reports the reason of its end and the file in which it stopped.
//
// FindCulprit finds the layer, driver or variable that makes a run fail: it decides which suspects the next run
// excludes, and interprets the results. Scene.Suspects returns the suspects, and Scene.Without the variables that
// exclude them. The caller runs the program, or the tool's child process, and reports success.
//
// The split does not change a child's environment. Its standard input and output are those of this process. Its
// standard error is a terminal if this process has one, and a pipe otherwise. It receives this process's signals.
// Processes that outlive it keep a reader for their standard error. The package never changes this process's variables,
// and leaves the decision to the core.
package run
