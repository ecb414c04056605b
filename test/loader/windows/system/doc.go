// Package system tests, below Wine, the loader's requests to Windows and their time: libraries, files, variables, the registry, the
// debugger. The host stands between the two (test/lib/windows/host/import.h). On other machines it is left out.
package system
