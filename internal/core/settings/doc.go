// Package settings reads the loader settings file (SET).
//
// It turns the file's bytes into what they say and the lines to log about them; it never decides what a layer entry
// makes active, and never looks for the file.
package settings
