package quarantine

import "io/fs"

// inodeOf is 0: size and time tell files apart here.
func inodeOf(fs.FileInfo) uint64 { return 0 }
