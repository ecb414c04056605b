package offer

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"vkloader/internal/containers/border"
	"vkloader/internal/decide/binary"
	"vkloader/internal/machines"
)

// Package is a device's active driver, from a package.
type Package struct {
	Name     string // of the manifest, as clients see it
	URL      string
	Manifest string // its text
	Soname   string // the library's name in the manifest, and in the machine's own driver
	Library  border.Held
	Size     int64
	Devices  []string // nodes of the devices whose driver it is
}

// Joined adds the drivers of packages to indexes. It caches each result until one of its parts changes.
type Joined struct {
	mu   sync.Mutex
	last map[string]*joint
}

type joint struct {
	base     *Index
	packages []Package
	index    *Index
}

// Find returns an index with the packages' drivers before those of base: an operator who lists a package for a device
// prefers it. A driver of the machine with the same manifest or library name is left out. base may be nil: packages
// alone.
func (j *Joined) Find(base *Index, name string, packages []Package) (*Index, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if base != nil && len(packages) == 0 {
		delete(j.last, name)
		return base, nil
	}
	same := func(a, b Package) bool {
		return a.Name == b.Name && a.Library == b.Library && a.Manifest == b.Manifest &&
			slices.Equal(a.Devices, b.Devices)
	}
	if last := j.last[name]; last != nil && last.base == base && slices.EqualFunc(last.packages, packages, same) {
		return last.index, nil
	}
	index, err := join(base, name, packages)
	if err == nil {
		if j.last == nil {
			j.last = map[string]*joint{}
		}
		j.last[name] = &joint{base, packages, index}
	}
	return index, err
}

// Last returns the last joined index of each machine.
func (j *Joined) Last() map[string]*Index {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := map[string]*Index{}
	for name, l := range j.last {
		found[name] = l.index
	}
	return found
}

func join(base *Index, name string, packages []Package) (*Index, error) {
	x := &Index{Document: Document{Format: 1, Machine: name, Drivers: []Driver{}, Files: []File{}}}
	if base != nil {
		x.Files, x.files = slices.Clone(base.Files), slices.Clone(base.files)
		x.LeftOut = slices.Clone(base.LeftOut)
	}
	taken := map[string]string{}
	for _, p := range packages {
		if why := x.add(name, p); why != "" {
			x.LeftOut = append(x.LeftOut, LeftOut{p.Name, p.URL, why})
			continue
		}
		taken[p.Soname] = p.URL
	}
	if base != nil {
		for _, d := range base.Drivers {
			if by := taken[x.Files[d.Library].Name]; by != "" {
				x.LeftOut = append(x.LeftOut, LeftOut{d.Name, d.Path, "the package " + by + " is offered in its place"})
				continue
			}
			x.Drivers = append(x.Drivers, d)
		}
	}
	return x, x.seal()
}

// add adds the driver of a package; it returns the reason if this machine does not offer the driver.
func (x *Index) add(name string, p Package) string {
	kind, known := machines.Named(name)
	if !known {
		return fmt.Sprintf("no drivers are known for machine %q", name)
	}
	library, err := binary.ReadELF(p.Library.File)
	switch {
	case errors.Is(err, os.ErrClosed):
		return "its library is not there any more"
	case err != nil:
		return fmt.Sprintf("its library: %v", err)
	case library.Class != kind.Bits || library.Machine != kind.ELF:
		return "its library is for other programs"
	}
	file := fileOf(p.Soname, library)
	file.Size = p.Size
	number := len(x.files)
	x.Files, x.files = append(x.Files, file), append(x.files, p.Library)
	x.Drivers = append(x.Drivers,
		Driver{Name: p.Name, Manifest: p.Manifest, Library: number, Files: []int{number}, Devices: p.Devices})
	return ""
}
