// Package system tests, below Wine, what the loader asks of Windows and when: libraries, files, variables, the registry, the
// debugger. The host stands between the two (test/windows/host/import.h). On other machines it is left out.
package system
