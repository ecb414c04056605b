package run

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
)

// debugger follows a program and its processes. The thread that started the program calls loop; another thread may call
// stop and idle.
type debugger struct {
	why  atomic.Int32
	over chan struct{} // closed at the end
	left chan struct{} // closed when the program has ended well; its processes may still run

	mutex  sync.Mutex
	alive  map[uint32]*debugged // by process ID
	failed bool                 // the program failed: all its processes end
	faults
}

// debugged is a traced process.
type debugged struct {
	pid     uint32
	handle  syswindows.Handle
	first   uint32                       // the main thread
	threads map[uint32]syswindows.Handle // all threads
	begun   map[windows.Exception]bool   // the initial breakpoints that have occurred
	last    *CrashSite                   // the place of the last exception that may end the process
}

// loop handles debug events until no process is left. main is the program's process.
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

// take handles one event and reports whether the program continues without the exception.
func (d *debugger) take(main uint32, e *windows.DebugEvent) (handled bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if e.Kind == windows.Started {
		d.alive[e.PID] = &debugged{pid: e.PID, handle: e.Process, first: e.TID, threads: map[uint32]syswindows.Handle{},
			begun: map[windows.Exception]bool{}}
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
		return d.handleException(p, e)
	case windows.Ended:
		delete(d.alive, e.PID)
		d.handleExit(p, e, e.PID == main)
	}
	return false
}

// handleException handles an exception. An exception that the process does not handle is a fault.
func (d *debugger) handleException(p *debugged, e *windows.DebugEvent) (handled bool) {
	switch {
	case (e.Exception == windows.Breakpoint || e.Exception == windows.Breakpoint32) && !p.begun[e.Exception]:
		p.begun[e.Exception] = true // the initial breakpoint of the process
		return true
	case e.Exception == windows.ControlC || e.Exception == windows.ControlBreak:
		return true // the tool receives it too
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

// handleExit handles the end of a process. A handler in the process may have ended it after an exception, with the
// exception's code. A failure of the program ends all its processes. Otherwise the program may be a launcher, and its
// processes are followed further.
func (d *debugger) handleExit(p *debugged, e *windows.DebugEvent, main bool) {
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

// terminate ends all processes. The caller holds the mutex.
func (d *debugger) terminate() {
	for _, p := range d.alive {
		_ = syswindows.TerminateProcess(p.handle, 1)
	}
}

// stop ends all processes for a reason. It first records the call stacks of hanging processes.
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

// idle reports whether no remaining process has a Vulkan loader.
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

func (d *debugger) end(code uint32) *End {
	e := d.faults.end(d.why.Load())
	if killed := windows.Exception(code); killed.Fatal() {
		e.Killed = killed.String()
	} else {
		e.Code = int(code)
	}
	return e
}

func hasLoader(list []windows.LoadedFile) bool {
	return slices.ContainsFunc(list,
		func(m windows.LoadedFile) bool { return strings.EqualFold(machine.Style.Base(m.File), "vulkan-1.dll") })
}

// maxStack is the size of the examined part of a stack.
const maxStack = 32 << 10

// faultAt returns the file of a thread's current instruction and the files on its stack. It takes every stack word that
// points into code for a return address, which may be stale.
func faultAt(p *debugged, at, sp uint64) *CrashSite {
	list, _ := windows.ModulesOf(p.pid)
	f := &CrashSite{Program: windows.ProgramOf(p.handle), Loader: hasLoader(list)}
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
