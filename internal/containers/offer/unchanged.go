package offer

import (
	"path"
	"syscall"

	"vkloader/internal/decide/machine"
)

// stamp tells one state of a file or directory from another; the zero stamp is of none.
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
		s = stamp{is.Dev, is.Ino, is.Size, is.Mtim, is.Ctim}
	}
	return s
}

// watch notes the states of all that the index was made of: its files, the directories that they are in, manifests and
// where those are searched.
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

// unchanged tells whether nothing of that has another state now. It costs a hundredth of a look at the machine.
func (l *look) unchanged(source *machine.Source) bool {
	for name, before := range l.stamps {
		if stampOf(source, name) != before {
			return false
		}
	}
	return l.index != nil && len(l.index.Drivers) > 0 // of nothing there is nothing to watch
}
