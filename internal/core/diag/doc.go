// Package diag defines findings: each has a stable code, a severity, a subject with line and column, a text, and
// advice.
//
// One table has every code, with the statement that it comes from. The package itself reports nothing.
package diag
