package launch

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

// Wait runs the program as a child in the same console, and waits for it. With a splitter its standard error goes through
// that; standard input and output are this process's own. code is the program's exit code.
func (p *Program) Wait(s *Splitter) (code int, err error) {
	cmd := &exec.Cmd{Path: p.Path, Args: p.Args, Env: p.Environ, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if s != nil {
		cmd.Stderr = s
	}
	interrupts := make(chan os.Signal, 1) // Ctrl-C goes to all programs of the console; the tool stays until this one has ended
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	err = spawn.Run(cmd)
	if s != nil {
		if wrong := s.Close(); err == nil && wrong != nil && !errors.Is(wrong, io.EOF) {
			err = wrong
		}
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return int(uint32(cmd.ProcessState.ExitCode())), nil
}

// withoutDebugHeap keeps the system from giving a program that is debugged another heap than it has else.
const withoutDebugHeap = "_NO_DEBUG_HEAP"

// Trace runs the program as a child under a debugger, with its standard error split, until it and what it started have ended,
// or until only such is left as does not use Vulkan. None of its processes outlives the tool. Where the program cannot be
// debugged, as one of 64 bits by a tool of 32, it runs without, and no fault is known. stdout is what becomes its standard
// output.
//
// The program sees that it is debugged if it asks.
func (p *Program) Trace(s *Splitter, limits Limits, stdout *os.File) (*End, error) {
	says := make(chan int32, 1)
	say := func(why int32) {
		select {
		case says <- why:
		default: // it has been said
		}
	}
	defer windows.OnBreak(func() { say(hangs) })()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)

	// Only the thread that started the program is told what it does.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := &debugger{over: make(chan struct{}), left: make(chan struct{}), alive: map[uint32]*debugged{}}
	job, err := windows.NewJob()
	if err != nil {
		return nil, err
	}
	defer func() { _ = job.End() }()
	command := func(flags uint32) *exec.Cmd {
		return &exec.Cmd{Path: p.Path, Args: p.Args, Env: machine.WithVariable(p.Environ, withoutDebugHeap, "1"), Stdin: os.Stdin, Stdout: stdout,
			Stderr: s, WaitDelay: lastWords, SysProcAttr: &syscall.SysProcAttr{CreationFlags: flags}}
	}
	cmd := command(syswindows.DEBUG_PROCESS)
	err = spawn.Start(cmd)
	debugged := !errors.Is(err, syswindows.ERROR_NOT_SUPPORTED)
	if !debugged {
		cmd = command(0)
		err = spawn.Start(cmd)
	}
	if err != nil {
		return nil, err
	}
	_ = job.Take(uint32(cmd.Process.Pid)) // where a process may be in one job alone, those that it starts are not ended
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

// aborted is the exit code that msvcrt's abort ends a program with.
const aborted = 3

// crashCode tells whether an exit code is that of a program that called abort. Other programs may have it, too.
func crashCode(code int) bool { return code == aborted }
