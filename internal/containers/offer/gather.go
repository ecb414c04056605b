package offer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
	"vkloader/internal/machines"
)

// Options returns the options of the dynamic linker for the programs of a machine.
func Options(m machines.Machine) binary.LinkerOptions {
	return binary.LinkerOptions{Class: m.Bits, Machine: m.ELF}
}

// Machines returns the names of the machines with known drivers.
func Machines() []string {
	var names []string
	for _, m := range machines.All() {
		names = append(names, m.Name)
	}
	return names
}

// Machine returns the machine with a name of the table, or a name of uname(1). It returns false for a machine without
// known drivers.
func Machine(name string) (machines.Machine, bool) {
	switch {
	case len(name) == 4 && name[0] == 'i' && name[1] >= '3' && name[1] <= '6' && name[2:] == "86":
		name = "i386"
	case strings.HasPrefix(name, "armv7") || strings.HasPrefix(name, "armv8"):
		name = "armhf"
	case strings.HasPrefix(name, "armv"):
		name = "armel"
	case name == "mips64":
		name = "mips64el"
	}
	return machines.Named(name)
}

// isClientLibrary reports whether a client always uses its own copy of a library: the dynamic linker, the loader, and
// the parts of the C library, which work only together.
func isClientLibrary(name string) bool {
	stem, _, _ := strings.Cut(path.Base(name), ".so")
	return stem == "libvulkan" || binary.OfCLibrary(name)
}

// Gathered is the drivers of a machine, before their files are opened.
type Gathered struct {
	Document
	Paths   []string // of the files, as the dynamic linker names them
	Places  []string // absent files whose appearance would change the result
	LeftOut []LeftOut
}

type gatherer struct {
	machine *machine.Machine
	linker  *binary.Linker
	out     *Gathered
	places  map[*binary.File]int
}

// Gather selects the drivers as the library does for a program that enables no layer or extension, and follows their
// dependencies.
func Gather(source *machine.Source, name string) (*Gathered, error) {
	k, known := machines.Named(name)
	if !known {
		return nil, fmt.Errorf("no drivers are known for machine %q", name)
	}
	program := *source // of the client's word size; manifests are sent unchanged
	program.Class = k.Bits
	answer, err := explain.Decide(&program)
	if err != nil {
		return nil, err
	}
	g := &gatherer{machine: &source.Machine, places: map[*binary.File]int{},
		linker: binary.NewLinker(&source.Machine, Options(k))}
	g.out = &Gathered{Document: Document{Format: 1, Machine: name, Drivers: []Driver{}, Files: []File{}},
		LeftOut: excludedDrivers(answer)}
	for _, d := range answer.Drivers {
		if why := g.driver(d, source.File(d.Path)); why != "" {
			g.out.LeftOut = append(g.out.LeftOut, LeftOut{search.BaseName(d.Path), d.Path, why})
		}
	}
	for _, location := range answer.Searched[search.Drivers].List {
		g.out.Places = append(g.out.Places, location.Path)
	}
	for _, f := range explain.Drivers.Findings(answer) {
		if f.Path != "" {
			g.out.Places = append(g.out.Places, f.Path)
		}
	}
	g.out.Places = append(append(g.out.Places, explain.SettingsPlaces(&program)...), "/etc/ld.so.cache")
	return g.out, nil
}

// excludedDrivers returns the drivers that the library's decision leaves out.
func excludedDrivers(answer *plan.Answer) []LeftOut {
	left := []LeftOut{}
	for _, f := range explain.Drivers.Findings(answer) {
		if !explain.Drivers.Chosen(&f) && f.Path != "" {
			left = append(left, LeftOut{search.BaseName(f.Path), f.Path, f.What})
		}
	}
	return left
}

