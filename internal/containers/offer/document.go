package offer

import "vkloader/internal/decide/binary"

// Document describes the offered drivers to a client (the reply to machine_drivers).
type Document struct {
	Format  int      `json:"format"`
	Machine string   `json:"machine"`
	Drivers []Driver `json:"drivers"`
	Files   []File   `json:"files"`
}

// Driver is an offered driver. The drivers are in the order in which the machine's loader opens them.
type Driver struct {
	Name     string `json:"name"`     // the manifest's file name
	Path     string `json:"-"`        // of the manifest
	Manifest string `json:"manifest"` // its text
	Library  int    `json:"library"`  // index into the files
	// likewise, in the order in which a client opens them; Library is the last
	Files []int `json:"files"`
	// files of data that the driver reads, as they are named on the machine
	Data    []string `json:"data,omitempty"`
	Devices []string `json:"devices,omitempty"` // device nodes that it opens
	// for containers only: libraries that other libraries open for the driver's windows
	More []string `json:"-"`
	// likewise: libraries that others open in a subdirectory of the driver's
	Backends []string `json:"-"`

	Directories []string `json:"-"` // likewise: directories with data
}

// File is an offered library.
type File struct {
	Name     string          `json:"name"` // the name under which other libraries need it
	Soname   string          `json:"soname,omitempty"`
	Size     int64           `json:"size"`
	Needs    []string        `json:"needs"`
	Requires []SymbolVersion `json:"requires"`
	RunTime  bool            `json:"runtime,omitempty"` // no file needs it: a driver opens it at run time
}

// SymbolVersion is a symbol version that another library must define.
type SymbolVersion struct {
	Library string `json:"library"`
	Version string `json:"version"`
}

// LeftOut is a driver of the machine that is not offered.
type LeftOut struct {
	Name     string `json:"name"`
	Manifest string `json:"manifest"` // its path
	Why      string `json:"why"`
}

// fileOf describes a library under a name.
func fileOf(name string, library *binary.ELF) File {
	f := File{Name: name, Soname: library.Soname, Needs: append([]string{}, library.Needed...),
		Requires: []SymbolVersion{}}
	for _, r := range library.Requires {
		if !r.Weak {
			f.Requires = append(f.Requires, SymbolVersion{r.File, r.Version})
		}
	}
	return f
}
