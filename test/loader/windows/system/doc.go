// Package system tests, with Wine, the loader's calls of Windows and when it makes them: libraries, files, variables, the registry, the
// debugger. The host intercepts the calls (test/lib/windows/host/import.h). On other machines it is skipped.
package system
