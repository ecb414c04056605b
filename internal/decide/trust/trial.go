package trust

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
)

func init() { spawn.Trusted = child }

// child returns an error if another user can change a file that a child would load.
func child(c *spawn.Child) error {
	verb := "run"
	if c.Kind == spawn.Trial {
		verb = "tried"
	}
	err := check(c.Kind, cmp.Or(c.Linked, c.Path), c.Library, c.Env)
	if err == nil && c.Linked != "" {
		err = Path(c.Path)
	}
	return Refused(verb, err)
}

// check returns an *Error if this process is privileged and another user can change a file that a child with these
// variables loads: the child itself with its libraries, the files of the variables, and, unless it is a helper, the
// manifests and settings that its loader reads, and the drivers and layers that the loader selects, each with its
// libraries. A trial also opens the library, the loader; a name without a slash is found as the dynamic linker finds
// it. The tool's own code runs already.
func check(kind spawn.Kind, program, library string, environ []string) error {
	if kind == spawn.Tool || !Privileged() {
		return nil
	}
	c := newChecker(program, environ)
	c.variables()
	switch kind {
	case spawn.Helper: // it may find other programs in PATH
		list, _ := c.source.Lookup("PATH")
		for _, directory := range filepath.SplitList(list) {
			c.path(directory)
		}
	case spawn.Trial:
		c.library(library)
		c.decision()
	case spawn.Chosen:
		c.decision()
	}
	return c.err
}

// checker checks files, and keeps the first error.
type checker struct {
	source *machine.Source
	linker *binary.Linker
	err    error
}

// newChecker returns a checker for the files that a program on this machine loads. It has checked the program, its
// interpreter and its libraries.
func newChecker(program string, environ []string) *checker {
	if environ == nil {
		environ = []string{}
	}
	c := &checker{source: &machine.Source{Machine: machine.Machine{Environ: environ}, Program: program}}
	c.path(program)
	m := &c.source.Machine
	kind := binary.ProgramOf(m, program)
	c.source.Class = kind.Class
	if kind.Class == 0 {
		kind.Class = machine.OwnClass
	}
	c.linker = binary.NewLinker(m, binary.LinkerOptions{Class: kind.Class, Machine: binary.Processor(kind.Class),
		Program: program})
	for _, started := range c.linker.Started(program) {
		c.path(started)
	}
	if run := c.linker.Program(); run != nil {
		if run.Interp != "" {
			c.path(run.Interp)
		}
		for _, name := range run.Needed {
			if !binary.OfCLibrary(name) {
				c.library(name)
			}
		}
	}
	return c
}

// path checks one file or directory.
func (c *checker) path(name string) {
	if c.err == nil && name != "" {
		c.err = Path(name)
	}
}

// library checks a library, the libraries that it is linked with, and those that it opens.
func (c *checker) library(name string) {
	if c.err != nil {
		return
	}
	if strings.ContainsRune(name, filepath.Separator) {
		c.path(name)
	}
	m := &c.source.Machine
	f := drivers.FilesOf(m, c.linker, name)
	c.checkLibrary(&f.Library)
	for _, opened := range slices.Concat(f.RunTime, f.Windows) {
		c.checkLibrary(&opened.Library)
	}
	for _, name := range slices.Concat(f.Backends, f.Data, f.Directories) {
		c.path(name)
	}
}

// checkLibrary checks the file of a library, and those of the libraries that it needs.
func (c *checker) checkLibrary(l *drivers.Library) {
	if l.File != nil {
		c.path(l.File.Path)
	}
	if l.With == nil {
		return
	}
	for _, f := range l.With.Files {
		c.path(f.Path)
	}
}

// variables checks the files and directories that variables of the dynamic linker and of drivers name. An empty
// element of a search path is the working directory.
func (c *checker) variables() {
	for _, v := range spawn.PathVariables {
		value, set := c.source.Lookup(v.Name)
		if !set || value == "" {
			continue
		}
		for _, name := range v.Paths(value) {
			if v.Name == "LD_LIBRARY_PATH" || strings.ContainsRune(name, filepath.Separator) {
				c.checkVariablePath(v.Name, name)
			}
		}
		if v.Name == "LD_LIBRARY_PATH" && spawn.HasEmptyPart(value) {
			c.checkNamed(v.Name, ".")
		}
	}
}

// checkVariablePath checks a path from a variable. Of a path with $ORIGIN or $LIB it checks the directory before the
// first of these.
func (c *checker) checkVariablePath(variable, name string) {
	if at := strings.IndexByte(name, '$'); at >= 0 {
		name = filepath.Dir(name[:at] + "x")
	}
	c.checkNamed(variable, name)
}

// checkNamed is path for a path from a variable. If a directory cannot be read, the error names the variable.
func (c *checker) checkNamed(variable, name string) {
	if c.err != nil {
		return
	}
	if c.path(name); errors.Is(c.err, fs.ErrPermission) {
		c.err = fmt.Errorf("%s: this process cannot see who can change %s: %w; remove it from %s, or run this as a "+
			"user with permission to read it", variable, name, c.err, variable)
	}
}

// decision checks the files that the loader reads and selects.
func (c *checker) decision() {
	if c.err != nil {
		return
	}
	answer, err := explain.Decide(c.source, explain.WithApp(plan.App{API: 1 << 22}))
	if err != nil {
		c.err = err
		return
	}
	c.answer(answer)
}

// answer checks the files of one decision.
func (c *checker) answer(answer *plan.Answer) {
	if answer.Settings != nil {
		c.path(answer.Settings.File)
	}
	for _, kind := range []search.Kind{search.Drivers, search.ImplicitLayers, search.ExplicitLayers} {
		for _, location := range answer.Searched[kind].List {
			if _, variable := c.source.Lookup(location.From); variable {
				c.checkNamed(location.From, location.Path)
			}
			c.path(location.Path)
			if location.File || c.err != nil {
				continue
			}
			for _, name := range c.source.Directory(location.Path).Names { // also files that are not selected now
				c.path(filepath.Join(location.Path, name))
			}
		}
	}
	for _, d := range answer.Drivers {
		c.path(d.Path)
		c.library(d.Library)
	}
	for _, a := range answer.Active {
		if l := answer.Layers[a.Layer]; !l.Meta {
			c.path(l.Manifest)
			c.library(l.Library)
		}
	}
	for _, l := range answer.PreLayers {
		c.library(l.Library)
	}
}
