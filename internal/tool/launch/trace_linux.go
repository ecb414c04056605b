package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Limits say when a program that still runs is ended. Zero: never.
type Limits struct {
	Hangs  time.Duration // then it hangs
	Enough time.Duration // then all is well
}

// End is how a traced program ended.
type End struct {
	Status      syscall.WaitStatus // of the program itself
	Hung        bool               // it was ended at its limit, or by Ctrl-\
	Enough      bool               // it was ended because it had run for long enough
	Interrupted bool               // who runs the tool has had enough
	Fault       *Fault             // where a process of it crashed or hung; nil when nothing is known
}

// Crashed tells whether the program, or a process that it started, was ended by a signal of its own making.
func (e *End) Crashed() bool {
	return !e.Hung && !e.Enough && !e.Interrupted && (e.Fault != nil || e.Status.Signaled() || e.Status.ExitStatus() > 128)
}

// Fault is a place where a process stood.
type Fault struct {
	Program string // executable of the process
	Signal  syscall.Signal
	Mapped  bool     // the instruction that it stood at lies in a file
	Files   []string // the file with that instruction, then those on the stack, nearest first; each once
}

// Trace runs the program as a child under ptrace, with its standard error split, until it and what it started have ended, or
// until only such is left as does not use Vulkan.
// Its processes see their signals as without; none of them outlives the tool. Where ptrace is not allowed it runs without,
// and no fault is known. stdout is what becomes its standard output.
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
	t := &tracer{traced: true, alive: map[int]bool{}, last: map[int]*place{}, wake: make(chan struct{}),
		left: make(chan struct{})}
	attributes := &syscall.ProcAttr{Env: p.Environ, Files: []uintptr{0, stdout.Fd(), write.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}}
	t.main, err = syscall.ForkExec(p.Path, p.Args, attributes)
	if errors.Is(err, unix.EPERM) {
		t.traced, attributes.Sys.Ptrace = false, false
		t.main, err = syscall.ForkExec(p.Path, p.Args, attributes)
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

// Why a program is ended before its end.
const (
	goesOn int32 = iota
	hangs
	longEnough
	unwanted
)

// ptraceOptions: threads and children are traced too, all end with the tool, and each stops once more before it is gone,
// so that its mappings can be read.
const ptraceOptions = unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACEEXIT

// fatal are the signals that a crash begins with.
var fatal = []syscall.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGILL, unix.SIGFPE, unix.SIGABRT, unix.SIGSYS, unix.SIGTRAP}

// end says how it ended.
func (t *tracer) end() *End {
	why := t.why.Load()
	return &End{Status: t.status, Hung: why == hangs, Enough: why == longEnough, Interrupted: why == unwanted, Fault: t.fault}
}

// maxIdle is for how many seconds what a program has left running may do without the Vulkan loader: then it is a service of
// some kind, and not the program that was launched.
const maxIdle = 10

// watch asks for the end when it is time, or when a signal comes.
func (t *tracer) watch(limits Limits, signals <-chan os.Signal) {
	var hang, enough <-chan time.Time
	if limits.Hangs > 0 {
		hang = time.After(limits.Hangs)
	}
	if limits.Enough > 0 {
		enough = time.After(limits.Enough)
	}
	why, left := goesOn, t.left
	var look <-chan time.Time // once a second, when the program itself has ended
	for idle := 0; why == goesOn; {
		select {
		case <-t.wake:
			return
		case <-left:
			ticker := time.NewTicker(time.Second)
			defer ticker.Stop()
			look, left = ticker.C, nil
		case <-look:
			if idle++; !t.idle() {
				idle = 0
			}
			if idle >= maxIdle {
				why = longEnough
			}
		case <-hang:
			why = hangs
		case <-enough:
			why = longEnough
		case s := <-signals:
			if why = unwanted; s == unix.SIGQUIT {
				why = hangs
			}
		}
	}
	t.why.Store(why)
	if why == hangs && t.traced {
		// Each thread stops, is looked at, and stays as it is until the end.
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

// place is where a thread stood at a signal.
type place struct {
	signal syscall.Signal
	pc, sp uint64
}

// placeOf reads where a thread stands that is stopped or waits in the kernel: the last two words of /proc/TID/syscall.
func placeOf(tid int) *place {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", tid))
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 3 {
		return nil
	}
	at := &place{}
	at.sp, err = strconv.ParseUint(fields[len(fields)-2], 0, 64)
	if err == nil {
		at.pc, err = strconv.ParseUint(fields[len(fields)-1], 0, 64)
	}
	if err != nil {
		return nil
	}
	return at
}

// code is a mapping that instructions lie in.
type code struct {
	from, to uint64
	file     string
}

// codeOf lists them, by address; loader: the Vulkan loader is among them.
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

// maxStack is how much of a stack is looked at.
const maxStack = 32 << 10

// faultAt says in which file a thread stands, and which files' code has called it: what lies on the stack and points
// into code is taken for a way back, which may be an old one.
func faultAt(tid int, at *place) (f *Fault, loader bool) {
	list, loader := codeOf(tid)
	f = &Fault{Signal: at.signal}
	f.Program, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", tid))
	add := func(address uint64) bool {
		i, _ := slices.BinarySearchFunc(list, address, func(c code, a uint64) int {
			if a < c.from {
				return 1
			} else if a >= c.to {
				return -1
			}
			return 0
		})
		if i >= len(list) || address < list[i].from {
			return false
		}
		if !slices.Contains(f.Files, list[i].file) {
			f.Files = append(f.Files, list[i].file)
		}
		return true
	}
	f.Mapped = add(at.pc)
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
	if err != nil {
		return f, loader
	}
	defer memory.Close()
	stack := make([]byte, maxStack)
	n, _ := memory.ReadAt(stack, int64(at.sp))
	word := 8
	if at.sp < 1<<32 {
		word = 4
	}
	for stack = stack[:n]; len(stack) >= word; stack = stack[word:] {
		if word == 4 {
			add(uint64(binary.NativeEndian.Uint32(stack)))
		} else {
			add(binary.NativeEndian.Uint64(stack))
		}
	}
	return f, loader
}
