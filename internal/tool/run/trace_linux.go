package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/tool/term"
)

// Trace runs the program as a child under ptrace with its standard error split. It returns when the program and its
// processes have ended, or when the remaining processes do not use Vulkan. The processes receive their signals as
// usual. The tool's end also ends all of them. If ptrace is not allowed, the program runs without it, and its faults
// are unknown. stdout becomes the program's standard output.
func (p *Program) Trace(s *Splitter, limits Limits, stdout *os.File) (*End, error) {
	read, write, err := channel(os.Stderr)
	if err != nil {
		return nil, fmt.Errorf("standard error of %s: %w", p.Path, err)
	}
	defer read.Close()
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unix.SIGQUIT, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	defer signal.Stop(signals)
	// Only the thread that started the program may trace it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t := &tracer{traced: !limits.Untraced, alive: map[int]bool{}, last: map[int]*place{},
		wake: make(chan struct{}), left: make(chan struct{})}
	attributes := &syscall.ProcAttr{Env: p.Environ, Files: []uintptr{0, stdout.Fd(), write.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: t.traced, Pdeathsig: syscall.SIGKILL}}
	if t.main, err = p.child().Fork(attributes); errors.Is(err, unix.EPERM) {
		t.traced, attributes.Sys.Ptrace = false, false
		t.main, err = p.child().Fork(attributes)
	}
	write.Close()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Path, err)
	}
	finished := make(chan error, 1)
	go func() { finished <- Follow(read, s) }()
	t.alive[t.main] = true
	go t.watch(limits, signals)
	err = t.loop()
	close(t.wake)
	_ = read.SetReadDeadline(time.Now().Add(lastWords))
	if left := <-finished; left != nil && !errors.Is(left, os.ErrDeadlineExceeded) && err == nil {
		err = left
	}
	return t.end(), err
}

// ptraceOptions trace threads and children, end all of them with the tool, and stop each one before its end so that its
// mappings can be read.
const ptraceOptions = unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
	unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACEEXIT

// fatal lists the signals of a crash.
var fatal = []syscall.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGILL, unix.SIGFPE, unix.SIGABRT, unix.SIGSYS,
	unix.SIGTRAP}

func (t *tracer) end() *End {
	e := t.faults.end(t.why.Load())
	if t.status.Signaled() {
		e.Killed = unix.SignalName(t.status.Signal())
	} else {
		e.Code = t.status.ExitStatus()
	}
	return e
}

func (t *tracer) watch(limits Limits, signals <-chan os.Signal) {
	why := patience{limits, t.wake, t.left, wishes(signals, t.wake), t.idle}.wait()
	if why == goesOn {
		return
	}
	t.why.Store(why)
	if why == hangs && t.traced {
		// Each thread is stopped, recorded, and stays stopped until its end.
		for _, tid := range t.threads() {
			_ = unix.Kill(tid, unix.SIGSTOP)
		}
		select {
		case <-t.wake:
			return
		case <-time.After(time.Second):
		}
	}
	for _, tid := range t.threads() {
		_ = unix.Kill(tid, unix.SIGKILL)
	}
}

// place is the position of a thread at a signal.
type place struct {
	signal syscall.Signal
	pc, sp uint64
}

// placeOf returns the position of a stopped or waiting thread: the last two words of /proc/TID/syscall.
func placeOf(tid int) *place {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", tid))
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 3 {
		return nil
	}
	at := &place{}
	if _, err := fmt.Sscan(strings.Join(fields[len(fields)-2:], " "), &at.sp, &at.pc); err != nil {
		return nil
	}
	return at
}

// code is an executable mapping.
type code struct {
	from, to uint64
	file     string
}

// codeOf returns a thread's executable mappings. loader reports whether the Vulkan loader is among them.
func codeOf(tid int) (list []code, loader bool) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", tid))
	for _, line := range strings.Split(string(data), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 6 || !strings.Contains(fields[1], "x") || !strings.HasPrefix(fields[5], "/") {
			continue
		}
		var c code
		if n, _ := fmt.Sscanf(fields[0], "%x-%x", &c.from, &c.to); n == 2 {
			c.file = strings.TrimSuffix(line[strings.Index(line, fields[5]):], " (deleted)")
			loader = loader || strings.HasPrefix(filepath.Base(c.file), "libvulkan.so")
			list = append(list, c)
		}
	}
	return list, loader
}

