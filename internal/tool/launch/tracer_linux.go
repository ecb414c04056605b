package launch

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// tracer follows a program and all that it starts.
type tracer struct {
	main   int
	traced bool
	status syscall.WaitStatus
	fault  *Fault
	loader bool // the fault is in a process that has the Vulkan loader
	why    atomic.Int32
	wake   chan struct{} // closed at the end
	left   chan struct{} // closed when the program itself has ended well, and others may go on
	over   bool          // it has failed: all others end

	mutex sync.Mutex
	alive map[int]bool // threads; true: it has stopped once, as it does before it begins
	last  map[int]*place

	forked map[int]bool // threads of processes that were forked from one that had the loader
}

// threads are those that there are.
func (t *tracer) threads() []int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Collect(maps.Keys(t.alive))
}

// know enters a thread, and tells whether it was known.
func (t *tracer) know(tid int) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := t.alive[tid]
	t.alive[tid] = true
	return known
}

// loop takes what happens to them until none is left.
func (t *tracer) loop() error {
	first := true
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return err
		}
		switch {
		case status.Exited(), status.Signaled():
			t.mutex.Lock()
			delete(t.alive, tid)
			t.mutex.Unlock()
			delete(t.last, tid)
			if tid == t.main {
				t.ended(syscall.WaitStatus(status))
			}
		case status.Stopped() && first:
			first = false
			if err := unix.PtraceSetOptions(tid, ptraceOptions); err != nil {
				return err
			}
			t.goOn(tid, 0)
		case status.Stopped():
			t.stopped(tid, status)
		}
	}
}

// ended takes that the program itself has ended. With one that has failed all that it has started ends; otherwise it may
// have been a launcher, and what it has started is followed on.
func (t *tracer) ended(status syscall.WaitStatus) {
	t.status = status
	if !status.Signaled() && status.ExitStatus() <= 128 {
		close(t.left)
		return
	}
	t.over = true // also for those that have not been heard of yet
	for _, other := range t.threads() {
		_ = unix.Kill(other, unix.SIGKILL)
	}
}

// idle tells whether none of what goes on has the Vulkan loader.
func (t *tracer) idle() bool {
	return !slices.ContainsFunc(t.threads(), func(tid int) bool {
		_, loader := codeOf(tid)
		return loader
	})
}

// goOn lets a thread go on, with a signal or none; one that is gone meanwhile is told by the next wait.
func (t *tracer) goOn(tid int, signal syscall.Signal) {
	_ = unix.PtraceCont(tid, int(signal))
}

func (t *tracer) stopped(tid int, status unix.WaitStatus) {
	if t.over {
		_ = unix.Kill(tid, unix.SIGKILL)
	}
	signal := status.StopSignal()
	known := t.know(tid)
	switch event := status.TrapCause(); {
	case signal == unix.SIGTRAP && event == unix.PTRACE_EVENT_EXIT:
		if message, err := unix.PtraceGetEventMsg(tid); err == nil && syscall.WaitStatus(message).Signaled() && t.why.Load() == goesOn {
			if at := t.last[tid]; at != nil && at.signal == syscall.WaitStatus(message).Signal() {
				t.take(tid, at)
			}
		}
	case signal == unix.SIGTRAP && event > 0: // another thread or process, or a program in the place of another
		t.follow(tid, event)
	case signal == unix.SIGSTOP && t.why.Load() == hangs:
		if at := placeOf(tid); at != nil {
			t.take(tid, at)
		}
		return // it stays as it is until it is killed
	case signal == unix.SIGSTOP && !known: // so each thread and process begins
	case signal == unix.SIGQUIT: // Ctrl-\ is for the tool, which hears it too
	default:
		if slices.Contains(fatal, signal) {
			if at := placeOf(tid); at != nil {
				at.signal = signal
				t.last[tid] = at
			}
		}
		t.goOn(tid, signal)
		return
	}
	t.goOn(tid, 0)
}

// follow knows which processes were forked from one that had the loader.
func (t *tracer) follow(tid int, event int) {
	if event == unix.PTRACE_EVENT_EXEC {
		delete(t.forked, tid)
		return
	}
	message, err := unix.PtraceGetEventMsg(tid)
	if err != nil || event == unix.PTRACE_EVENT_VFORK { // that is followed by another program
		return
	}
	loader := t.forked[tid]
	if event == unix.PTRACE_EVENT_FORK && !loader {
		_, loader = codeOf(tid)
	}
	if loader {
		t.forked[int(message)] = true
	}
}

// take keeps a fault: of several, the first in a process that has the loader, and there of a program's first thread.
func (t *tracer) take(tid int, at *place) {
	fault, loader := faultAt(tid, at)
	if t.fault == nil || loader && !t.loader || loader && tid == t.main {
		t.fault, t.loader = fault, loader
		t.fault.Forked = t.forked[tid]
	}
}
