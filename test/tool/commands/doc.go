// Package commands runs the built vkloader over fake machines and compares its output with golden texts.
//
// A case is a script of testdata/*.txtar, a machine a file of testdata/machines; see test/README.md.
package commands
