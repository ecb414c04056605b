// Package scale tests that large numbers of files work, and that the work grows in proportion: from 100 manifests to 1,000 at most
// fifteenfold.
//
// Work is counted, not timed: the core is compiled with counters for every block of statements, as for test coverage,
// so the numbers are the same on every machine and in every run. The spine's work is counted in opened files.
package scale
