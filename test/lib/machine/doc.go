// Package machine runs real programs for tests, on the built library or on Debian's loader. Each test has its own directories,
// variables, and X server or compositor.
//
// No test is skipped: a missing program fails the test with the name of its package.
package machine
