package machine

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// Limits of what is read: an image with more is no image, or holds nothing for this tool.
const (
	maxEntries = 4 << 20   // of all layers
	maxSmall   = 1 << 20   // bytes of a file that is kept whatever it is
	maxKept    = 8 << 30   // bytes of all that is kept
	maxLayer   = 256 << 30 // bytes of a layer without compression
	maxLibrary = 2 << 30   // bytes of one file
	maxDepth   = 128       // directories in each other
)

// node is a file, link or directory of the image.
type node struct {
	name     string
	mode     fs.FileMode
	size     int64
	link     string
	children map[string]*node // of a directory
	layer    int              // that put it there
	kept     bool
	offset   int64 // of its contents in the store
}

// ImageTree is an image's file system.
type ImageTree struct {
	root    *node
	store   *os.File // contents of files, without a name
	end     int64
	entries int
}

func newImageTree() (*ImageTree, error) {
	store, err := os.CreateTemp("", "vkloader-image-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(store.Name()); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &ImageTree{root: &node{name: "/", mode: fs.ModeDir | 0o755, children: map[string]*node{}}, store: store}, nil
}

// Close gives up what was read.
func (t *ImageTree) Close() error { return t.store.Close() }

// imageParts splits a name of an archive; an error for one that leads out.
func imageParts(name string) ([]string, error) {
	var list []string
	for _, part := range strings.Split(name, "/") {
		switch part {
		case "", ".":
		case "..":
			return nil, fmt.Errorf("the name %q leads out of the image", name)
		default:
			if strings.ContainsRune(part, 0) {
				return nil, fmt.Errorf("the name %q has a zero in it", name)
			}
			list = append(list, part)
		}
	}
	if len(list) > maxDepth {
		return nil, fmt.Errorf("a name has more than %d directories", maxDepth)
	}
	return list, nil
}

// directory finds a directory; with layer >= 0 it is made, in place of what else is there.
func (t *ImageTree) directory(list []string, layer int) *node {
	at := t.root
	for _, part := range list {
		next := at.children[part]
		if next == nil || !next.mode.IsDir() {
			if layer < 0 {
				return nil
			}
			next = &node{name: part, mode: fs.ModeDir | 0o755, children: map[string]*node{}, layer: layer}
			at.children[part] = next
		}
		at = next
	}
	return at
}

// add lays a layer on what is there.
func (t *ImageTree) add(from io.Reader, layer int) error {
	archive := tar.NewReader(io.LimitReader(from, maxLayer))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
		if t.entries++; t.entries > maxEntries {
			return fmt.Errorf("more than %d files", maxEntries)
		}
		if err := t.entry(header, archive, layer); err != nil {
			return err
		}
	}
}

// damaged says of an error of reading that the archive ends early.
func damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle: the archive is cut off")
	}
	return err
}

func (t *ImageTree) entry(header *tar.Header, data io.Reader, layer int) error {
	list, err := imageParts(header.Name)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	parent, base := list[:len(list)-1], list[len(list)-1]
	if removed, whiteout := strings.CutPrefix(base, ".wh."); whiteout {
		t.whiteout(parent, removed, layer)
		return nil
	}
	in := t.directory(parent, layer)
	n := &node{name: base, mode: fs.FileMode(header.Mode) & 0o777, layer: layer}
	switch header.Typeflag {
	case tar.TypeDir:
		if before := in.children[base]; before != nil && before.mode.IsDir() {
			before.mode = fs.ModeDir | n.mode
			return nil
		}
		n.mode |= fs.ModeDir
		n.children = map[string]*node{}
	case tar.TypeSymlink:
		n.mode, n.link = fs.ModeSymlink|0o777, header.Linkname
	case tar.TypeLink:
		target, err := imageParts(header.Linkname)
		if err != nil {
			return err
		}
		var other *node
		if len(target) > 0 {
			if d := t.directory(target[:len(target)-1], -1); d != nil {
				other = d.children[target[len(target)-1]]
			}
		}
		if other == nil || other.mode.IsDir() {
			return fmt.Errorf("%s is a link to %s, which is not there", header.Name, header.Linkname)
		}
		again := *other
		again.name, again.layer = base, layer
		n = &again
	case tar.TypeReg:
		n.size = header.Size
		if err := t.keep(n, data); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	case tar.TypeChar, tar.TypeBlock:
		n.mode |= fs.ModeDevice
	case tar.TypeFifo:
		n.mode |= fs.ModeNamedPipe
	default:
		return nil
	}
	in.children[base] = n
	return nil
}

