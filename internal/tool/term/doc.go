// Package term turns what the tool knows into text for people and JSON for programs. For "did you mean", it finds the known
// name that is nearest to a misspelled one. It decides nothing, opens nothing, and knows no names.
package term
