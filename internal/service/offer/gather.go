package offer

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/tool/ask"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/settingsfile"
)

// kind is a kind of process that drivers can be for.
type kind struct {
	name  string
	class int
	elf   binary.Machine
}

var kinds = []kind{{"x86_64", 64, binary.X8664}, {"i386", 32, binary.I386}, {"aarch64", 64, binary.ARM64}}

// Machines are the names of the machines that drivers are known of.
func Machines() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Machine gives the name that this package has for a machine as uname(1) names it; false for one that no drivers are
// known of.
func Machine(name string) (string, bool) {
	if len(name) == 4 && name[0] == 'i' && name[1] >= '3' && name[1] <= '6' && name[2:] == "86" {
		name = "i386"
	}
	return name, slices.ContainsFunc(kinds, func(k kind) bool { return k.name == name })
}

// owned are libraries that a client has of its own: those of the C library, which fit together only as they were built,
// the dynamic linker, and the loader.
func owned(name string) bool {
	stem, _, _ := strings.Cut(path.Base(name), ".so")
	return stem == "libvulkan" || binary.OfCLibrary(name)
}

// Gathered is what the machine has, before it is written down.
type Gathered struct {
	Document
	Paths   []string // of the files, as the dynamic linker names them
	Places  []string // where something else would be found if it changed, beside them
	LeftOut []LeftOut
}

type gatherer struct {
	machine *machine.Machine
	linker  *binary.Linker
	kind    kind
	out     *Gathered
	places  map[*binary.File]int
}

// Gather decides as the library does for a program that enables nothing itself, and follows what each driver needs.
func Gather(source *machine.Source, name string) (*Gathered, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil, fmt.Errorf("no drivers are known for machine %q", name)
	}
	k := kinds[at]
	program := *source // of the client's word size; manifests are handed out as they are
	program.Class = k.class
	answer, err := ask.Plan(&program)
	if err != nil {
		return nil, err
	}
	g := &gatherer{machine: &source.Machine, kind: k, places: map[*binary.File]int{},
		linker: binary.NewLinker(&source.Machine, binary.LinkerOptions{Class: k.class, Machine: k.elf})}
	g.out = &Gathered{Document: Document{Format: 1, Machine: name, Drivers: []Driver{}, Files: []File{}}, LeftOut: decided(answer)}
	for _, d := range answer.Drivers {
		if why := g.driver(d, source.File(d.Path)); why != "" {
			g.out.LeftOut = append(g.out.LeftOut, LeftOut{search.BaseName(d.Path), d.Path, why})
		}
	}
	for _, location := range answer.Searched[search.Drivers].List {
		g.out.Places = append(g.out.Places, location.Path)
	}
	for _, row := range explain.Drivers.Rows(answer) {
		if row.Path != "" {
			g.out.Places = append(g.out.Places, row.Path)
		}
	}
	g.out.Places = append(append(g.out.Places, settingsfile.Places(&program)...), "/etc/ld.so.cache")
	return g.out, nil
}

// decided are the drivers that the decision itself leaves out.
func decided(answer *plan.Answer) []LeftOut {
	left := []LeftOut{}
	for _, row := range explain.Drivers.Rows(answer) {
		if !row.In && row.Path != "" {
			left = append(left, LeftOut{search.BaseName(row.Path), row.Path, row.Why})
		}
	}
	return left
}

// driver adds one driver; the answer is why it is not offered.
func (g *gatherer) driver(d *manifest.Driver, text facts.File) string {
	if text.Status != facts.FileRead {
		return "its manifest cannot be read any more"
	}
	r := g.linker.Find(d.Library)
	switch {
	case r.File == nil && len(r.Others) > 0:
		return fmt.Sprintf("its library is there for other programs only: %s", r.Others[0])
	case r.File == nil:
		return fmt.Sprintf("its library %s is in no directory of the dynamic linker", d.Library)
	case r.File.Err() != nil:
		return unreadable(r.File)
	case r.File.Class != g.kind.class || r.File.Machine != g.kind.elf:
		return fmt.Sprintf("its library %s is for other programs", r.File.Path)
	}
	order, why := g.closure(r.File)
	if why != "" {
		return why
	}
	driver := Driver{Name: search.BaseName(d.Path), Path: d.Path, Manifest: text.Content}
	family := drivers.Of(d.Library)
	var opened [][]*binary.File
	if family != nil {
		for _, name := range family.Names(drivers.Version(r.File.Real), binary.CompareVersions, false) {
			found := g.linker.Find(name, r.File)
			if place := family.Elsewhere(name); found.File == nil && place != "" {
				found = g.linker.Find(place)
			}
			if found.File == nil || found.File.Err() != nil {
				continue
			}
			// What the driver may do without is left out with what it lacks itself; doctor speaks of it.
			if with, why := g.closure(found.File); why == "" {
				opened = append(opened, with)
			}
		}
		driver.Data = drivers.Matches(family.Data, g.machine.ReadDir)
		g.windows(family, r.File, &driver)
	}
	driver.Devices = g.devices(family)
	for _, f := range order { // first, so that these are not marked
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
		add(slices.DeleteFunc(with, func(f *binary.File) bool { return f == r.File }))
	}
	add(order[len(order)-1:])
	driver.Library = driver.Files[len(driver.Files)-1]
	g.out.Drivers = append(g.out.Drivers, driver)
	return ""
}

