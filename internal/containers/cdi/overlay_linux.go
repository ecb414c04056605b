package cdi

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"

	"vkloader/internal/decide/machine"
)

// overlay is a machine's file system with additions, as a machine.Tree.
type overlay struct {
	below *machine.Machine
	added map[string]*addition // by path, including parent directories
}

// addition is an added file, link or directory; the zero value is a directory.
type addition struct {
	name string
	from *machine.Machine // the other machine of a mounted file or directory
	at   string
	link string
	text []byte
	kind fs.FileMode
}

func newOverlay(below *machine.Machine) *overlay {
	return &overlay{below, map[string]*addition{}}
}

// machine returns the file system as a machine without an environment.
func (o *overlay) machine() *machine.Machine {
	return &machine.Machine{Root: o.below.Root, Tree: o, Environ: o.below.Environ, Bound: o.below.Bound}
}

// add adds an entry at a path, with its parent directories. It follows links on the way.
func (o *overlay) add(name string, a addition) {
	directory, err := o.machine().Real(path.Dir(path.Clean("/" + name)))
	if err != nil {
		return // searches do not find the path, either
	}
	name = path.Join(directory, path.Base(name))
	for d := directory; d != "/" && o.added[d] == nil; d = path.Dir(d) {
		if info, err := o.below.Lstat(d); err != nil || !info.IsDir() {
			o.added[d] = &addition{name: path.Base(d), kind: fs.ModeDir}
		}
	}
	a.name = path.Base(name)
	o.added[name] = &a
}

// mount shows another machine's file or directory at a path. It follows links.
func (o *overlay) mount(from *machine.Machine, at, name string) {
	if real, err := o.machine().Real(name); err == nil {
		name = real
	}
	info, err := from.Stat(at)
	if err != nil {
		return
	}
	o.add(name, addition{from: from, at: at, kind: info.Mode().Type()})
}

func (o *overlay) link(name, target string) {
	o.add(name, addition{link: target, kind: fs.ModeSymlink})
}
func (o *overlay) text(name string, t []byte) { o.add(name, addition{text: t}) }

// within finds the mounted directory that contains a path.
func (o *overlay) within(name string) (from *machine.Machine, at string, found bool) {
	for d := name; d != "/"; d = path.Dir(d) {
		if a := o.added[d]; a != nil {
			if a.from != nil {
				return a.from, a.at + name[len(d):], true
			}
			return nil, "", false
		}
	}
	return nil, "", false
}

// Lstat implements machine.Tree.
func (o *overlay) Lstat(name string) (fs.FileInfo, error) {
	if from, at, found := o.within(name); found {
		if o.added[name] != nil {
			return from.Stat(at)
		}
		return from.Lstat(at)
	}
	if a := o.added[name]; a != nil {
		return a.info(), nil
	}
	return o.below.Lstat(name)
}

// Readlink implements machine.Tree.
func (o *overlay) Readlink(name string) (string, error) {
	if from, at, found := o.within(name); found {
		return from.Readlink(at)
	}
	if a := o.added[name]; a != nil {
		return a.link, nil
	}
	return o.below.Readlink(name)
}

// Open implements machine.Tree.
func (o *overlay) Open(name string) (*os.File, error) {
	if from, at, found := o.within(name); found {
		return from.Open(at)
	}
	if a := o.added[name]; a != nil {
		return machine.Contents(bytes.NewReader(a.text))
	}
	return o.below.Open(name)
}

// ReadDir implements machine.Tree.
func (o *overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	var err error
	if from, at, found := o.within(name); found {
		entries, err = from.ReadDir(at)
	} else {
		entries, err = o.below.ReadDir(name)
	}
	if o.added[name] != nil {
		err = nil
	}
	for full, a := range o.added {
		if path.Dir(full) == name {
			entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == a.name })
			entries = append(entries, fs.FileInfoToDirEntry(a.info()))
		}
	}
	if err == nil && len(entries) == 0 && !o.machine().Exists(name) {
		err = &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	return machine.ByName(entries), err
}

// info describes the addition.
func (a *addition) info() machine.Info {
	return machine.Info{Base: a.name, Bytes: int64(len(a.text)), Kind: a.kind | 0o755}
}
