package drivers

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
)

// RunTime is a library that a driver opens when it runs.
type RunTime struct {
	Stem     string // its file name up to ".so"; the version after it is the driver's
	Name     string // the whole name, in place of a stem, of a library without the driver's version
	In       string // its directory, when the dynamic linker does not find it; "": none
	Required bool   // the driver does not work without it
	From     string // the first version of the driver that has it; "": all
	Before   string // the first version without it; "": none
}

// Headless describes the way in which a driver of NVIDIA's starts without a display: through the vendors' EGL.
type Headless struct {
	Unless    []string // variables: a display, or other places for the vendors' files
	Libraries []string // names
	Vendor    []string // possible paths of the file that names the driver's own EGL; one is enough; "*" for anything
	Says      string   // the content of such a file
}

// subsystem is the directory of libraries in the Windows Subsystem for Linux.
const subsystem = "/usr/lib/wsl/lib"

// drirc are the files from which Mesa's drivers read workarounds for programs.
const drirc = "/usr/share/drirc.d/*.conf"

// amdgpuNames is the file with the names of AMD's devices.
const amdgpuNames = "/usr/share/libdrm/amdgpu.ids"

// nvidiaVendor lists the paths at which the vendors' EGL searches a file that names NVIDIA's.
var nvidiaVendor = []string{"/usr/share/glvnd/egl_vendor.d/*_nvidia.json", "/etc/glvnd/egl_vendor.d/*_nvidia.json"}

// Matches lists the files, not directories, of a machine that match patterns with a "*" in the last element.
func Matches(m *machine.Machine, patterns []string) []string {
	var found []string
	for _, pattern := range patterns {
		directory, last := path.Split(pattern)
		entries, err := m.ReadDir(strings.TrimSuffix(directory, "/"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if ok, err := path.Match(last, e.Name()); ok && err == nil && !e.IsDir() {
				found = append(found, directory+e.Name())
			}
		}
	}
	return found
}

// Version returns the version in the name of a driver's library, such as libGLX_nvidia.so.550.54; "": the name has
// none.
func Version(file string) string {
	_, version, _ := strings.Cut(path.Base(file), ".so.")
	if !strings.Contains(version, ".") {
		return ""
	}
	return version
}

// VersionAmong returns a driver's version from the names of its other files, such as libnvidia-glcore.so.550.54; "": no
// name has one.
func (f *Family) VersionAmong(names []string) string {
	for _, name := range names {
		for _, r := range f.RunTime {
			if version := Version(name); version != "" && r.Stem != "" && strings.HasPrefix(name, r.Stem+".so.") {
				return version
			}
		}
	}
	return ""
}

// Names returns the file names of the libraries that a driver of a version opens at run time; without a version, only
// names that contain none.
func (f *Family) Names(version string, requiredOnly bool) []string {
	var names []string
	for _, r := range f.RunTime {
		if version == "" && r.Name == "" {
			continue
		}
		if r.From != "" && binary.CompareVersions(version, r.From) < 0 || r.Before != "" &&
			binary.CompareVersions(version, r.Before) >= 0 ||
			requiredOnly && !r.Required {
			continue
		}
		if r.Name != "" {
			names = append(names, r.Name)
		} else {
			names = append(names, r.Stem+".so."+version)
		}
	}
	return names
}

// Opens reports whether a driver opens a library of this name when it runs, or where there is no display.
func (f *Family) Opens(name string) bool {
	return slices.Contains(f.Headless.Libraries, name) || slices.ContainsFunc(f.RunTime, func(r RunTime) bool {
		return r.Name == name && name != "" || r.Stem != "" && strings.HasPrefix(name, r.Stem+".so.")
	})
}

// Free reports whether a driver works with any version of the kernel module. A driver that opens libraries of its own
// version needs the module of that version. An unknown driver counts as free.
func (f *Family) Free() bool {
	return f == nil || !slices.ContainsFunc(f.RunTime, func(r RunTime) bool { return r.Stem != "" })
}

// Elsewhere returns the path of a library that a driver opens where the dynamic linker does not search; "": none.
func (f *Family) Elsewhere(name string) string {
	for _, r := range f.RunTime {
		if r.Name == name && r.In != "" {
			return r.In + "/" + name
		}
	}
	return ""
}
