// Package manifest turns the bytes of driver and layer manifests into what they say.
//
// A bad manifest is a list of lines, not an error: each line is logged at its place and tells the tool where the fault
// lies. The package judges a file on its own; it never knows of other files, variables or the program.
package manifest
