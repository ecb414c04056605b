package scale

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/test/lib/world"
)

// systemCall is a system call of a process.
type systemCall struct {
	number uint64
	path   string // the path argument of calls that open or examine files; otherwise ""
}

// pathAt returns the register with the path of a call that opens or examines a file.
func pathAt(r *unix.PtraceRegsAmd64) uint64 {
	switch r.Orig_rax {
	case unix.SYS_OPENAT, unix.SYS_NEWFSTATAT:
		return r.Rsi
	case unix.SYS_READLINK, unix.SYS_ACCESS:
		return r.Rdi
	}
	return 0
}

// entered returns the call that a stopped process is about to make. It returns false if the process returns from a
// call.
func entered(pid int) (call systemCall, is bool) {
	var r unix.PtraceRegsAmd64
	const notYet = -int64(unix.ENOSYS) // the result register before the call
	if unix.PtraceGetRegsAmd64(pid, &r) != nil || int64(r.Rax) != notYet {
		return call, false
	}
	call.number = r.Orig_rax
	if at := pathAt(&r); at != 0 {
		var text [4096]byte
		n, _ := unix.PtracePeekData(pid, uintptr(at), text[:])
		call.path, _, _ = strings.Cut(string(text[:n]), "\x00")
	}
	return call, true
}

// follow records a process's calls until over is set and the process makes another one.
func follow(pid int, over *atomic.Bool) (calls []systemCall, err error) {
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(pid, &status, unix.WALL, nil); err != nil {
			return calls, err
		}
		if over.Load() || !status.Stopped() {
			return calls, unix.PtraceDetach(pid)
		}
		signal := 0
		switch stop := status.StopSignal(); stop {
		case unix.SIGTRAP | 0x80:
			if call, is := entered(pid); is {
				calls = append(calls, call)
			}
		case unix.SIGTRAP:
		default:
			signal = int(stop)
		}
		if err := unix.PtraceSyscall(pid, signal); err != nil {
			return calls, err
		}
	}
}

// systemCalls returns the calls that the host makes during f.
func systemCalls(t *testing.T, h *world.Host, f func()) []systemCall {
	t.Helper()
	var calls []systemCall
	var over atomic.Bool
	begun, ended := make(chan error), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // one thread must trace a process
		defer runtime.UnlockOSThread()
		pid := h.Pid()
		err := unix.PtraceSeize(pid)
		if err == nil {
			err = unix.PtraceInterrupt(pid)
		}
		if begun <- err; err != nil {
			return
		}
		if _, err = unix.Wait4(pid, nil, unix.WALL, nil); err == nil {
			err = unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD)
		}
		if err == nil {
			err = unix.PtraceSyscall(pid, 0)
		}
		if err == nil {
			calls, err = follow(pid, &over)
		}
		ended <- err
	}()
	if err := <-begun; err != nil {
		t.Skipf("no process can be traced here: %v", err)
	}
	f()
	over.Store(true)
	h.Try("gipa", "name", "vkLast")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return calls
}
