// Command zipped writes a directory as a zip archive: its files sorted by name, all with one time, so that the same files give the
// same bytes. It prints the archive's SHA-256.
package main
