package process

import (
	"errors"
	"os"
	"path"
	"strings"
	"syscall"

	"vkloader/internal/decide/binary"
)

// Kernel stands for the running kernel. macOS does not show an ordinary user the variables and libraries of another
// process.
type Kernel struct{}

// Here is the running kernel.
var Here Kernel

// ErrUnknown is the error of every question about a process.
var ErrUnknown = errors.New("not on macOS: it tells no program about the variables and libraries of another process")

// Exists reports whether a process runs.
func (Kernel) Exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// Look returns ErrUnknown.
func (Kernel) Look(int) (*Process, error) { return nil, ErrUnknown }

// List returns ErrUnknown.
func (Kernel) List() (found []*Process, hidden int, err error) { return nil, 0, ErrUnknown }

// Memory returns nothing.
func (*Process) Memory() []MemoryRegion { return nil }

// loaderName is the file that programs open as the loader.
const loaderName = "libvulkan.1.dylib"

// isLoader reports whether a file is a Vulkan loader's.
func isLoader(file string) bool { return strings.HasPrefix(path.Base(file), "libvulkan.") }

// isLibrary reports by its name whether a file is a library.
func isLibrary(file string) bool { return strings.HasSuffix(file, ".dylib") }

func symbolsOf(f *os.File) (*binary.MachO, error) { return binary.ReadMachO(f) }

// find returns the mapped file with the name of a manifest's library; nil: there is none.
func (p *Process) find(library string) *Mapping {
	for i, m := range p.Mapped {
		if library != "" && path.Base(m.Path) == path.Base(library) {
			return &p.Mapped[i]
		}
	}
	return nil
}
