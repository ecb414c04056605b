// Package term formats the tool's results as text for users and JSON for programs. For "did you mean", it finds the
// known name closest to a misspelled one. It makes no decision, opens no file, and contains no list of names.
package term
