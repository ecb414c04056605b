// Command zipped packs a directory into a zip archive. The files are sorted by name and have the same time, so the same
// files give the same bytes. The command prints the archive's SHA-256.
package main
