package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
	"vkloader/internal/decide/wording"
)

// Kernel stands for the running system.
type Kernel struct{}

// Here is the running kernel.
var Here Kernel

// Exists reports whether a process runs.
func (Kernel) Exists(pid int) bool {
	_, err := windows.ProcessOf(uint32(pid))
	return err == nil
}

// Look returns one process, with its present variables.
func (Kernel) Look(pid int) (*Process, error) {
	p, err := windows.ProcessOf(uint32(pid))
	if errors.Is(err, syswindows.ERROR_INVALID_PARAMETER) {
		return nil, fmt.Errorf("process %d does not exist", pid)
	}
	var environ []string
	if err == nil {
		environ, err = windows.EnvironmentOf(p.PID)
	}
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	return newProcess(p, environ), nil
}

// List returns every process that has loaded a Vulkan loader. A process whose variables cannot be read gets those of
// this process. hidden is the number of processes that the caller may not inspect.
func (Kernel) List() (found []*Process, hidden int, err error) {
	all, hidden, err := windows.Processes()
	for i := range all {
		p := newProcess(&all[i], nil)
		if len(p.Loaders()) == 0 {
			continue
		}
		if p.Machine.Environ, err = windows.EnvironmentOf(all[i].PID); err != nil {
			p.Machine.Environ, err = os.Environ(), nil
		}
		found = append(found, p)
	}
	return found, hidden, err
}

// newProcess returns a process from the system's description.
func newProcess(p *windows.Process, environ []string) *Process {
	return &Process{PID: int(p.PID), Name: p.Name, Program: p.Program, User: p.User,
		Elevated: p.Rights.Level >= facts.HighIntegrity, Class: p.Class, Machine: machine.Machine{Environ: environ},
		Mapped: wording.Words(p.Modules, func(file string) Mapping { return Mapping{Path: file} })}
}

// Memory returns nothing.
func (*Process) Memory() []MemoryRegion { return nil }

// loaderName is the file of the loader.
const loaderName = "vulkan-1.dll"

func isLoader(file string) bool { return strings.EqualFold(filepath.Base(file), loaderName) }

// isLibrary returns true: programs load libraries of any name.
func isLibrary(string) bool { return true }

func symbolsOf(f *os.File) (*binary.PE, error) { return binary.ReadPE(f) }

// find returns the mapped file with the name of a manifest's library; nil: there is none.
func (p *Process) find(library string) *Mapping {
	for i, m := range p.Mapped {
		if library != "" && strings.EqualFold(filepath.Base(m.Path), filepath.Base(library)) {
			return &p.Mapped[i]
		}
	}
	return nil
}
