package held

import "os"

// Safe tells why somebody else could put something in place of what this process makes in a directory. Windows gives new
// entries of a directory to who has made them.
func Safe(string) error { return nil }

// Temporary makes a directory for this user alone, in another one; "": that for temporary files, which is the user's own.
func Temporary(in, pattern string) (string, error) { return os.MkdirTemp(in, pattern) }
