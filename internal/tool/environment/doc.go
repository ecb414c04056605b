// Package environment is about the variables that the loader reads.
//
// Guide tells people what each is for: what it takes, what it does, which other one takes its place, what it is called now
// where it is an old name, and the statements behind it. The tool's help, "vkloader list variables" and docs/variables.md are
// made of it.
//
// All and Check judge the variables of a machine: which are in force, which have no effect and why, which name nothing, and
// which say the opposite of each other. They ask the library's own decision, several times with variables taken away. The
// package changes nothing.
package environment