// maxStack is the size of the examined part of a stack.
const maxStack = 32 << 10

// nullPage is the size of the unmapped region at address 0.
const nullPage = 4096

// faultAt returns the file of a thread's current instruction and the files on its stack. It takes every stack word that
// points into code for a return address, which may be stale.
func faultAt(tid int, at *place) *CrashSite {
	list, loader := codeOf(tid)
	f := &CrashSite{Killed: unix.SignalName(at.signal), Null: at.pc < nullPage, Loader: loader}
	f.Program, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", tid))
	add := func(address uint64) bool {
		i := slices.IndexFunc(list, func(c code) bool { return address >= c.from && address < c.to })
		if i >= 0 {
			f.add(list[i].file)
		}
		return i >= 0
	}
	f.Mapped = add(at.pc)
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
	if err != nil {
		return f
	}
	defer memory.Close()
	stack := make([]byte, maxStack)
	n, _ := memory.ReadAt(stack, int64(at.sp))
	word := term.Either(at.sp < 1<<32, 4, 8)
	for stack = stack[:n]; len(stack) >= word; stack = stack[word:] {
		if word == 4 {
			add(uint64(binary.NativeEndian.Uint32(stack)))
		} else {
			add(binary.NativeEndian.Uint64(stack))
		}
	}
	return f
}

// tracer follows a program and its processes.
type tracer struct {
	main   int
	traced bool
	status syscall.WaitStatus
	faults
	why  atomic.Int32
	wake chan struct{} // closed at the end
	left chan struct{} // closed when the program has ended well; its processes may still run
	over bool          // the program failed: all its processes end

	mutex sync.Mutex
	alive map[int]bool // by thread; true after its initial stop
	last  map[int]*place
}

func (t *tracer) threads() []int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Collect(maps.Keys(t.alive))
}

// know adds a thread, and reports whether it was known.
func (t *tracer) know(tid int) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := t.alive[tid]
	t.alive[tid] = true
	return known
}

// loop handles the threads' stops until none is left.
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
				t.handleExit(syscall.WaitStatus(status))
			}
		case status.Stopped() && first:
			first = false
			if err := unix.PtraceSetOptions(tid, ptraceOptions); err != nil {
				return err
			}
			t.goOn(tid, 0)
		case status.Stopped():
			t.handleStop(tid, status)
		}
	}
}

// handleExit handles the end of the program. If it failed, all its processes end. Otherwise it may be a launcher, and
// its processes are followed further.
func (t *tracer) handleExit(status syscall.WaitStatus) {
	t.status = status
	if !status.Signaled() && status.ExitStatus() <= 128 {
		close(t.left)
		return
	}
	t.over = true // also for threads that have not reported yet
	for _, other := range t.threads() {
		_ = unix.Kill(other, unix.SIGKILL)
	}
}

// idle reports whether no remaining process has a Vulkan loader.
func (t *tracer) idle() bool {
	return !slices.ContainsFunc(t.threads(), func(tid int) bool {
		_, loader := codeOf(tid)
		return loader
	})
}

// goOn continues a thread, with or without a signal. The next wait reports a thread that has ended meanwhile.
func (t *tracer) goOn(tid int, signal syscall.Signal) {
	_ = unix.PtraceCont(tid, int(signal))
}

func (t *tracer) handleStop(tid int, status unix.WaitStatus) {
	if t.over {
		_ = unix.Kill(tid, unix.SIGKILL)
	}
	signal := status.StopSignal()
	known := t.know(tid)
	switch event := status.TrapCause(); {
	case signal == unix.SIGTRAP && event == unix.PTRACE_EVENT_EXIT:
		if message, err := unix.PtraceGetEventMsg(tid); err == nil && syscall.WaitStatus(message).Signaled() &&
			t.why.Load() == goesOn {
			if at := t.last[tid]; at != nil && at.signal == syscall.WaitStatus(message).Signal() {
				t.take(faultAt(tid, at), tid == t.main)
			}
		}
	case signal == unix.SIGTRAP && event > 0: // a new thread or process, or an exec
	case signal == unix.SIGSTOP && t.why.Load() == hangs:
		if at := placeOf(tid); at != nil {
			t.take(faultAt(tid, at), tid == t.main)
		}
		return // it stays stopped until it is killed
	case signal == unix.SIGSTOP && !known: // the initial stop of a thread or process
	case signal == unix.SIGQUIT: // the tool receives Ctrl-\ too
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
