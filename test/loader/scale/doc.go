// Package scale tests that much of everything works, and that the work grows in step with it: from 100 manifests to
// 1,000 at most fifteenfold.
//
// Work is counted, not timed: the core is compiled with counters for every block of statements, as for test coverage,
// so the numbers are the same on every machine and in every run. The spine's work is counted in opened files.
package scale
