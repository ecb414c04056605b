// Package settings parses the loader settings file (SET).
//
// It turns the bytes of the file into rules, and into the log lines about them. It does not decide which layers an
// entry activates, and it does not search for the file.
package settings
