// Package systems knows machines with other systems than the one that the tool runs on.
//
// A Source gives the facts of Windows by files of its registry (.reg) and a copy of its drives, and of other systems by
// a copy of their file system. What that machine's own functions would say and files do not is filled in as it is on an
// ordinary one, and said. Android has a loader of its own, without manifests: its rules, which take properties, settings
// and the program's package, are in the files android_*.go.
//
// platforms.go has what the systems search that the library is not built for. What they share with Linux is in
// package search.
//
// It never reads the machine that it runs on, only what it is given; and it leaves the decision to the core, Android's
// apart.
package systems
