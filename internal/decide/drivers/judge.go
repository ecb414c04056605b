package drivers

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
)

// Interface reports, by the functions of a library, whether it is of the manifest's kind.
type Interface func(has func(function string) bool) bool

// DriverInterface reports whether a library has the functions of a driver (DRV-059).
func DriverInterface(has func(function string) bool) bool {
	return has("vk_icdGetInstanceProcAddr") || has("vkGetInstanceProcAddr") &&
		has("vkCreateInstance") && has("vkEnumerateInstanceExtensionProperties")
}

// LayerInterface returns the interface of a layer with these names of its functions; "": the usual name (LAY-293).
func LayerInterface(negotiate, getInstance string) Interface {
	return func(has func(function string) bool) bool {
		return has(cmp.Or(negotiate, "vkNegotiateLoaderLayerInterfaceVersion")) ||
			has(cmp.Or(getInstance, "vkGetInstanceProcAddr"))
	}
}

// Judged is FilesOf with the symbols read, for Files.Works and Files.HasInterface.
func Judged(m *machine.Machine, linker *binary.Linker, library string, is Interface) *Files {
	f := FilesOf(m, linker, library)
	if f.Fault != None {
		return f
	}
	f.judged = true
	linker.Bind(f.With)
	f.isInterface = len(f.With.Missing) > 0 || f.Has(is)
	return f
}

// Has reports whether a library without a fault, or a dependency of it, has the functions of an interface. dlsym looks
// in both: NVIDIA's layers have their functions in a dependency.
func (l *Library) Has(is Interface) bool {
	return is(func(name string) bool {
		return slices.ContainsFunc(l.With.Files, func(file *binary.File) bool { return file.Symbols().Exports(name) })
	})
}

// IsLoader reports whether the library is a Vulkan loader, which can be neither driver nor layer.
func (f *Files) IsLoader() bool { return f.Fault == None && binary.IsLoader(f.File.Soname) }

// HasInterface reports whether a judged library has the functions of a driver or a layer. A missing dependency may
// contain them, too.
func (f *Files) HasInterface() bool { return f.isInterface && !f.IsLoader() }

// Works reports whether the dynamic linker can load a judged library with all that it needs at load and at run time,
// and whether the library is a driver or a layer. Whether a driver then finds a device, only the driver can tell.
func (f *Files) Works() bool {
	return f.judged && f.Complete() && f.HasInterface() && len(f.With.Unbound()) == 0 && !slices.ContainsFunc(f.RunTime,
		func(o RuntimeLibrary) bool { return o.Required && (o.Unfound || !o.Complete()) })
}

// Fault is the reason why a library cannot be used.
type Fault uint8

// The faults.
const (
	None       Fault = iota
	Absent           // it is in no directory that the dynamic linker searches
	ForOthers        // every library of this name is for another word size or processor
	Unreadable       // its file is damaged, or may not be read
	Foreign          // the file that a path names is for another word size or processor
)

// Why describes the fault in a sentence about a subject, such as "it" or the library's path; "": there is no fault.
func (l *Library) Why(subject string) string {
	switch l.Fault {
	case Absent:
		if strings.Contains(l.Name, "/") {
			return subject + " is missing"
		}
		return subject + " is in no directory that the dynamic linker searches"
	case ForOthers:
		return subject + " is there only for other programs: " + l.Others[0]
	case Unreadable:
		if errors.Is(l.File.Err(), fs.ErrNotExist) {
			return subject + " is missing"
		}
		return subject + " cannot be read: " + Cause(l.File.Err()).Error()
	case Foreign:
		return subject + " is for " + strconv.Itoa(l.File.Class) + "-bit " + l.File.MachineName() + " programs"
	}
	return ""
}

// Needed returns a missing dependency as a Library with its fault.
func Needed(m *binary.Missing) Library {
	return Library{Name: m.Name, LibrarySearch: m.Result, Fault: faultOf(&m.Result)}
}

// faultOf returns why the dynamic linker's result cannot be used, by the file alone.
func faultOf(r *binary.LibrarySearch) Fault {
	switch {
	case r.File == nil && len(r.Others) > 0:
		return ForOthers
	case r.File == nil:
		return Absent
	case r.File.Err() != nil:
		return Unreadable
	}
	return None
}

// PathOf returns the path of a library that does not exist, with the directory that $LIB stands for.
func PathOf(library string, r *binary.LibrarySearch) string {
	if len(r.Directories) == 0 {
		return library
	}
	return r.Directories[0] + "/" + path.Base(library)
}

// Cause returns a system error without its operation and path.
func Cause(err error) error {
	for wrong := (*fs.PathError)(nil); errors.As(err, &wrong); {
		err = wrong.Err
	}
	return err
}
