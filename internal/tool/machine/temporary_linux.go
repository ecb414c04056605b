package machine

import (
	"os"
	"path/filepath"
)

// SafeDirectory tells why somebody else could put something in place of what this process makes in a directory, or of a part of the
// path to it. In a directory like /tmp, where each may change their own entries alone, nobody can.
func SafeDirectory(directory string) error {
	w, err := hold(directory, false, nil)
	if err != nil {
		return err
	}
	w.close()
	return nil
}

// TemporaryDirectory makes a directory for this user alone, in another one that passes SafeDirectory; "": that for temporary files. Its path
// stays what it is: other programs may be given it.
func TemporaryDirectory(in, pattern string) (string, error) {
	if in == "" {
		in = os.TempDir()
	}
	in, err := filepath.Abs(in)
	if err != nil {
		return "", err
	}
	if err := SafeDirectory(in); err != nil {
		return "", err
	}
	return os.MkdirTemp(in, pattern)
}
