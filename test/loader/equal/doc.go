// Package equal tests that the core in Go and its translation to C by tools/goc give the same answers: to questions
// of the test suites, to random questions, and to damaged ones, with several compilers and on several machines.
package equal
