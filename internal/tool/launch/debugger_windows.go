package launch

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
)

// debugger follows a program and all that it starts. The thread that started it calls loop; another one may call stop and idle.
type debugger struct {
	why  atomic.Int32
	over chan struct{} // closed at the end
	left chan struct{} // closed when the program itself has ended well, and others may go on

	mutex  sync.Mutex
	alive  map[uint32]*debugged // processes
	failed bool                 // the program has failed: all others end
	faults
}

// debugged is a process that is followed.
type debugged struct {
	pid     uint32
	handle  syswindows.Handle
	first   uint32                       // its first thread
	threads map[uint32]syswindows.Handle // all
	begun   map[windows.Exception]bool   // the breakpoints that a process begins with, which have been seen
	last    *Fault                       // at the last exception that ends programs, if they do not handle it
}

// loop takes what happens to the processes until none is left. main is the program itself.
func (d *debugger) loop(main uint32) error {
	for {
		e, err := windows.NextDebugEvent()
		if err != nil {
			return err
		}
		handled := d.take(main, e)
		if err := e.Continue(handled); err != nil {
			return err
		}
		if len(d.alive) == 0 {
			return nil
		}
	}
}

// take takes one event, and tells whether the program continues as if the exception had not happened.
func (d *debugger) take(main uint32, e *windows.DebugEvent) (handled bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if e.Kind == windows.Started {
		d.alive[e.PID] = &debugged{pid: e.PID, handle: e.Process, first: e.TID, threads: map[uint32]syswindows.Handle{}, begun: map[windows.Exception]bool{}}
		if d.failed || d.why.Load() != goesOn {
			_ = syswindows.TerminateProcess(e.Process, 1)
		}
	}
	p := d.alive[e.PID]
	if p == nil {
		return false
	}
	switch e.Kind {
	case windows.Started, windows.ThreadStarted:
		p.threads[e.TID] = e.Thread
	case windows.ThreadEnded:
		delete(p.threads, e.TID)
	case windows.Raised:
		return d.raised(p, e)
	case windows.Ended:
		delete(d.alive, e.PID)
		d.ended(p, e, e.PID == main)
	}
	return false
}

// raised takes an exception. One that its process does not handle is a fault.
func (d *debugger) raised(p *debugged, e *windows.DebugEvent) (handled bool) {
	switch {
	case (e.Exception == windows.Breakpoint || e.Exception == windows.Breakpoint32) && !p.begun[e.Exception]:
		p.begun[e.Exception] = true // so each process begins
		return true
	case e.Exception == windows.ControlC || e.Exception == windows.ControlBreak:
		return true // the tool hears them, too
	case !e.Exception.Fatal():
		return false
	}
	_, sp := windows.Standing(p.handle, p.threads[e.TID])
	p.last = faultAt(p, e.Address, sp)
	if p.last.Killed = e.Exception.String(); !e.First {
		d.faults.take(p.last, e.TID == p.first)
	}
	return false
}

// ended takes the end of a process. A handler of its own may have ended it after an exception, with the exception's code. With
// a program that has failed all that it has started ends; otherwise it may have been a launcher, and what it has started is
// followed on.
func (d *debugger) ended(p *debugged, e *windows.DebugEvent, main bool) {
	killed := windows.Exception(e.Code)
	if killed.Fatal() && d.told == nil && p.last != nil && p.last.Killed == killed.String() {
		d.faults.take(p.last, true)
	}
	if !main {
		return
	}
	if !killed.Fatal() && !crashCode(int(e.Code)) {
		close(d.left)
		return
	}
	d.failed = true
	d.terminate()
}

// terminate ends all processes. The mutex is held.
func (d *debugger) terminate() {
	for _, p := range d.alive {
		_ = syswindows.TerminateProcess(p.handle, 1)
	}
}

// stop ends all processes for a reason. Of those that hang it finds out first where they stand.
func (d *debugger) stop(why int32) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.why.Store(why)
	if why == hangs {
		for _, p := range d.alive {
			for tid, thread := range p.threads {
				if !windows.Suspend(thread) {
					continue
				}
				if at, sp := windows.Standing(p.handle, thread); at != 0 {
					p.last = faultAt(p, at, sp)
					d.faults.take(p.last, tid == p.first)
				}
			}
		}
	}
	d.terminate()
}

// idle tells whether none of what goes on has the Vulkan loader.
func (d *debugger) idle() bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, p := range d.alive {
		if list, err := windows.ModulesOf(p.pid); err == nil && hasLoader(list) {
			return false
		}
	}
	return true
}

// end says how the program ended.
func (d *debugger) end(code uint32) *End {
	e := d.faults.ended(d.why.Load())
	if killed := windows.Exception(code); killed.Fatal() {
		e.Killed = killed.String()
	} else {
		e.Code = int(code)
	}
	return e
}

func hasLoader(list []windows.Module) bool {
	return slices.ContainsFunc(list, func(m windows.Module) bool { return strings.EqualFold(machine.Style.Base(m.File), "vulkan-1.dll") })
}

// maxStack is how much of a stack is looked at.
const maxStack = 32 << 10

// faultAt says in which file a thread stands, and which files' code has called it: what lies on the stack and points
// into code is taken for a way back, which may be an old one.
func faultAt(p *debugged, at, sp uint64) *Fault {
	list, _ := windows.ModulesOf(p.pid)
	f := &Fault{Program: windows.ProgramOf(p.handle), Loader: hasLoader(list)}
	in := func(address uint64) string {
		for _, m := range list {
			if address >= m.Base && address-m.Base < m.Size {
				return m.File
			}
		}
		return ""
	}
	if file := in(at); file != "" {
		f.Mapped = true
		f.add(file)
	}
	for _, word := range windows.Words(p.handle, sp, maxStack) {
		if file := in(word); file != "" && windows.IsCode(p.handle, word) {
			f.add(file)
		}
	}
	return f
}
