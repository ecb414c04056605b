// Package environment is about the variables that the loader reads.
//
// Guide describes each variable: its value, its effect, the variables with precedence over it, the current name of an
// old variable, and the statements of the specification. The tool's help, "vkloader list variables" and
// docs/variables.md are generated from it.
//
// All and Check examine the variables of a machine: their states, values without effect, names and patterns without a
// match, and contradictions. They ask the library's own decision, several times with variables removed. The package
// changes nothing.
package environment
