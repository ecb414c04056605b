package drivers

import (
	"path"
	"slices"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
)

// Library is the name of a library, and the dynamic linker's result for it.
type Library struct {
	Name string // as a manifest or a driver names it
	binary.LibrarySearch
	Fault Fault
	With  *binary.Closure // its dependencies; nil if there is a Fault
}

// RuntimeLibrary is a library that a driver opens at run time.
type RuntimeLibrary struct {
	Library
	Required bool // the driver does not work without it
	Unfound  bool // the dynamic linker does not find it by its name; it lies in the family's own directory
}

// Complete reports whether the dynamic linker finds everything that the library needs. It reads no symbols.
func (l *Library) Complete() bool {
	return l.Fault == None && len(l.With.Missing)+len(l.With.Old) == 0
}

// Files lists the files of a driver or a layer.
type Files struct {
	Library
	Family      *Family          // nil: not known
	RunTime     []RuntimeLibrary // in the order of the family's table; also those that are absent
	Windows     []RuntimeLibrary // the same, for programs with windows
	Backends    []string         // libraries that other libraries open in a directory below the driver's
	Data        []string         // files of data that it reads, and that are there
	Directories []string         // directories of data that are there: everything in them belongs to the driver
	Nodes       []string         // existing device nodes that it opens besides those of the direct rendering manager

	judged      bool
	isInterface bool
}

// FilesOf lists the files of the driver or layer with a library, by the rules of a linker. It reads no symbols.
func FilesOf(m *machine.Machine, linker *binary.Linker, library string) *Files {
	f := &Files{Library: FindLibrary(linker, library), Family: Of(library)}
	if f.Family == nil {
		return f
	}
	f.Data = Matches(m, f.Family.Data)
	f.Nodes = Matches(m, f.Family.Opened())
	for _, directory := range f.Family.Whole {
		if info, err := m.Stat(directory); err == nil && info.IsDir() {
			f.Directories = append(f.Directories, directory)
		}
	}
	if f.Fault != None {
		return f
	}
	version := Version(f.File.Real)
	required := f.Family.Names(version, true)
	for _, name := range f.Family.Names(version, false) {
		opened := RuntimeLibrary{Library: FindLibrary(linker, name, f.File), Required: slices.Contains(required, name)}
		if place := f.Family.Elsewhere(name); opened.File == nil && place != "" {
			if there := FindLibrary(linker, place); there.File != nil {
				directories := opened.Directories
				opened.Library, opened.Unfound = there, true
				opened.Name, opened.Directories = name, directories
			}
		}
		f.RunTime = append(f.RunTime, opened)
	}
	for _, name := range f.Family.Platform {
		f.Windows = append(f.Windows, RuntimeLibrary{Library: FindLibrary(linker, name, f.File)})
	}
	for _, name := range f.Family.Backends {
		if file := path.Dir(f.File.Path) + "/" + name; m.Exists(file) {
			f.Backends = append(f.Backends, file)
		}
	}
	return f
}

// FindLibrary finds a library of other libraries, and its dependencies. It reads no symbols.
func FindLibrary(linker *binary.Linker, name string, by ...*binary.File) Library {
	l := Library{Name: name, LibrarySearch: linker.Find(name, by...)}
	if l.Fault = faultOf(&l.LibrarySearch); l.Fault == None && !linker.Fits(l.File) {
		l.Fault = Foreign
	}
	if l.Fault == None {
		l.With = linker.Follow(l.File)
	}
	return l
}
