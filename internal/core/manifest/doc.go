// Package manifest parses driver and layer manifests.
//
// A bad manifest is not an error. It gives a list of lines, which the library logs in their order and from which the
// tool learns where the fault is. The package examines one file alone. It does not know other files, variables or the
// program.
package manifest
