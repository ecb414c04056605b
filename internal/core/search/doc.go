// Package search says which directories and files are looked at, in which order, and why.
//
// A platform is data, so that every platform's search is tested on every machine. The package never opens a manifest.
package search
