package discover

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
)

// Needed says how a file is needed.
type Needed string

// Ways in which a driver needs a file.
const (
	AtLink    Needed = "link"     // the dynamic linker loads it with the driver
	AtRunTime Needed = "run time" // the driver opens it when it works
)

// File is a library that comes with a driver.
type File struct {
	Path   string `json:"path"`             // as the dynamic linker finds it
	Real   string `json:"real"`             // without symbolic links
	Soname string `json:"soname,omitempty"` // the name under which other files need it
	Needed Needed `json:"needed"`           // how the driver needs it

	// CLibrary marks a part of the C library, or the dynamic linker. A container or sandbox with its own C library must
	// not get the host's: the parts fit only together.
	CLibrary bool `json:"c_library,omitempty"`
}

// MissingFile is a library that is needed and cannot be loaded.
type MissingFile struct {
	Name   string `json:"name"`   // as the file that needs it names it
	By     string `json:"by"`     // the file that needs it
	Needed Needed `json:"needed"` // how it is needed
	Why    string `json:"why"`    // one English sentence
}

// TooNew is a library that was built for a newer version of another one, such as the C library.
type TooNew struct {
	File    string `json:"file"`             // the library that cannot be loaded
	Wants   string `json:"wants"`            // the version of symbols, as GLIBC_2.38
	Of      string `json:"of"`               // the library that lacks it
	Version string `json:"newest,omitempty"` // the newest version that this library has; "": no version of this family
}

// DriverFiles are all files that a driver, or a layer, needs.
type DriverFiles struct {
	Manifest string `json:"manifest"` // of the driver or layer
	Library  string `json:"library"`  // the driver itself; "": it was not found
	// the driver, then the others in the order of loading, then those that it opens at run time
	Files   []File        `json:"files"`
	Missing []MissingFile `json:"missing"` // libraries without which the driver does not work
	// libraries that need a newer version of another one; the driver does not work with them
	TooNew []TooNew `json:"too_new"`
	// needed symbols that no library defines; empty if a library is missing or too new
	Symbols []string `json:"symbols"`
	Unbound []string `json:"unbound"` // symbols in Symbols that keep the dynamic linker from loading the library
	// why the library is not a driver, or not a layer: one English sentence; "": it is one
	Misfit string   `json:"misfit"`
	Data   []string `json:"data"` // existing data files, and directories with data files, that it reads
	// existing device nodes outside /dev/dri that it opens, of all GPUs: see NodesFor
	Nodes    []string `json:"nodes"`
	Software bool     `json:"software"` // it computes on the CPU, and needs no device
}

// Works reports whether the dynamic linker can load the driver with all that it needs, and whether the library is a
// driver. "good" in vkloader doctor --json is this result. Only [Probe] tells whether the driver finds a device.
func (f *DriverFiles) Works() bool {
	return f.Library != "" && len(f.Missing)+len(f.TooNew)+len(f.Unbound) == 0 && f.Misfit == ""
}

// Closure lists the files that a driver needs, by the rules of the dynamic linker (ld.so(8)) on the host. They are
// those for the program of the [Decide] that returned the driver; any other Driver counts as one for a 64-bit program
// without variables. Missing files are in the answer, and are no error. Closure opens libraries as files and loads
// none.
//
// A container needs these files, except those with [File].CLibrary, in directories that its dynamic linker searches.
// Closure examines the host only. "vkloader cdi verify --root" says whether a container's C library is new enough.
func Closure(ctx context.Context, host *Host, driver Driver) (*DriverFiles, error) {
	return closure(contextOr(ctx), host, &driver, drivers.DriverInterface)
}

func closure(ctx context.Context, host *Host, driver *Driver, is drivers.Interface) (*DriverFiles, error) {
	if driver.Library == "" {
		return nil, fmt.Errorf("%s names no library: %w", cmp.Or(driver.Manifest, "the manifest"), fs.ErrInvalid)
	}
	subject := decide.Program{}
	if driver.program != nil {
		subject = *driver.program
	}
	source, done, err := host.machine().Source(ctx, &subject)
	if err != nil {
		return nil, err
	}
	defer done()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	found := drivers.Judged(&source.Machine, loaders.Linker(source), driver.Library, is)
	return filesOf(driver, found), ctx.Err()
}

// filesOf converts the files of package drivers.
func filesOf(driver *Driver, found *drivers.Files) *DriverFiles {
	out := &DriverFiles{Manifest: driver.Manifest, Files: []File{}, Missing: []MissingFile{}, TooNew: []TooNew{},
		Symbols: []string{},
		Unbound: []string{}, Data: slices.Concat([]string{}, found.Data, found.Directories),
		Nodes:    append([]string{}, found.Nodes...),
		Software: found.Family != nil && found.Family.Software()}
	if why := found.Why("it"); why != "" {
		out.Missing = append(out.Missing,
			MissingFile{Name: driver.Library, By: driver.Manifest, Needed: AtLink, Why: why})
		return out
	}
	out.Library = found.File.Path
	switch {
	case found.IsLoader():
		out.Misfit = "it is a Vulkan loader"
	case !found.HasInterface():
		out.Misfit = "it lacks the functions that the loader calls"
	}
	out.Symbols, out.Unbound = append(out.Symbols, found.With.Symbols...), append(out.Unbound, found.With.Unbound()...)
	out.follow(found.With, AtLink)
	for _, opened := range slices.Concat(found.RunTime, found.Windows) {
		switch {
		case opened.Complete() || opened.Required && opened.Fault == drivers.None:
			out.follow(opened.With, AtRunTime)
			if opened.Required && opened.Unfound {
				out.Missing = append(out.Missing,
					MissingFile{Name: opened.Name, By: out.Library, Needed: AtRunTime, Why: opened.Why("it")})
			}
		case opened.Required:
			out.Missing = append(out.Missing,
				MissingFile{Name: opened.Name, By: out.Library, Needed: AtRunTime, Why: opened.Why("it")})
		}
	}
	for _, file := range found.Backends {
		out.Files = append(out.Files, File{Path: file, Real: file, Needed: AtRunTime})
	}
	return out
}

// LayerClosure is [Closure] for a layer. A meta-layer has no library: the error is io/fs.ErrInvalid.
func LayerClosure(ctx context.Context, host *Host, layer Layer) (*DriverFiles, error) {
	d := Driver{Manifest: layer.Manifest, Library: layer.Library, program: layer.program}
	return closure(contextOr(ctx), host, &d, drivers.LayerInterface(layer.functions[0], layer.functions[1]))
}

// follow adds a library and its dependencies. A library that is opened at run time and lacks a dependency is left out.
func (f *DriverFiles) follow(c *binary.Closure, how Needed) {
	for _, file := range c.Files {
		if how == AtRunTime && len(c.Missing)+len(c.Old) > 0 {
			break
		}
		if !slices.ContainsFunc(f.Files, func(known File) bool { return known.Real == file.Real }) {
			f.Files = append(f.Files, File{Path: file.Path, Real: file.Real, Soname: file.Soname, Needed: how,
				CLibrary: binary.OfCLibrary(cmp.Or(file.Soname, file.Path))})
		}
	}
	for i := range c.Missing {
		needed := drivers.Needed(&c.Missing[i])
		f.Missing = append(f.Missing,
			MissingFile{Name: needed.Name, By: c.Missing[i].By.Path, Needed: how, Why: needed.Why("it")})
	}
	for _, o := range c.Old {
		f.TooNew = append(f.TooNew, TooNew{File: o.By.Path, Wants: o.Version, Of: o.In.Path, Version: o.Newest})
	}
}
