package launch

import (
	"slices"
	"time"
)

// Limits say when a program that still runs is ended. Zero: never.
type Limits struct {
	Hangs  time.Duration // then it hangs
	Enough time.Duration // then all is well

	Untraced bool // the program is not looked into: some refuse to run under a tracer
}

// End is how a traced program ended.
type End struct {
	Code        int    // exit code of the program itself; 0 where Killed says more
	Killed      string // the signal or the exception that ended the program itself; "": it ended by itself
	Hung        bool   // it was ended at its limit, or because the user said that it hangs
	Enough      bool   // it was ended because it had run for long enough
	Interrupted bool   // who runs the tool has had enough
	Fault       *Fault // where a process of it crashed or hung; nil when nothing is known
}

// Crashed tells whether the program, or a process that it started, was ended by a signal or an exception of its own making.
func (e *End) Crashed() bool {
	return !e.Hung && !e.Enough && !e.Interrupted && (e.Fault != nil || e.Killed != "" || crashCode(e.Code))
}

// Fault is a place where a process stood.
type Fault struct {
	Program string   // executable of the process
	Killed  string   // the signal or the exception
	Forked  bool     // the process was forked from one that had the loader, and started no other program
	Null    bool     // that instruction is at a null pointer
	Mapped  bool     // the instruction that it stood at lies in a file
	Loader  bool     // the process had a Vulkan loader
	Files   []string // the file with that instruction, then those on the stack, nearest first; each once
}

// add puts a file at the end of the list, once.
func (f *Fault) add(file string) {
	if !slices.Contains(f.Files, file) {
		f.Files = append(f.Files, file)
	}
}

// faults are the places where processes stood of which one is told: of several the first in a process that has the loader, and
// there that of the program's first thread.
type faults struct {
	told *Fault
}

func (f *faults) take(fault *Fault, first bool) {
	if f.told == nil || fault.Loader && (!f.told.Loader || first) {
		f.told = fault
	}
}

// ended is the end of a program that was ended for a reason, or by itself.
func (f *faults) ended(why int32) *End {
	return &End{Hung: why == hangs, Enough: why == longEnough, Interrupted: why == unwanted, Fault: f.told}
}

// Why a program is ended before its end.
const (
	goesOn int32 = iota
	hangs
	longEnough
	unwanted
)

// lastWords is how long the end of standard error is waited for after the program has ended: what it has left running
// may hold it forever.
const lastWords = 500 * time.Millisecond

// patience is how long a program is let run.
type patience struct {
	Limits
	over <-chan struct{}   // closed when the program and what it has started have ended
	left <-chan struct{}   // closed when the program itself has ended well, and others may go on
	says <-chan int32      // why the user wants it to end
	idle func() (yes bool) // none of what goes on has the Vulkan loader
}

// maxIdle is for how many seconds what a program has left running may do without the Vulkan loader: then it is a service of
// some kind, and not the program that was launched.
const maxIdle = 10

// wait gives why the program has to end; goesOn: it has ended.
func (p patience) wait() int32 {
	var hang, enough <-chan time.Time
	if p.Hangs > 0 {
		hang = time.After(p.Hangs)
	}
	if p.Enough > 0 {
		enough = time.After(p.Enough)
	}
	left := p.left
	var look <-chan time.Time // once a second, when the program itself has ended
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

// Program is what is run.
type Program struct {
	Path    string   // of the executable
	Args    []string // the first is its name
	Environ []string // NAME=VALUE
}
