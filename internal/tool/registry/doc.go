// Package registry reads files of the registry editor (.reg): UTF-16 or UTF-8, of version 5 or REGEDIT4.
//
// A line that it does not understand is a problem with its number, not an error: the rest counts. It never looks at the
// registry of a running system.
package registry
