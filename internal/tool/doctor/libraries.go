package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/cure"
	"vkloader/internal/tool/driverfiles"
	"vkloader/internal/tool/elf/linker"
	"vkloader/internal/tool/term"
)

// libraries examines the library of every driver that is used and of every layer that is listed.
func (e *exam) libraries() {
	for _, d := range e.plan.Drivers {
		m := Module{Name: search.BaseName(d.Path), Manifest: d.Path, Library: d.Library, Used: true}
		if len(d.Files) > 0 { // of the service: its library is nowhere here, and is opened by a descriptor
			m.Good = true
			e.Drivers = append(e.Drivers, m)
			continue
		}
		f := e.module(&m, func(has func(string) bool) bool {
			return has("vk_icdGetInstanceProcAddr") || has("vkGetInstanceProcAddr") &&
				has("vkCreateInstance") && has("vkEnumerateInstanceExtensionProperties")
		}, DriverInterface)
		e.sameDriver(&m, f)
		e.Drivers = append(e.Drivers, m)
	}
	e.foreignDrivers()
	active := map[*manifest.Layer]bool{}
	for _, a := range e.plan.Active {
		active[e.plan.Layers[a.Layer]] = true
	}
	for _, l := range e.plan.Layers {
		if l.Meta {
			continue
		}
		m := Module{Name: l.Name, Manifest: l.Manifest, Library: l.Library, Used: active[l]}
		e.module(&m, func(has func(string) bool) bool {
			return has(or(l.Negotiate, "vkNegotiateLoaderLayerInterfaceVersion")) || has(or(l.GetInstance, "vkGetInstanceProcAddr"))
		}, LayerInterface)
		for _, name := range []string{l.DisableName, l.EnableName} {
			if l.Implicit && name != "" && !term.IsName(name) {
				f := e.found(LayerVariable, l.Name, l.Manifest, fmt.Sprintf("%q is no name of a variable", name), "")
				f.Line, f.Column = l.Line, l.Column
			}
		}
		e.Layers = append(e.Layers, m)
	}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// module examines one library; nil when it cannot be loaded.
func (e *exam) module(m *Module, fits func(has func(string) bool) bool, misfit Code) *linker.File {
	before := len(e.Findings)
	defer func() {
		m.Good = !slices.ContainsFunc(e.Findings[before:], func(f Finding) bool {
			return f.Severity == diag.Problem.String()
		})
		if !m.Used {
			for i := range e.Findings[before:] {
				e.Findings[before+i].soften(diag.Warning)
			}
		}
	}()
	r := e.linker.Find(m.Library)
	if r.File == nil {
		e.missing(m, r)
		return nil
	}
	m.File = r.File.Real
	if err := r.File.Err(); err != nil {
		what := fmt.Sprintf("%s: %v", r.File.Path, unwrap(err))
		do := ""
		if errors.Is(err, fs.ErrPermission) {
			do = "Run as root: chmod a+rX " + term.Quoted(r.File.Real)
		}
		e.found(LibraryUnreadable, m.Name, m.Manifest, what, do)
		return nil
	}
	m.Class, m.Machine = r.File.Class, r.File.MachineName()
	if r.File.Class != e.class || r.File.Machine != e.processor() {
		e.found(LibraryForeign, m.Name, m.Manifest, fmt.Sprintf(
			"%s is a library for %d-bit programs on %s, and this is for %s",
			r.File.Path, m.Class, m.Machine, e.processName()), e.other(m))
		return nil
	}
	c := e.linker.Close(r.File)
	// dlsym looks in the library and then in those that it needs: NVIDIA's layers have their functions there.
	if !fits(func(name string) bool {
		return slices.ContainsFunc(c.Files, func(f *linker.File) bool { return f.Symbols().Exports(name) })
	}) && len(c.Missing) == 0 {
		e.found(misfit, m.Name, m.Manifest, r.File.Path+" exports none of the functions that the loader looks for", "")
	}
	e.closure(m, r.File, c)
	e.atRunTime(m, r.File)
	return r.File
}

// missing says that a manifest's library is nowhere, and where it was looked for.
func (e *exam) missing(m *Module, r linker.Result) {
	if strings.Contains(m.Library, "/") {
		what := m.Library + " does not exist"
		if target, err := e.machine.Readlink(m.Library); err == nil {
			what = fmt.Sprintf("%s is a link to %s, which does not exist", m.Library, target)
		}
		e.found(LibraryMissing, m.Name, m.Manifest, what, e.system.forFile(m.Library, m.Manifest))
		return
	}
	if len(r.Others) > 0 {
		f := e.linker.Open(r.Others[0])
		e.found(LibraryForeign, m.Name, m.Manifest, fmt.Sprintf(
			"the only %s is %s, for %d-bit programs on %s; this is for %s",
			m.Library, r.Others[0], f.Class, f.MachineName(), e.processName()), e.system.forLibrary(m.Library))
		return
	}
	what := fmt.Sprintf("%s is in no directory of the dynamic linker", m.Library)
	e.pathTo(e.found(LibraryMissing, m.Name, m.Manifest, what+e.uncached(m.Library), e.cure(m.Library)), m.Library)
}

// besides are directories that are not the dynamic linker's, where container tools put drivers.
var besides = []string{"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib", "/run/opengl-driver/lib"}

// pathTo offers to put such a directory into LD_LIBRARY_PATH, when the library is there.
func (e *exam) pathTo(f *Finding, name string) {
	for _, directory := range besides {
		if e.fits(directory + "/" + name) {
			f.What += "; " + directory + "/" + name + " is there"
			f.offer("", e.libraryPath(directory))
		}
	}
}

// uncached says where a library lies that the dynamic linker would find after ldconfig.
func (e *exam) uncached(name string) string {
	if at := e.configured(name); at != "" {
		return ", though " + at + " is there"
	}
	return ""
}

// cure is the line that makes a library findable.
func (e *exam) cure(name string) string {
	if e.configured(name) != "" {
		if kind := e.containerKind(); kind != "" {
			return "In the image of " + sandboxWords[kind] + ": RUN ldconfig"
		}
		return "Run as root: ldconfig"
	}
	return e.system.forLibrary(name)
}

// fits tells whether a file is a library for the programs that are examined: what is for others does not help.
func (e *exam) fits(file string) bool {
	f := e.linker.Open(file)
	return f.Err() == nil && f.Class == e.class && f.Machine == e.processor()
}

// configured looks for a library in the directories that ldconfig(8) is told of.
func (e *exam) configured(name string) string {
	files := []string{"/etc/ld.so.conf"}
	if entries, err := e.machine.ReadDir("/etc/ld.so.conf.d"); err == nil {
		for _, entry := range entries {
			files = append(files, "/etc/ld.so.conf.d/"+entry.Name())
		}
	}
	for _, file := range files {
		data, err := e.machine.ReadFile(file)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(data), "\n") {
			directory := strings.TrimSpace(line)
			if path.IsAbs(directory) && e.fits(directory+"/"+name) {
				return directory + "/" + name
			}
		}
	}
	return ""
}

