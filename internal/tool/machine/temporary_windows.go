package machine

import "os"

// SafeDirectory tells why somebody else could put something in place of what this process makes in a directory. Windows gives new
// entries of a directory to who has made them.
func SafeDirectory(string) error { return nil }

// TemporaryDirectory makes a directory for this user alone, in another one; "": that for temporary files, which is the user's own.
func TemporaryDirectory(in, pattern string) (string, error) { return os.MkdirTemp(in, pattern) }
