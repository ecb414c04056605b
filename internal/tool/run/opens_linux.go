package run

import (
	"fmt"
	"os"
	"time"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
)

// OtherLoader returns a warning if the dynamic linker finds another loader file for the program than the tool's own
// library, as by DT_RPATH or LD_PRELOAD; "": it does not. Only a run shows a file that the program opens by its path.
func OtherLoader(source *machine.Source, own string) string {
	l := loaders.For(source, loaders.Linker(source), nil)
	if l == nil || sameFile(l.File, own) {
		return ""
	}
	return fmt.Sprintf("%s gets %s, not %s%s", source.Program, l.File, own, term.Enclosed(": ", l.Why(), ""))
}

// look reads the mapped files of a process and of its children. It takes at most a tenth of the time between two calls.
func (o *LoaderUse) look(pid int) {
	if o == nil || o.Used || o.Other != "" || time.Now().Before(o.next) {
		return
	}
	began := time.Now()
	for _, pid := range process.Here.Family(pid) {
		for _, m := range process.Here.LoadersOf(pid) {
			if sameFile(fmt.Sprintf("/proc/%d/root%s", pid, m.Path), o.Own) {
				o.Used = true
			} else {
				o.Other = m.Path
			}
		}
	}
	now := time.Now()
	o.next = now.Add(9 * now.Sub(began))
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
