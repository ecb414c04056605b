//go:build !linux

package machine

import (
	"io/fs"
	"os"
)

// WriteFile writes a file of this machine that the user has named. Without over, an existing file is fs.ErrExist, and stays.
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

// Output makes an empty file of this machine that the user has named, in place of an existing one.
func Output(name string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
}

// SafeDirectory returns why another user could replace a new file of this process in a directory. Windows gives new
// entries of a directory to their creators.
func SafeDirectory(string) error { return nil }

// TemporaryDirectory makes a directory for this user alone in another one; "": in the user's own directory for temporary files.
func TemporaryDirectory(in, pattern string) (string, error) { return os.MkdirTemp(in, pattern) }
