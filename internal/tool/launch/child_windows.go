package launch

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
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
	err = cmd.Run()
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
