package run

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// Trace runs the program as a child with its standard error split, and waits for its end. macOS lets only signed
// debuggers read another process, so the place of a fault is unknown, and processes that the program starts are not
// waited for. stdout becomes the program's standard output.
func (p *Program) Trace(s *Splitter, limits Limits, stdout *os.File) (*End, error) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unix.SIGQUIT, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	defer signal.Stop(signals)
	cmd := p.child()
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = os.Stdin, stdout, s, lastWords
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	over, reason := make(chan struct{}), make(chan int32, 1)
	go func() {
		why := patience{Limits: limits, over: over, says: wishes(signals, over)}.wait()
		if why != goesOn {
			_ = cmd.Process.Kill()
		}
		reason <- why
	}()
	waited := cmd.Wait()
	close(over)
	why := <-reason
	err := s.Close()
	var exit *exec.ExitError
	if waited != nil && !errors.As(waited, &exit) && !errors.Is(waited, exec.ErrWaitDelay) {
		return nil, waited
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return endOf(cmd.ProcessState, why), nil
}

func endOf(state *os.ProcessState, why int32) *End {
	e := (&faults{}).end(why)
	if status, is := state.Sys().(syscall.WaitStatus); is && status.Signaled() {
		e.Killed = unix.SignalName(status.Signal())
	} else {
		e.Code = state.ExitCode()
	}
	return e
}
