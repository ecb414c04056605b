// Package variables is the table of the environment variables that the loader reads: their names, their readers, and
// whether elevated processes ignore them. No other place of the source contains these names.
//
// spine/gen/zvariables.h is generated from the table, so core and spine agree. The package reads no variable. It is
// part of the library and has no descriptions: package environment describes the variables for users.
package variables

//go:generate go run vkloader/tools/pages header ../../../spine/gen/zvariables.h
//go:generate go run vkloader/tools/pages variables ../../../docs/variables.md
