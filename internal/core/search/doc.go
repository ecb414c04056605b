// Package search defines which directories and files are searched, in which order, and why.
//
// A platform is data, so tests check the search of every platform on any machine. The package never opens a manifest.
package search
