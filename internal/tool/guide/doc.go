// Package guide is the tool's manual. It tells people what the variables of package variables are for: what each takes, what
// it does, which other one takes its place, what it is called now where it is an old name, and the statements behind it. The
// tool's help, "vkloader list variables" and docs/variables.md are made of it.
//
// It writes the tool's commands as man pages. It decides nothing about their words: they are those of the commands' help. It
// is not linked into the library.
package guide
