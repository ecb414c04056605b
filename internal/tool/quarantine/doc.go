// Package quarantine keeps a driver or layer out of one program, or of all, until its file changes or a time is over. It
// writes what loaders read into the settings file, and remembers in a file beside it what to take back and when;
// loaders know neither: the tool lifts a quarantine when it runs.
package quarantine
