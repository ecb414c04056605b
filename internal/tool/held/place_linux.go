package held

import (
	"os"
	"path/filepath"
)

// Safe tells why somebody else could put something in place of what this process makes in a directory, or of a part of the
// path to it. In a directory like /tmp, where each may change their own entries alone, nobody can.
func Safe(directory string) error {
	w, err := walk(directory, false, nil)
	if err != nil {
		return err
	}
	w.close()
	return nil
}

// Temporary makes a directory for this user alone, in another one that is Safe; "": that for temporary files. Its path
// stays what it is: other programs may be given it.
func Temporary(in, pattern string) (string, error) {
	if in == "" {
		in = os.TempDir()
	}
	in, err := filepath.Abs(in)
	if err != nil {
		return "", err
	}
	if err := Safe(in); err != nil {
		return "", err
	}
	return os.MkdirTemp(in, pattern)
}
