// Package wording formats single values for the answers and for the tool: versions, types of devices, names in one line, words
// for a shell. It contains no sentence.
package wording
