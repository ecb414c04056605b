// Package tree creates files below a directory, for tests that examine a machine by its files.
package tree
