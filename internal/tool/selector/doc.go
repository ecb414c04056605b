// Package selector is how a person names a device to any command: one grammar, and one answer to what is ambiguous. It
// is told which devices there are; it asks nobody, and chooses nothing by itself.
package selector
