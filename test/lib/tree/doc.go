// Package tree lays files out below a directory, for tests that examine a machine by its files.
package tree
