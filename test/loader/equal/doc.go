// Package equal tests that the core answers alike as Go and as the C that tools/goc makes of it: questions that the test
// suites ask, random ones, and damaged ones, by several compilers and for several machines.
package equal
