package ui

import "io/fs"

// ownerOf is the number of the user whose file it is; there are no numbers on Windows.
func ownerOf(fs.FileInfo) int { return -1 }
