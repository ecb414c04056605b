// Package manifest parses driver and layer manifests.
//
// A bad manifest is not an error. It yields a list of lines, which the library logs in order; the tool reads the place
// of the fault from them. The package examines one file at a time. It does not know other files, variables or the
// program.
package manifest
