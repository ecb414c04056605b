// Package term turns what the tool knows into text for people and JSON for programs. It decides nothing and opens
// nothing.
package term
