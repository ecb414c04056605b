package cdi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"vkloader/internal/containers/offer"
	"vkloader/internal/core/manifest"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/wording"
	"vkloader/internal/machines"
)

// icdPlace is the directory for manifests. Every loader searches it, also in an elevated program.
const icdPlace = "/etc/vulkan/icd.d/"

// prefix begins the names of the added manifests; no manifest of an image has it.
const prefix = "host-"

// Reasons for not adding a driver without which programs lose nothing.
const (
	hasItself   = "the image has this driver itself"
	only64      = "the image has no programs of 32 bits"
	noDirectory = "the image's dynamic linker searches no directory for every program"
)

// fine reports whether programs lose nothing without the driver, by the reason for leaving it out.
func fine(why string) bool {
	return why == only64 || strings.HasPrefix(why, hasItself)
}

// Arrangement lists the changes in a container whose drivers come from a file of this package.
type Arrangement struct {
	Own     []FileToWrite // items below Directory, by their full paths
	Put     []FileToWrite // in directories of the image
	Nodes   []FileToWrite // links to device nodes, in the directory of nodes
	Hide    []string      // manifests of the image whose drivers the host's replace
	Drivers []Driver

	hardware bool // a working driver of the host is for devices
}

// FileToWrite is a file to write, or a symbolic link to make.
type FileToWrite struct {
	Path   string
	Target string // of a link; "": a file
	Text   []byte
}

func (a *Arrangement) put(name string, i FileToWrite) {
	i.Path = name
	a.Put = append(a.Put, i)
}

// Driver is a mounted driver, and its result in the container.
type Driver struct {
	Name    string `json:"name"`    // the file name of its manifest
	Machine string `json:"machine"` // the processor of its programs
	Added   bool   `json:"added"`
	Why     string `json:"why,omitempty"` // why the driver was not added, or which of the image's drivers it replaces
}

// Refused reports whether a driver that is not added is a loss.
func (d *Driver) Refused() bool { return !d.Added && !fine(d.Why) }

// Situation is the input for arranging a container, besides its files.
type Situation struct {
	Host  *machine.Machine // the machine with the container's cards; nil: unknown
	Nodes []string         // the container's device nodes
}

// box is a container that is being arranged, for one kind of program.
type box struct {
	Situation
	machine *machine.Machine
	a       *Arrangement
	kind    machines.Machine // of the programs
	name    string           // of the machine
	options binary.LinkerOptions
	own     []*manifest.Driver // of the image
	find    *binary.Linker     // in the image
	tried   *binary.Linker     // with the mounted files
	with    *overlay           // the file system of tried
	brought map[string]string  // the mounted libraries, by their names and sonames
	lacking map[string]string  // the mounted libraries that the image lacks
	opened  map[string]string  // libraries with a stub, or the reason why they have none
}

// Arrange decides the changes in a container whose mounts already exist. It prefers the container's own files: it adds
// neither a library that the dynamic linker finds nor a driver that the container has, except a driver that must match
// the version of the kernel module, and a driver newer than the container's for a newer card.
func Arrange(m *machine.Machine, s Situation) *Arrangement {
	a := &Arrangement{}
	var last *box
	for _, name := range m.Names(strings.TrimSuffix(manifestsPlace, "/")) {
		if kind, known := machines.Named(name); known {
			b := &box{Situation: s, machine: m, a: a, kind: kind, name: name, opened: map[string]string{},
				options: offer.Options(kind)}
			before := len(a.Put)
			b.arrange()
			if len(a.Put) > before && (last == nil || kind.Bits == 64) {
				last = b
			}
		}
	}
	if last != nil {
		last.data("")
	}
	a.profile(s.Nodes)
	if s.Host != nil {
		a.places(m, s.Host, s.Nodes)
	}
	return a
}

// ownDrivers returns the drivers in a container's image.
func ownDrivers(m *machine.Machine, class int) []*manifest.Driver {
	answer, err := explain.Decide(&machine.Source{Machine: *m, Class: class})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(answer.Drivers), func(d *manifest.Driver) bool {
		return strings.HasPrefix(d.Library, Directory+"/") // an earlier version of the tool has added it
	})
}

// same returns the container's own working driver that is the same as a mounted one, or nil.
func (b *box) same(library string) *manifest.Driver {
	for _, o := range b.own {
		if path.Base(o.Library) != path.Base(library) {
			continue
		}
		if found := drivers.FindLibrary(b.find, o.Library); fault(&found) == "" {
			return o
		}
	}
	return nil
}