// windows adds what a driver's windows need, and a program without any does not.
func (g *gatherer) windows(family *drivers.Family, library *binary.File, d *Driver) {
	for _, name := range family.Platform {
		found := g.linker.Find(name, library)
		if found.File == nil || found.File.Err() != nil {
			continue
		}
		if with, why := g.closure(found.File); why == "" {
			for _, f := range with {
				d.More = append(d.More, f.Path)
			}
		}
	}
	for _, name := range family.Backends {
		if file := path.Dir(library.Path) + "/" + name; g.machine.Exists(file) {
			d.Backends = append(d.Backends, file)
		}
	}
}

// Libraries are a library and what it needs, by their paths, dependencies first; or why programs of a machine cannot open it.
func Libraries(m *machine.Machine, name, library string) (paths []string, why string) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil, "no drivers are known for machine " + name
	}
	g := &gatherer{machine: m, kind: kinds[at], linker: binary.NewLinker(m, binary.LinkerOptions{Class: kinds[at].class, Machine: kinds[at].elf})}
	r := g.linker.Find(library)
	if r.File == nil {
		return nil, fmt.Sprintf("its library %s is in no directory of the dynamic linker", library)
	}
	if r.File.Err() != nil {
		return nil, unreadable(r.File)
	}
	if r.File.Class != g.kind.class || r.File.Machine != g.kind.elf {
		return nil, fmt.Sprintf("its library %s is for other programs", r.File.Path)
	}
	order, why := g.closure(r.File)
	for _, f := range order {
		paths = append(paths, f.Path)
	}
	return paths, why
}

func unreadable(f *binary.File) string {
	err := f.Err()
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		err = wrong.Err
	}
	return fmt.Sprintf("%s: %v", f.Path, err)
}

// closure lists a library and what it needs, dependencies first; or says what is missing.
func (g *gatherer) closure(f *binary.File) (order []*binary.File, why string) {
	c := g.linker.Follow(f)
	for _, m := range c.Missing {
		if !owned(m.Name) {
			return nil, fmt.Sprintf("%s needs %s, which cannot be found", m.By.Path, m.Name)
		}
	}
	for _, old := range c.Old {
		if !owned(old.In.Path) {
			return nil, fmt.Sprintf("%s wants version %s of %s, which has none", old.By.Path, old.Version, old.In.Path)
		}
	}
	named := map[string]*binary.File{}
	for _, f := range slices.Backward(c.Files) { // the first of a name counts
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
			if next := named[name]; next != nil && !seen[next] && !owned(name) && !owned(next.Path) {
				visit(next)
			}
		}
		order = append(order, f)
	}
	visit(f)
	return order, ""
}

// place gives a file its index.
func (g *gatherer) place(f *binary.File, runTime bool) int {
	if at, known := g.places[f]; known {
		return at
	}
	for other, at := range g.places { // one file under two names is handed out once
		if other.Real == f.Real {
			g.places[f] = at
			return at
		}
	}
	at := len(g.out.Files)
	g.places[f] = at
	entry := File{Name: path.Base(f.Path), Soname: f.Soname, Needs: f.Needed, Requires: []Requirement{}, RunTime: runTime}
	if entry.Needs == nil {
		entry.Needs = []string{}
	}
	for _, r := range f.Requires {
		if !r.Weak {
			entry.Requires = append(entry.Requires, Requirement{r.File, r.Version})
		}
	}
	g.out.Files = append(g.out.Files, entry)
	g.out.Paths = append(g.out.Paths, f.Path)
	return at
}

// devices are the nodes that a driver opens: of a driver that is not known, every render node may be one.
func (g *gatherer) devices(family *drivers.Family) []string {
	if family != nil && family.Software() {
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
	if family != nil {
		nodes = append(nodes, drivers.Matches(family.Opened(), g.machine.ReadDir)...)
	}
	return nodes
}
