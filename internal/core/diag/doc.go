// Package diag defines what a finding is: a stable code, a severity, a subject with line and column, a text, and
// advice.
//
// One table has every code, with the statement that it comes from. The package itself finds nothing.
package diag
