// Package question is a question of the tool to package discover: a machine as the tool knows it, with options that have no
// place in a public interface. A Question is an io/fs.FS, so that it can be given to discover.Files, which recognizes it. It
// then has the values that the answer was made of, for commands that try changes on them.
//
// It decides nothing and reads nothing by itself.
package question
