// Package diag says what a finding is: a stable code, a severity, a subject with line and column, what, and what to do.
//
// Every code stands in one table, with the statement that it goes back to. The package never finds anything itself.
package diag
