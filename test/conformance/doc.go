// Package conformance keeps the table of statements and tests current: statements.txt has all ids, reasons.txt says why
// an id has no test and what was chosen where there is a choice.
package conformance

//go:generate go run vkloader/tools/conformance -top ../..
