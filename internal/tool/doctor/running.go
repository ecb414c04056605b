package doctor

import (
	"cmp"
	"fmt"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
)

// Running lists the running programs with a Vulkan loader, for ps.
type Running struct {
	Schema    int              `json:"schema"`
	Processes []RunningProgram `json:"processes"`
	Hidden    int              `json:"hidden"` // processes that the caller may not inspect
}

// RunningProgram is a process with a Vulkan loader mapped.
type RunningProgram struct {
	PID       int                    `json:"pid"`
	Name      string                 `json:"name"`
	Program   string                 `json:"program"`
	Command   []string               `json:"command"`
	User      uint32                 `json:"user"` // the user's number; on Windows the last part of the SID
	Class     int                    `json:"class"`
	Elevated  bool                   `json:"elevated"`
	Sandboxes []Sandbox              `json:"sandboxes"`
	Loaders   []RunningLoader        `json:"loaders"`
	Drivers   []process.MappedModule `json:"drivers"`
	Layers    []process.MappedModule `json:"layers"`
	Memory    []process.MemoryRegion `json:"memory"`            // device memory; empty if the kernel driver does not report it
	Problem   string                 `json:"problem,omitempty"` // the bound that ended the search for drivers and layers; "": none
}

// RunningLoader is a mapped file of a loader.
type RunningLoader struct {
	File    string            `json:"file"`
	Version string            `json:"version,omitempty"` // from the file's name or its package
	Release string            `json:"release,omitempty"` // vkloader's release; "": another loader
	Package string            `json:"package,omitempty"` // the package that owns the file
	State   process.FileState `json:"change,omitempty"`  // the file's change since it was mapped: gone, replaced or written
}

// Title returns the loader's description.
func (l RunningLoader) Title() string {
	name := term.Or(l.Version, "unknown version")
	if l.Release != "" {
		return name + " of vkloader " + l.Release
	}
	return term.Either(l.Package != "", name+" of "+l.Package, name)
}

// MiB returns the program's device memory; "" if the kernel does not report it.
func (p *RunningProgram) MiB() string {
	if len(p.Memory) == 0 {
		return ""
	}
	var all uint64
	for _, m := range p.Memory {
		all += m.Bytes
	}
	return fmt.Sprintf("%.0f MiB", float64(all)/(1<<20))
}

// Sandboxes returns the sandboxes of a machine's programs.
func Sandboxes(source *machine.Source) []Sandbox {
	e := examOf(&Report{Sandboxes: []Sandbox{}}, source)
	e.sandboxes()
	return e.Sandboxes
}

// WithProcess returns the report with the differences between the files of a process and those that it would load now.
func (r *Report) WithProcess(pid int, differences []process.Difference) *Report {
	e := newEvidence(r)
	e.PID = pid
	for _, d := range differences {
		code := term.Either(d.Old, ProcessOldFile, ProcessDiffers)
		var do *Remedy
		if d.Own {
			do = newAdvice("Nothing, if the program brings the file with it, or sets a variable that names the file. Otherwise start the program again.")
		}
		e.add(code, d.Name, cmp.Or(d.File, d.Manifest), sentence(d.What), do, term.Either(d.Weak, nothing, usual))
	}
	return e.finish()
}
