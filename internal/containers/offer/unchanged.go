package offer

import (
	"path"
	"syscall"

	"vkloader/internal/decide/machine"
)

// stamp identifies a state of a file or directory; the zero stamp means that it is absent.
type stamp struct {
	device, inode    uint64
	size             int64
	written, changed syscall.Timespec
}

func stampOf(source *machine.Source, name string) (s stamp) {
	info, err := source.Stat(name)
	if err != nil {
		return s
	}
	if is, ok := info.Sys().(*syscall.Stat_t); ok {
		s = stamp{uint64(is.Dev), is.Ino, is.Size, is.Mtim, is.Ctim}
	}
	return s
}

// watch records the states of the index's sources: its files and their directories, the manifests and their
// directories.
func (x *Index) watch(source *machine.Source, g *Gathered) {
	x.stamps = map[string]stamp{}
	note := func(name string) {
		if _, noted := x.stamps[name]; !noted {
			x.stamps[name] = stampOf(source, name)
		}
	}
	for _, name := range g.Paths {
		note(name)
		note(path.Dir(name))
	}
	for _, name := range g.Places {
		note(name)
	}
}

// isCurrent reports whether all recorded states are still current. It costs a hundredth of a search.
func (l *look) isCurrent(source *machine.Source) bool {
	for name, before := range l.stamps {
		if stampOf(source, name) != before {
			return false
		}
	}
	return l.index != nil && len(l.index.Drivers) > 0 // an empty index has nothing to watch
}
