// Package environment judges the variables of a machine: which are in force, which have no effect and why, which name
// nothing, and which say the opposite of each other. It asks the library's own decision, several times with variables
// taken away; what each variable is for is told by package guide. It changes nothing.
package environment
