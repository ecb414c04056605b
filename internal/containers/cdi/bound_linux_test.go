package cdi

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/machine"
)

// counted is the file system below a directory. It counts the bytes that are read: it keeps a descriptor of every opened file, whose
// position moves with the reader's.
type counted struct {
	root   string
	opened []*os.File
}

func (c *counted) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(path.Join(c.root, name)) }
func (c *counted) Readlink(name string) (string, error)   { return os.Readlink(path.Join(c.root, name)) }
func (c *counted) ReadDir(name string) ([]fs.DirEntry, error) {
	return os.ReadDir(path.Join(c.root, name))
}

func (c *counted) Open(name string) (*os.File, error) {
	f, err := os.Open(path.Join(c.root, name))
	if err != nil {
		return nil, err
	}
	c.opened = append(c.opened, f)
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return os.NewFile(uintptr(fd), name), err
}

// An image with a file of 256 MB under eight names of manifests costs the hook no more than an image without that file, because the hook
// does not read it. The names are in directories for drivers and layers, and in that of the mounted files.
func TestLargeManifestsOfAnImage(t *testing.T) {
	t.Parallel()
	const size = 256 << 20
	root := t.TempDir()
	large := filepath.Join(root, "large")
	err := errors.Join(os.WriteFile(large, nil, 0o644), os.Truncate(large, size))
	for _, directory := range []string{"/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d",
		manifestsPlace + "x86_64", "/etc/vulkan/implicit_layer.d", "/usr/share/vulkan/implicit_layer.d"} {
		at := filepath.Join(root, directory)
		err = errors.Join(err, os.MkdirAll(at, 0o755))
		for _, name := range []string{"a.json", "b.json", "c.json", "d.json", "e.json", "f.json", "g.json", "h.json"} {
			err = errors.Join(err, os.Link(large, filepath.Join(at, name)))
		}
	}
	settings := filepath.Join(root, "etc/vulkan/loader_settings.d")
	err = errors.Join(err, os.MkdirAll(settings, 0o755), os.Link(large, filepath.Join(settings, "vk_loader_settings.json")))
	if err != nil {
		t.Fatal(err)
	}
	tree := &counted{root: root}
	a := Arrange(&machine.Machine{Root: root, Tree: tree}, Situation{})
	var read int64
	for _, f := range tree.opened {
		at, err := f.Seek(0, io.SeekCurrent)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Error(err)
		}
		read += at
	}
	// The decision opens none of them, because the tree says how large they are.
	if len(tree.opened) < 8 || read > 1<<20 {
		t.Errorf("%d files are opened, %d bytes are read", len(tree.opened), read)
	}
	if len(a.Drivers) != 8 || len(a.Put) != 0 {
		t.Errorf("%+v", a)
	}
}
