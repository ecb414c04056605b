package run

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/windows"
)

// withoutDebugHeap keeps Windows from giving a debugged program a debug heap.
const withoutDebugHeap = "_NO_DEBUG_HEAP"

// Trace runs the program as a child under a debugger with its standard error split. It returns when the program and its
// processes have ended, or when the remaining processes do not use Vulkan. The tool's end also ends all of them. A
// program that cannot be debugged, such as a 64-bit program by a 32-bit tool, runs without a debugger, and its faults
// are unknown. stdout becomes the program's standard output.
//
// A program can detect the debugger.
func (p *Program) Trace(s *Splitter, limits Limits, stdout *os.File) (*End, error) {
	says := make(chan int32, 1)
	say := func(why int32) {
		select {
		case says <- why:
		default: // a reason was sent before
		}
	}
	defer windows.OnBreak(func() { say(hangs) })()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)

	// Only the thread that started the program receives its debug events.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := &debugger{over: make(chan struct{}), left: make(chan struct{}), alive: map[uint32]*debugged{}}
	job, err := windows.NewJob()
	if err != nil {
		return nil, err
	}
	defer func() { _ = job.End() }()
	command := func(flags uint32) *spawn.Child {
		c := p.child()
		c.Env, c.SysProcAttr = machine.WithVariable(c.Env, withoutDebugHeap, "1"),
			&syscall.SysProcAttr{CreationFlags: flags}
		c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = os.Stdin, stdout, s, lastWords
		return c
	}
	cmd := command(syswindows.DEBUG_PROCESS)
	err = cmd.Start()
	debugged := !errors.Is(err, syswindows.ERROR_NOT_SUPPORTED)
	if !debugged {
		cmd = command(0)
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	// without nested jobs, processes that the program starts are not ended with it
	_ = job.Take(uint32(cmd.Process.Pid))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		why := patience{limits, d.over, d.left, says, d.idle}.wait()
		if why != goesOn {
			d.stop(why)
			_ = job.End()
		}
	}()
	go func() {
		select {
		case <-d.over:
		case <-interrupts:
			say(unwanted)
		}
	}()
	var waited error
	if debugged {
		err = d.loop(uint32(cmd.Process.Pid))
	} else {
		waited = cmd.Wait()
	}
	close(d.over)
	<-watched
	_ = job.End()
	if debugged {
		waited = cmd.Wait()
	}
	if closed := s.Close(); err == nil && !errors.Is(closed, io.EOF) {
		err = closed
	}
	var exit *exec.ExitError
	if err == nil && waited != nil && !errors.As(waited, &exit) && !errors.Is(waited, exec.ErrWaitDelay) {
		err = waited
	}
	if err != nil {
		return nil, err
	}
	return d.end(uint32(cmd.ProcessState.ExitCode())), nil
}

// aborted is the exit code of msvcrt's abort.
const aborted = 3

// crashCode reports whether an exit code is that of abort. Other programs may use it too.
func crashCode(code int) bool { return code == aborted }
