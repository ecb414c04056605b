package process

import (
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide/machine"
)

// Process is a running program.
type Process struct {
	PID     int
	Name    string   // the kernel's name for it, at most 15 bytes
	Program string   // path of the executable as the process sees it, without " (deleted)"
	Command []string // its command line
	Started time.Time

	User     uint32 // the effective one
	Groups   []uint32
	Elevated bool // the kernel started it with more rights than its user (AT_SECURE)
	Class    int  // word size of the mapped loader, or else of the executable; 0: not known

	Machine machine.Machine // its root, and its environment at its start
	Mapped  []Mapping
	NoMaps  bool // the caller may not see the mapped files

	directory string
}

// Mapping is a file that is mapped into a process.
type Mapping struct {
	Path    string // as the process sees it
	Deleted bool   // the mapped file no longer has this name
	inode   uint64
}

// ErrHidden is the error of a process that the caller may not inspect.
var ErrHidden = errors.New("it belongs to another user: run as that user, or as root")

// Loaders returns the mapped files of the loader.
func (p *Process) Loaders() []Mapping {
	return slices.DeleteFunc(slices.Clone(p.Mapped), func(m Mapping) bool { return !isLoader(m.Path) })
}

// Version returns a loader's version from the name of its file; "": the name has none.
func (m *Mapping) Version() string {
	_, version, _ := strings.Cut(path.Base(m.Path), ".so.")
	if strings.Count(version, ".") < 2 {
		return ""
	}
	return version
}

// MemoryRegion is a process's share of one region of a device's memory, as the kernel's driver reports it in fdinfo
// (drm-usage-stats in the kernel's documentation).
type MemoryRegion struct {
	Device string `json:"device,omitempty"` // PCI address
	Driver string `json:"driver"`           // of the kernel
	Region string `json:"region"`           // in the driver's words: vram, gtt, system0, ...
	Bytes  uint64 `json:"bytes"`
}
