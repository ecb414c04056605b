package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Bound limits the work for files that another user may choose: the manifests and settings files of another user's
// process, of a process in another mount namespace, of an image, and of another root directory. A nil Bound is no
// limit.
type Bound struct {
	Of    string // the process or the directory, for the error
	Total *Bound // counts the files of all processes of one user; nil: there is one process

	files  map[string]int64 // the sizes of the files that were read
	parsed map[string]bool  // the files whose values were counted
	bytes  int64
	values int64
	looks  int
	err    error
}

// Bounds of the files that a Bound allows.
const (
	mostFiles   = 4096
	mostBytes   = 4 << 20  // of manifests and settings files
	mostValues  = 1 << 17  // JSON values in them, each of which takes more memory and time than its bytes
	mostOfUser  = 16       // processes of a user whose files may reach the two bounds above
	mostLarge   = 64 << 20 // bytes of one library or list of a package manager
	mostEntries = 1 << 16  // directory entries of any kind, in one directory
	mostLooks   = 100_000  // names that are looked up, most of them of libraries
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
		b.err = fmt.Errorf(
			"%s: with %s, its drivers and layers %s. The tool reads no more of another user's process, of an image or of another root directory",
			b.Of, directory, what)
	}
}

// count counts a look-up of a name. It returns an error if a limit was exceeded.
func (b *Bound) count(name string) error {
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
		b.files[filepath.Clean(name)] = size
		b.spend(filepath.Dir(name), size-before, 0)
	}
	return b.err == nil
}

// parse counts the values of a file that is about to be parsed.
func (b *Bound) parse(name string, content []byte) bool {
	if b == nil {
		return true
	}
	if name = filepath.Clean(name); !b.parsed[name] {
		if b.parsed == nil {
			b.parsed = map[string]bool{}
		}
		b.parsed[name] = true
		values := 0
		for _, start := range []string{"{", "[", ","} {
			values += bytes.Count(content, []byte(start))
		}
		b.spend(filepath.Dir(name), 0, int64(values))
	}
	return b.err == nil
}

// spend counts bytes and values, of one process and of all processes of its user.
func (b *Bound) spend(directory string, size, values int64) {
	b.bytes, b.values = b.bytes+size, b.values+values
	switch {
	case b.bytes > mostBytes:
		b.over(directory, fmt.Sprintf("have more than %d MB", mostBytes>>20))
	case b.values > mostValues:
		b.over(directory, fmt.Sprintf("have more than %d values", mostValues))
	case b.Total != nil:
		b.Total.bytes, b.Total.values = b.Total.bytes+size, b.Total.values+values
		if b.Total.bytes > mostOfUser*mostBytes || b.Total.values > mostOfUser*mostValues {
			b.over(directory, fmt.Sprintf("and those of its user's other processes have more than %d MB or %d values",
				mostOfUser*mostBytes>>20, mostOfUser*mostValues))
		}
	}
}
