package machine

import (
	"io/fs"
	"os"
)

// WriteFile writes a file of this machine that the user has named. Without over, one that is there is fs.ErrExist, and stays.
func WriteFile(name string, data []byte, mode fs.FileMode, over bool) error {
	if over {
		return os.WriteFile(name, data, mode)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Output is a file of this machine that the user has named, empty, in place of one that is there.
func Output(name string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
}

// SafeDirectory tells why somebody else could put something in place of what this process makes in a directory. Windows gives new
// entries of a directory to who has made them.
func SafeDirectory(string) error { return nil }

// TemporaryDirectory makes a directory for this user alone, in another one; "": that for temporary files, which is the user's own.
func TemporaryDirectory(in, pattern string) (string, error) { return os.MkdirTemp(in, pattern) }
