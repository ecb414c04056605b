package machine

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/core/facts"
)

// counted is a Tree with one file, and counts the bytes that are read. It keeps a duplicate of each opened descriptor; both
// share one position in the file.
type counted struct {
	Tree
	path   string // of the file on this machine
	opened []*os.File
}

func (c *counted) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(c.path) }

func (c *counted) Open(name string) (*os.File, error) {
	f, err := os.Open(c.path)
	if err != nil {
		return nil, err
	}
	c.opened = append(c.opened, f)
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return os.NewFile(uintptr(fd), name), err
}

func (c *counted) read(t *testing.T) (bytes int64) {
	t.Helper()
	for _, f := range c.opened {
		at, err := f.Seek(0, io.SeekCurrent)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Error(err)
		}
		bytes += at
	}
	c.opened = nil
	return bytes
}

// A file of more than 16 MB is no manifest and no settings file, and no reader reads any of it. A file of 16 MB is read
// completely.
//
// holds: LAY-8
func TestLargeFilesAreNotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ size, read int64 }{
		"16 MB":      {facts.MaxFile, facts.MaxFile},
		"one more":   {facts.MaxFile + 1, 0},
		"256 MB":     {256 << 20, 0},
		"a terabyte": {1 << 40, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := &counted{path: filepath.Join(t.TempDir(), "large.json")}
			if err := errors.Join(os.WriteFile(tree.path, nil, 0o644), os.Truncate(tree.path, c.size)); err != nil {
				t.Fatal(err)
			}
			s := &Source{Machine: Machine{Tree: tree}}
			data, err := s.ReadFile("/large.json")
			if got := tree.read(t); got != c.read || int64(len(data)) != c.read || errors.Is(err, ErrTooLarge) != (c.read == 0) {
				t.Errorf("ReadFile reads %d bytes and gives %d: %v", got, len(data), err)
			}
			f := s.File("/large.json")
			if got := tree.read(t); got != c.read || (f.Status == facts.FileTooLarge) != (c.read == 0) {
				t.Errorf("File reads %d bytes: status %d", got, f.Status)
			}
		})
	}
}

// endless returns the path of a regular file whose size is 0 and whose content never ends, like a file that grows while it
// is read.
func endless(t *testing.T) string {
	t.Helper()
	if OwnClass == 32 {
		t.Skip("the page map of 4 GB ends before the bound")
	}
	const name = "/proc/self/pagemap"
	f, err := os.Open(name)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if n, err := f.Read(make([]byte, 4096)); n != 4096 {
		t.Skip(n, " bytes of the page map: ", err)
	}
	return name
}

// A file that grows while it is read is read up to the limit, and a manifest up to its stated size.
func TestGrowingFile(t *testing.T) {
	t.Parallel()
	file := endless(t)
	s := &Source{}
	if data, err := s.ReadFile(file); err == nil { // the page map itself refuses the last, odd byte
		t.Errorf("%d bytes of it are a file", len(data))
	}
	if f := s.File(file); f.Status != facts.FileRead || f.Content != "" { // the number of bytes that its size states, as in the library
		t.Errorf("status %d, %d bytes", f.Status, len(f.Content))
	}
	p, err := s.PlaceOf(filepath.Join(t.TempDir(), "settings.json"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Replace(make([]byte, facts.MaxFile+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Read(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a place's file: %v", err)
	}
}

// Pipes and devices are not read under any path, and no reader waits for them.
func TestPipesAndDevicesAreNotRead(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	err := errors.Join(unix.Mkfifo(filepath.Join(d, "pipe.json"), 0o644), os.Symlink("/dev/zero", filepath.Join(d, "zero.json")))
	if err != nil {
		t.Fatal(err)
	}
	s := &Source{}
	for _, name := range []string{"pipe.json", "zero.json"} {
		if _, err := s.ReadFile(filepath.Join(d, name)); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", name, err)
		}
		if f := s.File(filepath.Join(d, name)); f.Status != facts.FileNotRegular {
			t.Errorf("%s: status %d", name, f.Status)
		}
	}
}

// The processes of one user share a bound, however many they are and whatever their mounts.
func TestProcessesShareABound(t *testing.T) {
	t.Parallel()
	total := &Bound{}
	for i := range 2 * mostOfUser {
		b := &Bound{Of: "a process", Total: total}
		within := b.read("/a.json", mostBytes) && b.parse("/a.json", []byte(`{"a": [1, 2]}`))
		if within != (i < mostOfUser) {
			t.Fatalf("process %d: %v, %v", i, within, b.Err())
		}
	}
	b := &Bound{Of: "a process"}
	if !b.read("/a.json", 1<<20) || !b.parse("/a.json", bytes.Repeat([]byte("{},"), mostValues/2)) || b.parse("/b.json", []byte("[]")) {
		t.Error("values: ", b.Err())
	}
}
