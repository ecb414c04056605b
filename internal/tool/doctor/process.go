package doctor

import (
	"cmp"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
)

// Sandboxes are those that a machine's programs run in.
func Sandboxes(source *machine.Source) []Sandbox {
	e := &exam{Report: &Report{Sandboxes: []Sandbox{}}, machine: &source.Machine, source: source}
	e.sandboxes()
	return e.Report.Sandboxes
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
