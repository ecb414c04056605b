package discover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
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
	Soname string `json:"soname,omitempty"` // the name that other files need it by
	Needed Needed `json:"needed"`

	// CLibrary tells that it is a part of the C library, or the dynamic linker. A container or sandbox with its own must not
	// get that of the host: the parts fit only together.
	CLibrary bool `json:"c_library,omitempty"`
}

// MissingFile is a library that is needed and cannot be loaded.
type MissingFile struct {
	Name   string `json:"name"`
	By     string `json:"by"` // the file that needs it
	Needed Needed `json:"needed"`
	Why    string `json:"why"` // one English sentence
}

// TooNew is a library that was built for a newer version of another one, such as the C library.
type TooNew struct {
	File    string `json:"file"`             // that cannot be loaded
	Wants   string `json:"wants"`            // the version of symbols, as GLIBC_2.38
	Of      string `json:"of"`               // the library that lacks it
	Version string `json:"newest,omitempty"` // the newest that this one has; "": none of the kind
}

// DriverFiles are all files that a driver, or a layer, needs.
type DriverFiles struct {
	Manifest string        `json:"manifest"`
	Library  string        `json:"library"`  // the driver itself; "": it was not found
	Files    []File        `json:"files"`    // the driver first, then in the order of loading, then those of run time
	Missing  []MissingFile `json:"missing"`  // without these it does not work
	TooNew   []TooNew      `json:"too_new"`  // likewise
	Symbols  []string      `json:"symbols"`  // that it wants and no library defines; looked for when nothing else is wrong
	Data     []string      `json:"data"`     // files of data that it reads, and that are there
	Nodes    []string      `json:"nodes"`    // device nodes that it opens besides those of the direct rendering manager, and that are there
	Software bool          `json:"software"` // it computes on the processor, and needs no device
}

// Works tells whether the dynamic linker can load the driver with all that it needs. Whether the driver then finds a
// device, only [Probe] tells.
func (f *DriverFiles) Works() bool {
	return f.Library != "" && len(f.Missing) == 0 && len(f.TooNew) == 0
}

// Closure lists the files that a driver needs, by the rules of the dynamic linker (ld.so(8)) on the host, for the program
// that the driver was decided for; a Driver that does not come from [Decide] is for a 64-bit program without variables.
// Files that are missing are in the answer, and no error. It opens libraries as files and loads none. For a container, see
// [File].CLibrary.
func Closure(ctx context.Context, host *Host, driver Driver) (*DriverFiles, error) {
	if driver.Library == "" {
		return nil, fmt.Errorf("%s names no library: %w", driver.Manifest, fs.ErrInvalid)
	}
	source, done, err := host.source(&driver.program)
	if err != nil {
		return nil, err
	}
	defer done()
	class := source.Class
	if class == 0 {
		class = machine.OwnClass
	}
	m := &source.Machine
	linker := binary.NewLinker(m, binary.LinkerOptions{Class: class, Machine: processor(class), Elevated: source.Elevated, Program: source.Program})
	out := &DriverFiles{Manifest: driver.Manifest, Files: []File{}, Missing: []MissingFile{}, TooNew: []TooNew{}, Symbols: []string{},
		Data: []string{}, Nodes: []string{}}
	family := drivers.Of(driver.Library)
	if family != nil {
		out.Software = family.Software()
		out.Data = append(out.Data, drivers.Matches(family.Data, m.ReadDir)...)
		out.Nodes = append(out.Nodes, drivers.Matches(family.Opened(), m.ReadDir)...)
	}
	found := linker.Find(driver.Library)
	if why := unusable(found, class); why != "" {
		out.Missing = append(out.Missing, MissingFile{Name: driver.Library, By: driver.Manifest, Needed: AtLink, Why: why})
		return out, ctx.Err()
	}
	out.Library = found.File.Path
	out.follow(linker.Close(found.File), AtLink)
	if family == nil {
		return out, ctx.Err()
	}
	version := drivers.Version(found.File.Real)
	required := family.Names(version, binary.CompareVersions, true)
	for _, name := range family.Names(version, binary.CompareVersions, false) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		opened := linker.Find(name, found.File)
		switch why := unusable(opened, class); {
		case why == "":
			out.follow(linker.Follow(opened.File), AtRunTime)
		case slices.Contains(required, name):
			out.Missing = append(out.Missing, MissingFile{Name: name, By: out.Library, Needed: AtRunTime, Why: why})
		}
	}
	return out, ctx.Err()
}

// LayerClosure is [Closure] for a layer that is used. A meta-layer has no library: the error is io/fs.ErrInvalid.
func LayerClosure(ctx context.Context, host *Host, layer Layer) (*DriverFiles, error) {
	d := Driver{Manifest: layer.Manifest, Library: layer.Library}
	if layer.program != nil {
		d.program = *layer.program
	}
	return Closure(ctx, host, d)
}

// follow enters a library with what it needs. What a driver may do without is left out where it lacks something itself.
func (f *DriverFiles) follow(c *binary.Closure, how Needed) {
	if how == AtRunTime && len(c.Missing)+len(c.Old) > 0 {
		return
	}
	for _, file := range c.Files {
		known := false
		for i := range f.Files {
			known = known || f.Files[i].Real == file.Real
		}
		if !known {
			f.Files = append(f.Files, File{Path: file.Path, Real: file.Real, Soname: file.Soname, Needed: how,
				CLibrary: binary.OfCLibrary(term.Or(file.Soname, file.Path))})
		}
	}
	for _, m := range c.Missing {
		f.Missing = append(f.Missing, MissingFile{Name: m.Name, By: m.By.Path, Needed: how, Why: unusableNeed(&m)})
	}
	for _, o := range c.Old {
		f.TooNew = append(f.TooNew, TooNew{File: o.By.Path, Wants: o.Version, Of: o.In.Path, Version: o.Newest})
	}
	f.Symbols = append(f.Symbols, c.Symbols...)
}

// complete tells whether a library can be loaded with all that it needs.
func complete(linker *binary.Linker, name string) bool {
	found := linker.Find(name)
	if found.File == nil || found.File.Err() != nil {
		return false
	}
	c := linker.Follow(found.File)
	return len(c.Missing)+len(c.Old) == 0
}

// unusable is why a library cannot be used; "": it can.
func unusable(r binary.Result, class int) string {
	switch {
	case r.File == nil && len(r.Others) > 0:
		return "it is there for other programs only: " + r.Others[0]
	case r.File == nil:
		return "it is in no directory of the dynamic linker"
	case r.File.Err() != nil:
		return r.File.Path + " cannot be read: " + cause(r.File.Err())
	case r.File.Class != class || r.File.Machine != processor(class):
		return r.File.Path + " is for other programs"
	}
	return ""
}

func unusableNeed(m *binary.Missing) string {
	switch {
	case m.Err != nil:
		return m.Result.File.Path + " cannot be read: " + cause(m.Err)
	case len(m.Result.Others) > 0:
		return "it is there for other programs only: " + m.Result.Others[0]
	}
	return "it is in no directory of the dynamic linker"
}

// cause leaves out the operation and the path of an error of the system.
func cause(err error) string {
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		err = wrong.Err
	}
	return err.Error()
}

// processor is that of programs of a word size on machines such as this one.
func processor(class int) binary.Machine {
	switch {
	case class == 32:
		return binary.I386
	case runtime.GOARCH == "arm64":
		return binary.ARM64
	}
	return binary.X8664
}