// arrange arranges the drivers for one kind of program.
func (b *box) arrange() {
	b.find = binary.NewLinker(b.machine, b.options)
	b.own = ownDrivers(b.machine, b.options.Class)
	b.with = newOverlay(b.machine)
	b.libraries()
	b.tried = binary.NewLinker(b.with.machine(), b.options)
	before := len(b.a.Put)
	for _, file := range b.machine.Names(manifestsPlace + b.name) {
		b.driver(file)
	}
	b.backends("")
	if len(b.a.Put) > before {
		for _, name := range slices.Sorted(maps.Keys(b.lacking)) {
			b.a.Own = append(b.a.Own, FileToWrite{Path: linksPlace + b.name + "/" + name, Target: b.leads(name)})
		}
	}
}

// libraries lists the mounted libraries, and those that the image lacks. A dependent may name a library by its file
// name or by its soname.
func (b *box) libraries() {
	b.brought, b.lacking = map[string]string{}, map[string]string{}
	place := filesPlace + b.name + "/"
	files := b.machine.Names(strings.TrimSuffix(place, "/"))
	for _, file := range files {
		b.brought[file] = place + file
	}
	for _, file := range files {
		if f := b.find.Open(place + file); f.Err() == nil && f.Soname != "" && f.Soname == path.Base(f.Soname) &&
			b.brought[f.Soname] == "" {
			b.brought[f.Soname] = place + file
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.brought)) {
		if r := b.find.Find(name); r.File == nil || r.File.Err() != nil ||
			strings.HasPrefix(r.File.Real, Directory+"/") {
			b.lacking[name] = b.brought[name]
			b.with.link(linksPlace+b.name+"/"+name, b.brought[name])
		}
	}
}

// driver arranges a driver.
func (b *box) driver(file string) {
	d := Driver{Name: file, Machine: b.name}
	text, library, err := b.read(file)
	hide := ""
	switch {
	case err != nil:
		d.Why = err.Error()
	case b.options.Class == 32 && !runs(b.machine, b.kind):
		d.Why = only64
	case b.find.Last() == "":
		d.Why = noDirectory
	default:
		if own := b.same(library); own != nil && drivers.Of(library).Free() {
			wins, why := b.hostWins(own, library)
			if wins {
				hide = own.Path
			} else {
				d.Why = hasItself
			}
			if why != "" {
				d.Why = strings.TrimPrefix(d.Why+": "+why, ": ")
			}
		}
		if hide != "" || d.Why == "" {
			if why := b.usable(path.Base(library)); why != "" {
				d.Why, hide = why, ""
				break
			}
			d.Added = true
			b.a.put(icdPlace+b.manifestName(file), FileToWrite{Text: text})
			if hide != "" {
				b.a.Hide = append(b.a.Hide, hide)
			}
		}
	}
	if d.Added || strings.HasPrefix(d.Why, hasItself) {
		family := drivers.Of(library)
		b.a.hardware = b.a.hardware || family == nil || !family.Software()
	}
	b.a.Drivers = append(b.a.Drivers, d)
}

// manifestName returns the name in the container of a manifest of the host. Manifests for two kinds of programs may
// have one name.
func (b *box) manifestName(file string) string {
	if b.name != "x86_64" {
		return prefix + b.name + "-" + file
	}
	return prefix + file
}

// read returns a driver's manifest with the stub as its library, and the path of the library in the container.
func (b *box) read(file string) (text []byte, library string, err error) {
	content, err := b.machine.ReadFile(manifestsPlace + b.name + "/" + file)
	if err != nil {
		return nil, "", fmt.Errorf("its manifest: %w", err)
	}
	name, err := libraryOf(content)
	if err != nil {
		return nil, "", fmt.Errorf("its manifest: %w", err)
	}
	text, err = rewriteManifest(content, opensPlace+b.name+"/"+path.Base(name), b.options.Class)
	return text, filesPlace + b.name + "/" + path.Base(name), err
}

// libraryOf returns the library that a manifest names.
func libraryOf(text []byte) (string, error) {
	var says struct {
		ICD struct {
			LibraryPath string `json:"library_path"`
		}
	}
	err := wording.Malformed(text, json.Unmarshal(text, &says))
	return says.ICD.LibraryPath, err
}