// whiteout takes away what earlier layers have put there: a name, or with ".wh..opq" all of a directory.
func (t *ImageTree) whiteout(parent []string, removed string, layer int) {
	in := t.directory(parent, -1)
	switch {
	case in == nil:
	case removed == ".wh..opq":
		earlier(in, layer)
	case in.children[removed] != nil && in.children[removed].layer < layer:
		delete(in.children, removed)
	}
}

// earlier takes everything out of a directory that earlier layers have put there.
func earlier(in *node, layer int) {
	for name, n := range in.children {
		if n.mode.IsDir() {
			earlier(n, layer)
		}
		if n.layer < layer && len(n.children) == 0 {
			delete(in.children, name)
		}
	}
}

// keep copies a file's contents, of a large one only when it is an ELF file: others are of no use here.
func (t *ImageTree) keep(n *node, data io.Reader) error {
	if n.size > maxSmall {
		if n.size > maxLibrary {
			return nil
		}
		magic := make([]byte, 4)
		if _, err := io.ReadFull(data, magic); err != nil {
			return damaged(err)
		}
		if string(magic) != "\x7fELF" {
			return nil
		}
		data = io.MultiReader(strings.NewReader(string(magic)), data)
	}
	if t.end+n.size > maxKept {
		return fmt.Errorf("the image has more than %d bytes of libraries", int64(maxKept))
	}
	n.offset, n.kept = t.end, true
	written, err := io.Copy(io.NewOffsetWriter(t.store, t.end), data)
	t.end += n.size
	if err == nil && written != n.size {
		err = io.ErrUnexpectedEOF
	}
	return damaged(err)
}

// find gives what is at a clean path.
func (t *ImageTree) find(op, name string) (*node, error) {
	at := t.root
	for _, part := range strings.Split(strings.Trim(name, "/"), "/") {
		if part == "" {
			continue
		}
		if at = at.children[part]; at == nil {
			return nil, &fs.PathError{Op: op, Path: name, Err: syscall.ENOENT}
		}
	}
	return at, nil
}

// Lstat implements machine.Tree.
func (t *ImageTree) Lstat(name string) (fs.FileInfo, error) {
	n, err := t.find("lstat", name)
	if err != nil {
		return nil, err
	}
	return Info{path.Base(name), n.size, n.mode}, nil
}

// Readlink implements machine.Tree.
func (t *ImageTree) Readlink(name string) (string, error) {
	n, err := t.find("readlink", name)
	if err == nil && n.mode&fs.ModeSymlink == 0 {
		err = &fs.PathError{Op: "readlink", Path: name, Err: syscall.EINVAL}
	}
	if err != nil {
		return "", err
	}
	return n.link, nil
}

// ReadDir implements machine.Tree.
func (t *ImageTree) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.find("open", name)
	if err == nil && !n.mode.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, err
	}
	var list []fs.DirEntry
	for name, child := range n.children {
		list = append(list, fs.FileInfoToDirEntry(Info{name, child.size, child.mode}))
	}
	return ByName(list), nil
}

// errNotKept is the error of a file that is too large to be kept, and no library.
var errNotKept = errors.New("a large file that is no library is not read from an image")

// Open implements machine.Tree.
func (t *ImageTree) Open(name string) (*os.File, error) {
	n, err := t.find("open", name)
	if err == nil && !n.mode.IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err == nil && !n.kept {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotKept}
	}
	if err != nil {
		return nil, err
	}
	return Contents(name, io.NewSectionReader(t.store, n.offset, n.size))
}

// Info describes a file of a Tree that is in no file system (fs.FileInfo).
type Info struct {
	Base  string
	Bytes int64
	Kind  fs.FileMode
}

func (i Info) Name() string       { return i.Base }
func (i Info) Size() int64        { return i.Bytes }
func (i Info) Mode() fs.FileMode  { return i.Kind }
func (i Info) ModTime() time.Time { return time.Time{} }
func (i Info) IsDir() bool        { return i.Kind.IsDir() }
func (i Info) Sys() any           { return nil }
