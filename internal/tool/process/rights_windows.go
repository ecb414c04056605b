package process

import "io/fs"

// caller compares nothing: a file of Windows gives no rights.
func caller(fs.FileInfo) owned { return owned{} }

func keepsRights(string) bool { return true }