// open replaces a mounted library with a stub if needed, and returns the reason why the library does not work with the
// present files; "" if it works.
func (b *box) open(file string) (why string) {
	if why, known := b.opened[file]; known {
		return why
	}
	i := b.stub(cmp.Or(b.brought[file], filesPlace+b.name+"/"+file), file)
	found := drivers.FindLibrary(b.tried, i.Path)
	if why = fault(&found); why == "" {
		b.a.Own = append(b.a.Own, i)
	}
	b.opened[file] = why
	return why
}

// stub returns a stub for a library. A library with its own DT_RUNPATH does not search the directory of links, so the
// stub opens all missing dependencies as well.
func (b *box) stub(library, name string) FileToWrite {
	needed, own := []string{library}, false
	for i := 0; i < len(needed); i++ {
		f := b.tried.Open(needed[i])
		if f.Err() != nil {
			continue
		}
		own = own || f.RunPath != nil
		for _, name := range f.Needed {
			if at := b.lacking[name]; at != "" && !slices.Contains(needed, at) {
				needed = append(needed, at)
			}
		}
	}
	if !own {
		needed = needed[:1]
	}
	i := FileToWrite{Path: opensPlace + b.name + "/" + name, Text: stub(b.kind, needed, linksPlace+b.name)}
	b.with.text(i.Path, i.Text)
	return i
}

// leads returns the target of the link to a library that the image lacks: the library, or for one that a driver opens
// at run time, a stub. Without the stub, the C library's dynamic linker does not search the directory of links for that
// library's dependencies and run-time libraries.
func (b *box) leads(name string) string {
	if slices.ContainsFunc(drivers.Families(), func(f *drivers.Family) bool { return f.Opens(name) }) &&
		b.open(name) == "" {
		return opensPlace + b.name + "/" + name
	}
	return b.lacking[name]
}

// backends arranges the libraries that others open in a subdirectory of the library directory. It puts them into that
// subdirectory of the image or, if the image has none, of the host.
func (b *box) backends(directory string) {
	for _, name := range b.machine.Names(backendsPlace + b.name + directory) {
		library := backendsPlace + b.name + directory + "/" + name
		info, err := b.machine.Stat(library)
		if err != nil {
			continue
		}
		if info.IsDir() {
			b.backends(directory + "/" + name)
			continue
		}
		to := directory
		kind := path.Base(directory) // gbm, of libgbm.so.1
		if r := b.find.Find("lib" + kind + ".so.1"); r.File != nil && r.File.Err() == nil {
			to = path.Dir(r.File.Path) + "/" + kind
		}
		i := b.stub(library, name)
		found := drivers.FindLibrary(b.tried, i.Path)
		if to += "/" + name; b.machine.Exists(to) || fault(&found) != "" {
			continue
		}
		b.a.Own = append(b.a.Own, i)
		b.a.put(to, FileToWrite{Target: i.Path})
	}
}

// whole reports whether a directory of data is linked instead of its files.
func whole(directory string) bool {
	return slices.ContainsFunc(drivers.Families(),
		func(f *drivers.Family) bool { return slices.Contains(f.Whole, directory) })
}

// data arranges the files of data that the container lacks.
func (b *box) data(directory string) {
	for _, name := range b.machine.Names(dataPlace + directory) {
		at := directory + "/" + name
		info, err := b.machine.Stat(dataPlace + at)
		if err != nil {
			continue
		}
		if info.IsDir() && !whole(at) {
			b.data(at)
			continue
		}
		if target, err := b.machine.Readlink(at); !strings.HasPrefix(target, Directory+"/") &&
			(err == nil || b.machine.Exists(at)) {
			continue
		}
		// A file that names a library, such as EGL's for a vendor, gets the name of the mounted library or of its stub.
		if text, err := b.machine.ReadFile(dataPlace + at); err == nil && path.Ext(at) == ".json" {
			if library, err := libraryOf(text); err == nil && b.brought[path.Base(library)] != "" {
				if text, err = rewriteManifest(text, opensPlace+b.name+"/"+path.Base(library), 64); err == nil &&
					b.open(path.Base(library)) == "" {
					b.a.put(at, FileToWrite{Text: text})
				}
				continue
			}
		}
		b.a.put(at, FileToWrite{Target: dataPlace + at})
	}
}