// driver adds one driver; it returns the reason if the driver is not offered.
func (g *gatherer) driver(d *manifest.Driver, text facts.File) string {
	if text.Status != facts.FileRead {
		return "its manifest cannot be read any more"
	}
	found := drivers.FilesOf(g.machine, g.linker, d.Library)
	order, why := whole(&found.Library)
	switch {
	case why != "":
		return why
	case found.IsLoader():
		return found.File.Path + " is a Vulkan loader, and no driver"
	case !found.Has(drivers.DriverInterface):
		return found.File.Path + " has no functions of a Vulkan driver"
	}
	driver := Driver{Name: search.BaseName(d.Path), Path: d.Path, Manifest: text.Content, Data: found.Data,
		Directories: found.Directories,
		Backends:    found.Backends}
	var opened [][]*binary.File
	for i := range found.RunTime {
		switch with, why := whole(&found.RunTime[i].Library); {
		case why == "":
			opened = append(opened, with)
		case found.RunTime[i].Required:
			return why
		} // an incomplete optional library is left out silently; doctor reports it
	}
	for i := range found.Windows {
		if with, why := whole(&found.Windows[i].Library); why == "" {
			for _, f := range with {
				driver.More = append(driver.More, f.Path)
			}
		}
	}
	if why := g.trustError(d.Path, found); why != "" {
		return why
	}
	driver.Devices = g.devices(found)
	for _, f := range order { // before the run-time libraries, so that these are not marked
		g.place(f, false)
	}
	add := func(list []*binary.File) {
		for _, f := range list {
			if at := g.place(f, true); !slices.Contains(driver.Files, at) {
				driver.Files = append(driver.Files, at)
			}
		}
	}
	needed := order[:len(order)-1]
	add(needed)
	for _, with := range opened {
		add(slices.DeleteFunc(with, func(f *binary.File) bool { return f == found.File }))
	}
	add(order[len(order)-1:])
	driver.Library = driver.Files[len(driver.Files)-1]
	g.out.Drivers = append(g.out.Drivers, driver)
	return ""
}

// trustError returns why a privileged process does not offer a driver: another user can change one of its files.
func (g *gatherer) trustError(manifest string, found *drivers.Files) string {
	names := slices.Concat([]string{manifest}, found.Data, found.Directories, found.Backends)
	libraries := []*drivers.Library{&found.Library}
	for _, opened := range slices.Concat(found.RunTime, found.Windows) {
		libraries = append(libraries, &opened.Library)
	}
	for _, l := range libraries {
		if l.With != nil {
			for _, f := range l.With.Files {
				names = append(names, f.Path)
			}
		}
	}
	for _, name := range names {
		if why := trust.Refusal("offered", trust.In(g.machine.Root, name)); why != "" {
			return why
		}
	}
	return ""
}

// whole returns a library and its dependencies, dependencies first. If programs cannot open the library, it returns the
// reason. It ignores gaps in the machine's C library, because the client uses its own.
func whole(l *drivers.Library) (order []*binary.File, why string) {
	if why := l.Why("its library " + l.Name); why != "" {
		return nil, why
	}
	for _, m := range l.With.Missing {
		if !isClientLibrary(m.Name) {
			return nil, fmt.Sprintf("%s needs %s, which cannot be found", m.By.Path, m.Name)
		}
	}
	for _, old := range l.With.Old {
		if !isClientLibrary(old.In.Path) {
			return nil, fmt.Sprintf("%s needs version %s of %s, which has none", old.By.Path, old.Version, old.In.Path)
		}
	}
	named := map[string]*binary.File{}
	for _, f := range slices.Backward(l.With.Files) { // the first file of a name counts
		named[path.Base(f.Path)] = f
		if f.Soname != "" {
			named[f.Soname] = f
		}
		named[f.Path] = f
	}
	seen := map[*binary.File]bool{}
	var visit func(*binary.File)
	visit = func(f *binary.File) {
		seen[f] = true
		for _, name := range f.Needed {
			if next := named[name]; next != nil && !seen[next] && !isClientLibrary(name) &&
				!isClientLibrary(next.Path) {
				visit(next)
			}
		}
		order = append(order, f)
	}
	visit(l.File)
	return order, ""
}

// place returns a file's index in the document, and adds the file if it is new.
func (g *gatherer) place(f *binary.File, runTime bool) int {
	if at, known := g.places[f]; known {
		return at
	}
	for other, at := range g.places { // a file with two names is offered once
		if other.Real == f.Real {
			g.places[f] = at
			return at
		}
	}
	at := len(g.out.Files)
	g.places[f] = at
	entry := fileOf(path.Base(f.Path), f.ELF)
	entry.RunTime = runTime
	g.out.Files = append(g.out.Files, entry)
	g.out.Paths = append(g.out.Paths, f.Path)
	return at
}

// devices returns the nodes that a driver opens; for an unknown driver, every render node.
func (g *gatherer) devices(driver *drivers.Files) []string {
	family := driver.Family
	if family.Software() {
		return nil
	}
	var nodes []string
	entries, err := g.machine.ReadDir("/sys/class/drm")
	for _, e := range entries {
		if err != nil || !strings.HasPrefix(e.Name(), "renderD") || !g.machine.Exists("/dev/dri/"+e.Name()) {
			continue
		}
		module, _ := g.machine.Real("/sys/class/drm/" + e.Name() + "/device/driver")
		if family == nil || family.Uses(path.Base(module)) {
			nodes = append(nodes, "/dev/dri/"+e.Name())
		}
	}
	return append(nodes, driver.Nodes...)
}
