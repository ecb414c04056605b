// Package systems describes machines with other systems than the tool's own.
//
// A Foreign has the facts of Windows from registry files (.reg) and a copy of its drives, and the facts of other
// systems from a copy of their file system. No file has the facts of the running kernel; Foreign assumes the usual
// values, and a note says so. Android has a different loader, without manifests; the files android_*.go implement its
// rules, which use properties, settings and the program's package.
//
// platforms.go has the search rules of systems for which the library is not built. Package search has the rules that
// they share with Linux.
//
// The package reads only the given files, never the machine that it runs on. The core makes the decision, except for
// Android.
package systems
