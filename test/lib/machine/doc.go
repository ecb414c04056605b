// Package machine runs real programs for tests: surroundings of their own (directories, variables, an X server or a
// compositor), on the built library or on Debian's loader.
//
// Nothing is skipped: a program that is missing fails the test with the name of its package.
package machine