// closure examines everything that a library needs.
func (e *exam) closure(m *Module, f *linker.File, c *linker.Closure) {
	m.Needs = len(c.Files) - 1
	through := func(by *linker.File) string {
		if by == f {
			return f.Path
		}
		return by.Path + ", which " + f.Path + " needs,"
	}
	for _, missing := range c.Missing {
		switch {
		case missing.Err != nil:
			e.found(LibraryNeeds, m.Name, m.Manifest, fmt.Sprintf("%s needs %s, and %s cannot be read: %v", through(missing.By),
				missing.Name, missing.Result.File.Path, unwrap(missing.Err)), e.cure(missing.Name))
		case len(missing.Result.Others) > 0:
			e.found(LibraryNeeds, m.Name, m.Manifest, fmt.Sprintf("%s needs %s, and there is only %s, for other programs",
				through(missing.By), missing.Name, missing.Result.Others[0]), e.cure(missing.Name))
		default:
			e.pathTo(e.found(LibraryNeeds, m.Name, m.Manifest, fmt.Sprintf(
				"%s needs %s, which is in no directory of the dynamic linker%s", through(missing.By), missing.Name,
				e.uncached(missing.Name)), e.cure(missing.Name)), missing.Name)
		}
	}
	type pair struct{ by, in *linker.File }
	worst := map[pair]linker.Old{} // one finding for each pair: of the newest version
	var pairs []pair
	for _, old := range c.Old {
		p := pair{old.By, old.In}
		if have, ok := worst[p]; !ok {
			pairs = append(pairs, p)
			worst[p] = old
		} else if linker.CompareVersions(old.Version, have.Version) > 0 {
			worst[p] = old
		}
	}
	for _, p := range pairs {
		old := worst[p]
		has := "which has no such versions"
		if old.Newest != "" {
			has = "which has versions up to " + old.Newest
		}
		e.found(LibraryVersion, m.Name, m.Manifest, fmt.Sprintf("%s wants version %s of %s, %s", through(old.By), old.Version,
			old.In.Path, has), e.older(old))
	}
	if len(c.Symbols) > 0 {
		what := fmt.Sprintf("%s uses %s, which nothing that comes with it defines", f.Path, c.Symbols[0])
		if more := len(c.Symbols) - 1; more > 0 {
			what = fmt.Sprintf("%s uses %s and %d more, which nothing that comes with it defines", f.Path,
				c.Symbols[0], more)
		}
		found := e.found(LibrarySymbol, m.Name, m.Manifest, what, "")
		if f.BindNow {
			found.Severity = diag.Problem.String()
		}
	}
}

