// Package conformance checks the table of statements and tests, which "make conformance" writes: statements.txt has all
// ids; reasons.txt says why an id has no test, and which of several permitted behaviors the loader has.
package conformance
