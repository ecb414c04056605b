package run

import (
	"context"
	"slices"
	"time"

	"vkloader/internal/decide/spawn"
)

// Limits are the times after which a running program is ended. Zero: never.
type Limits struct {
	Hangs  time.Duration `option:"hangs-after" needs:"find-culprit" excludes:"fine-after"` // it counts as hung
	Enough time.Duration `option:"fine-after" needs:"find-culprit"`                        // it counts as working

	Untraced bool // run without a tracer, which some programs refuse
}

// End is the end of a traced program.
type End struct {
	Code        int        // the program's exit code; 0 if Killed is set
	Killed      string     // the signal or exception that ended the program; "": it exited
	Hung        bool       // ended at the limit, or at the user's request because it hangs
	Enough      bool       // ended because it ran long enough
	Interrupted bool       // the user of the tool ended it
	Fault       *CrashSite // the place of a crash or hang; nil if unknown
}

// Crashed reports whether the program or one of its processes was ended by its own signal or exception.
func (e *End) Crashed() bool {
	return !e.Hung && !e.Enough && !e.Interrupted && (e.Fault != nil || e.Killed != "" || crashCode(e.Code))
}

// CrashSite is the place of a crash or hang.
type CrashSite struct {
	Program string   // the process's executable
	Killed  string   // the signal or exception
	Null    bool     // the instruction is at a null pointer
	Mapped  bool     // the instruction is in a mapped file
	Loader  bool     // the process had a Vulkan loader
	Files   []string // the instruction's file, then the files on the stack, innermost first; each once
}

// add appends a file to the list unless the list contains it.
func (f *CrashSite) add(file string) {
	if !slices.Contains(f.Files, file) {
		f.Files = append(f.Files, file)
	}
}

// faults selects one of several faults: the first in a process with the loader, preferably in the program's first
// thread.
type faults struct {
	told *CrashSite
}

func (f *faults) take(fault *CrashSite, first bool) {
	if f.told == nil || fault.Loader && (!f.told.Loader || first) {
		f.told = fault
	}
}

// end returns the end of a program for a reason, or without one.
func (f *faults) end(why int32) *End {
	return &End{Hung: why == hangs, Enough: why == longEnough, Interrupted: why == unwanted, Fault: f.told}
}

// Reasons to end a program.
const (
	goesOn int32 = iota
	hangs
	longEnough
	unwanted
)

// lastWords is the longest wait for the end of standard error after the program's end. Processes that the program
// started may keep it open forever.
const lastWords = 500 * time.Millisecond

// patience waits for the end of a program.
type patience struct {
	Limits
	over <-chan struct{}   // closed when the program and its processes have ended
	left <-chan struct{}   // closed when the program has ended well; its processes may still run
	says <-chan int32      // the user's reason to end the program
	idle func() (yes bool) // reports whether no remaining process has a Vulkan loader
}

// maxIdle is the number of seconds for which the remaining processes may run without a Vulkan loader. After that they
// count as a background service, not as the launched program.
const maxIdle = 10

// wait waits until there is a reason to end the program, and returns it; goesOn: the program has ended by itself.
func (p patience) wait() int32 {
	var hang, enough <-chan time.Time
	if p.Hangs > 0 {
		hang = time.After(p.Hangs)
	}
	if p.Enough > 0 {
		enough = time.After(p.Enough)
	}
	left := p.left
	var look <-chan time.Time // every second after the program's own end
	for idle := 0; ; {
		select {
		case <-p.over:
			return goesOn
		case <-left:
			ticker := time.NewTicker(time.Second)
			defer ticker.Stop()
			look, left = ticker.C, nil
		case <-look:
			if idle++; !p.idle() {
				idle = 0
			}
			if idle >= maxIdle {
				return longEnough
			}
		case <-hang:
			return hangs
		case <-enough:
			return longEnough
		case why := <-p.says:
			return why
		}
	}
}

// Program is a program to run.
type Program struct {
	Path    string     // the executable's path
	Args    []string   // the first is the program's name
	Environ []string   // NAME=VALUE
	Opened  *LoaderUse // notes its loaders while Watch runs it; nil: none are noted
}

func (p *Program) child() *spawn.Child {
	c := spawn.New(context.Background(), spawn.Chosen, p.Path)
	c.Args, c.Env = p.Args, p.Environ
	return c
}

// LoaderUse records the loader files that a program and its children have mapped.
type LoaderUse struct {
	Own   string // the tool's own library
	Used  bool   // a process has mapped it
	Other string // another loader that a process has mapped; "": none

	next time.Time // of looking
}

// Warning returns the warning that a program has opened another loader, and "" if it has opened the tool's own or none.
func (o *LoaderUse) Warning(program string) string {
	if o == nil || o.Used || o.Other == "" {
		return ""
	}
	return program + " has opened " + o.Other + ", not " + o.Own
}
