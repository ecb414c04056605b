// Package wording formats single values for the answers and the tool: versions, types of devices, names in one line,
// words for a shell. It has no sentences.
package wording
