package discover

import (
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// filesTree is an fs.FS as the file system of a machine.
type filesTree struct{ files fs.FS }

// at is a path of the machine as fs.FS wants it.
func at(name string) string {
	if name = strings.TrimPrefix(path.Clean("/"+name), "/"); name != "" {
		return name
	}
	return "."
}

func (t filesTree) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(t.files, at(name)) }

func (t filesTree) Readlink(name string) (string, error) { return fs.ReadLink(t.files, at(name)) }

func (t filesTree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.files, at(name)) }

// Open copies the file into one without a name, because what reads libraries wants a file of the system.
func (t filesTree) Open(name string) (*os.File, error) {
	from, err := t.files.Open(at(name))
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := nameless()
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(to, from); err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err != nil {
		to.Close()
		return nil, err
	}
	return to, nil
}
