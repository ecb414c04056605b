package cdi

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"vkloader/internal/containers/offer"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
)

// fault returns why a library cannot be loaded in an image; "": it can.
func fault(l *drivers.Library) string {
	switch l.Fault {
	case drivers.None:
		return faults(l.With)
	case drivers.Unreadable:
		return fmt.Sprintf("%s: %v", l.File.Path, l.File.Err())
	case drivers.Foreign:
		return l.File.Path + " is for other programs"
	}
	return l.Name + " is in no directory of the image's dynamic linker"
}

// faults describes the missing dependencies of a library.
func faults(c *binary.Closure) string {
	var list []string
	for _, missing := range c.Missing {
		list = append(list, fmt.Sprintf("%s needs %s, which the image lacks", path.Base(missing.By.Path), missing.Name))
	}
	for _, old := range c.Newest() {
		has := "which defines no such version"
		if old.Newest != "" {
			has = "which has versions up to " + old.Newest
		}
		list = append(list, fmt.Sprintf("%s needs %s of the image's %s, %s", path.Base(old.By.Path), old.Version,
			old.In.Path, has))
	}
	return strings.Join(list, "; ")
}

// faultAtRunTime returns why a library that another one opens at run time cannot be loaded.
func faultAtRunTime(by string, opened *drivers.Library) string {
	if opened.File == nil {
		return fmt.Sprintf("%s opens %s, which the image lacks", path.Base(by), opened.Name)
	}
	return fault(opened)
}

// unfit returns the reason why a driver does not work with an image's files: a missing dependency, or a missing library
// that it requires at run time; "" if it works.
func unfit(f *drivers.Files) string {
	if why := fault(&f.Library); why != "" {
		return why
	}
	var list []string
	for i := range f.RunTime {
		if why := faultAtRunTime(f.File.Path, &f.RunTime[i].Library); f.RunTime[i].Required && why != "" {
			list = append(list, why)
		}
	}
	return strings.Join(list, "; ")
}

// usable opens the library of a driver like open, and its required run-time libraries must work, too. A mounted library
// has no version in its name; the names of the other mounted files tell the version.
func (b *box) usable(file string) string {
	family := drivers.Of(file)
	if why := b.open(file); why != "" || family == nil {
		return why
	}
	var list []string
	version := family.VersionAmong(slices.Sorted(maps.Keys(b.brought)))
	for _, name := range family.Names(version, true) {
		why := ""
		if b.lacking[name] != "" {
			why = b.open(name)
		} else {
			found := drivers.FindLibrary(b.find, name)
			why = faultAtRunTime(file, &found)
		}
		if why != "" {
			list = append(list, why)
		}
	}
	return strings.Join(list, "; ")
}

// Driverless reports whether a container has device nodes but no driver for devices, neither the host's nor its own.
func (a *Arrangement) Driverless(m *machine.Machine, nodes []string) bool {
	if a.hardware || len(nodes) == 0 {
		return false
	}
	for _, kind := range machines.All() {
		if !runs(m, kind) {
			continue
		}
		linker := binary.NewLinker(m, offer.Options(kind))
		for _, d := range ownDrivers(m, kind.Bits) {
			if found := drivers.FilesOf(m, linker, d.Library); (found.Family == nil || !found.Family.Software()) &&
				unfit(found) == "" {
				return false
			}
		}
	}
	return true
}
