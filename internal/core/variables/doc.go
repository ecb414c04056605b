// Package variables is the table of the environment variables that the loader reads: for each its name, who reads it,
// and whether elevated processes ignore it. Nothing else in the program writes such a name down.
//
// The core and the spine are made to agree by it: spine/gen/zvariables.h is generated from it. What the variables mean
// is told by package environment, for people; this one is linked into the core and holds no prose. It never reads a variable.
package variables

//go:generate go run vkloader/tools/pages header ../../../spine/gen/zvariables.h
//go:generate go run vkloader/tools/pages variables ../../../docs/variables.md
