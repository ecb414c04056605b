//go:build !linux

package machine

import (
	"io/fs"
	"os"
)

// WriteFile writes a file of this machine that the user has named. If the file exists and over is false, WriteFile
// returns fs.ErrExist and leaves the file unchanged.
func WriteFile(name string, data []byte, mode fs.FileMode, over bool) error {
	flags := os.O_TRUNC
	if !over {
		flags = os.O_EXCL
	}
	f, err := output(name, flags, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Output creates an empty file of this machine that the user has named, and replaces an existing one.
func Output(name string, mode fs.FileMode) (*os.File, error) {
	return output(name, os.O_TRUNC, mode)
}

// output opens a file for writing. A link, except to a descriptor of this process, is ErrLink.
func output(name string, flags int, mode fs.FileMode) (*os.File, error) {
	if err := refuseLink(name); err != nil && name != "/dev/stdout" && name != "/dev/stderr" {
		return nil, err
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags, mode)
}

// SafeDirectory returns nil: on Windows and macOS the tool does not check whether other users can replace files.
func SafeDirectory(string) error { return nil }

// TemporaryDirectory creates a directory for this user alone in another one; "": in the user's own directory for
// temporary files.
func TemporaryDirectory(in, pattern string) (string, error) { return os.MkdirTemp(in, pattern) }