// atRunTime looks for the files that a driver opens when it runs.
func (e *exam) atRunTime(m *Module, file *linker.File) {
	family := driverfiles.Of(m.Library)
	if family == nil {
		return
	}
	var missing *Finding
	for _, name := range family.Names(driverfiles.Version(file.Real), linker.CompareVersions, true) {
		r := e.linker.Find(name, file)
		switch {
		case r.File == nil && missing != nil:
			missing.What += "; so is " + name
		case r.File == nil:
			missing = e.found(LibraryRuntime, m.Name, m.Manifest, file.Path+" opens "+name+
				", which is in no directory of the dynamic linker"+e.uncached(name), e.cure(name))
			e.pathTo(missing, name)
		case r.File.Err() != nil:
			e.found(LibraryRuntime, m.Name, m.Manifest, fmt.Sprintf("%s opens %s, and %s cannot be read: %v", file.Path, name,
				r.File.Path, unwrap(r.File.Err())), e.cure(name))
		}
	}
}

// older is what to do about a library that is too old.
func (e *exam) older(old linker.Old) string {
	if strings.HasPrefix(old.Version, "GLIBC_") {
		return fmt.Sprintf("Use a system or image with glibc %s or newer, or a driver built for this one.",
			strings.TrimPrefix(old.Version, "GLIBC_"))
	}
	return fmt.Sprintf("Update %s, or install a driver that was built for it.", old.In.Path)
}

// sameDriver says when two manifests lead to one driver.
func (e *exam) sameDriver(m *Module, f *linker.File) {
	if f == nil {
		return
	}
	for _, other := range e.Drivers {
		if other.File == f.Real && other.Used {
			what := fmt.Sprintf("%s is named by %s as well", f.Path, other.Manifest)
			if other.Manifest == m.Manifest {
				what = "the manifest is found twice"
			}
			found := e.found(LibraryTwice, m.Name, m.Manifest, what, "See which variables name them: vkloader env")
			for _, v := range []variables.ID{variables.AddDriverFiles, variables.DriverFiles, variables.ICDFilenames} {
				if e.source.Var(v.Name(), v.Secure()).Set {
					found.offer("", cure.Drop(e.source, v, ":", func(n string) bool {
						return path.Clean(n) == path.Clean(m.Manifest) || path.Clean(n) == path.Dir(path.Clean(m.Manifest))
					})...)
					e.unsetting(found, v.Name())
				}
			}
			found.offer("", cure.Add(e.source, variables.DriversDisable, m.Name)...)
			for _, one := range []string{m.Manifest, other.Manifest} {
				if owner := e.packageOf(one); owner == "" && other.Manifest != m.Manifest {
					found.offer("", cure.Remove(path.Clean(one)))
				}
			}
			return
		}
	}
}

// foreignDrivers makes the findings about libraries for other programs notes, where the driver is there for these
// programs as well: 32-bit drivers beside 64-bit ones are how distributions do it.
func (e *exam) foreignDrivers() {
	stem := func(m *Module) string {
		name, _, _ := strings.Cut(search.BaseName(m.Library), ".so")
		return name
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.Code != LibraryForeign.String() {
			continue
		}
		mine := slices.IndexFunc(e.Drivers, func(m Module) bool { return m.Manifest == f.Path })
		if mine >= 0 && slices.ContainsFunc(e.Drivers, func(m Module) bool {
			return m.Good && stem(&m) == stem(&e.Drivers[mine])
		}) {
			f.soften(diag.Note)
			f.Do = "Nothing: the same driver is there for these programs. library_arch in the manifest would say so to the " +
				"loader."
		}
	}
}

// unwrap leaves out the operation and the path of an error of the system.
func unwrap(err error) error {
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		return wrong.Err
	}
	return err
}
