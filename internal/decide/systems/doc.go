// Package systems describes machines with other systems than the tool's own.
//
// A Foreign gives the facts of Windows from registry files (.reg) and a copy of its drives, and of other systems from a copy
// of their file system. Facts of the running kernel, which no file has, get usual values and a note. Android has a different
// loader, without manifests; the files android_*.go implement its rules, which use properties, settings and the program's
// package.
//
// platforms.go has the search rules of the systems that the library is not built for. Package search has the rules that they
// share with Linux.
//
// The package reads only the given files, never the machine that it runs on. Except for Android, the core makes the decision.
package systems
