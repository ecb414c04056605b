package doctor

import (
	"cmp"
	"fmt"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
)

// Running are the programs that run and have a Vulkan loader, as ps says.
type Running struct {
	Schema    int              `json:"schema"`
	Processes []RunningProgram `json:"processes"`
	Hidden    int              `json:"hidden"` // processes that the caller may not inspect
}

// RunningProgram is a process that has a Vulkan loader mapped.
type RunningProgram struct {
	PID       int              `json:"pid"`
	Name      string           `json:"name"`
	Program   string           `json:"program"`
	Command   []string         `json:"command"`
	User      uint32           `json:"user"` // by number; on Windows the last part of the SID
	Class     int              `json:"class"`
	Elevated  bool             `json:"elevated"`
	Sandboxes []Sandbox        `json:"sandboxes"`
	Loaders   []RunningLoader  `json:"loaders"`
	Drivers   []process.Module `json:"drivers"`
	Layers    []process.Module `json:"layers"`
	Memory    []process.Memory `json:"memory"` // of devices; nothing where the kernel's driver does not tell
}

// RunningLoader is a loader's file that is mapped.
type RunningLoader struct {
	File    string         `json:"file"`
	Version string         `json:"version,omitempty"` // from the file's name, or from its package
	Release string         `json:"release,omitempty"` // of vkloader; "": another loader
	Package string         `json:"package,omitempty"` // that the file belongs to
	Change  process.Change `json:"change,omitempty"`  // what became of the file since it was mapped: gone, replaced or written
}

// Title names the loader.
func (l RunningLoader) Title() string {
	name := term.Or(l.Version, "unknown version")
	if l.Release != "" {
		return name + " of vkloader " + l.Release
	}
	if l.Package != "" {
		return name + " of " + l.Package
	}
	return name
}

// MiB is the device memory that the program holds; "" where the kernel does not tell.
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

// Sandboxes are those that a machine's programs run in.
func Sandboxes(source *machine.Source) []Sandbox {
	e := recordOf(&Report{Sandboxes: []Sandbox{}}, source)
	e.sandboxes()
	return e.Sandboxes
}

// Process enters what differs between what a process has loaded and what would be loaded now.
func (r *Report) Process(pid int, differences []process.Difference) {
	r.PID = pid
	for _, d := range differences {
		code := ProcessDiffers
		if d.Old {
			code = ProcessOldFile
		}
		var do advice
		if d.Own {
			do = ownOrAgain
		}
		f := r.found(code, d.Name, cmp.Or(d.File, d.Manifest), sentence(d.What), do)
		if d.Weak {
			f.soften(diag.Note)
		}
	}
	r.Order()
}
