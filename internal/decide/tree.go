package decide

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
)

// filesTree is an fs.FS as the file system of a machine.
type filesTree struct{ files fs.FS }

// treeName returns a path of the machine in the form of fs.FS.
func treeName(name string) string {
	if name = strings.TrimPrefix(path.Clean("/"+name), "/"); name != "" {
		return name
	}
	return "."
}

// linkFS is fs.ReadLinkFS, which Go 1.24 lacks. Without it, the files have no links.
type linkFS interface {
	ReadLink(name string) (string, error)
	Lstat(name string) (fs.FileInfo, error)
}

func (t filesTree) Lstat(name string) (fs.FileInfo, error) {
	if links, has := t.files.(linkFS); has {
		return links.Lstat(treeName(name))
	}
	return fs.Stat(t.files, treeName(name))
}

func (t filesTree) Readlink(name string) (string, error) {
	if links, has := t.files.(linkFS); has {
		return links.ReadLink(treeName(name))
	}
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

func (t filesTree) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(t.files, treeName(name))
}

// maxCopy is how large a file may be that is copied; no library of a driver is larger.
const maxCopy = 1 << 30

var errLarger = errors.New("larger than 1 GB")

// Open copies the file into one without a name, because the readers of libraries need a file of the system. A file may
// have more content than its size says, as those of /proc do; Open stops once the copy is too large for a manifest.
func (t filesTree) Open(name string) (*os.File, error) {
	from, err := t.files.Open(treeName(name))
	if err != nil {
		return nil, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxCopy {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errLarger}
	}
	return machine.Contents(io.LimitReader(from, max(info.Size(), facts.MaxFile+1)))
}
