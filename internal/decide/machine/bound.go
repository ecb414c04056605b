package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Bound limits the work for files that another user may choose: the manifests and settings files of another user's process,
// of a process in another mount namespace, of an image, and of another root directory. A nil Bound is no limit.
type Bound struct {
	Of string // the process or the directory, for the error

	files map[string]int64 // the sizes of the files that were read
	bytes int64
	looks int
	err   error
}

// Bounds of the files that a Bound allows.
const (
	mostFiles   = 4096
	mostBytes   = 64 << 20
	mostEntries = 1 << 16 // directory entries of any kind, in one directory
	mostLooks   = 100_000 // names that are looked up, most of them of libraries
)

// errBound is the error of each access after a limit was exceeded.
var errBound = errors.New("not read: too many other files were read before it")

// Err returns an error about the first exceeded limit, or nil.
func (b *Bound) Err() error {
	if b == nil {
		return nil
	}
	return b.err
}

// over records that a directory's files exceed a limit, unless an earlier excess is recorded.
func (b *Bound) over(directory, what string) {
	if b.err == nil {
		b.err = fmt.Errorf("%s: with %s, its drivers and layers %s. The tool reads no more of another user's process, of an image or of another root directory",
			b.Of, directory, what)
	}
}

// reached counts a look-up of a name. It returns an error if a limit was exceeded.
func (b *Bound) reached(name string) error {
	if b == nil {
		return nil
	}
	if b.looks++; b.looks > mostLooks {
		b.over(filepath.Dir(name), fmt.Sprintf("need more than %d look-ups of files", mostLooks))
	}
	if b.err == nil {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: errBound}
}

// add counts files in a directory, and reports whether all files so far are within the bounds.
func (b *Bound) add(directory string, names ...string) bool {
	if b == nil {
		return true
	}
	if b.files == nil {
		b.files = map[string]int64{}
	}
	for _, name := range names {
		if name = filepath.Join(directory, name); len(b.files) < mostFiles {
			b.files[name] += 0
		} else if _, known := b.files[name]; !known {
			b.over(directory, fmt.Sprintf("have more than %d files", mostFiles))
		}
	}
	return b.err == nil
}

// read counts the bytes of a file.
func (b *Bound) read(name string, size int64) bool {
	if b == nil {
		return true
	}
	b.add(filepath.Dir(name), filepath.Base(name))
	if before := b.files[filepath.Clean(name)]; size > before {
		if b.files[filepath.Clean(name)], b.bytes = size, b.bytes+size-before; b.bytes > mostBytes {
			b.over(filepath.Dir(name), fmt.Sprintf("have more than %d MB", mostBytes>>20))
		}
	}
	return b.err == nil
}
