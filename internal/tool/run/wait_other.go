//go:build !linux

package run

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

// Wait runs the program as a child in the same console and waits for it. With a splitter, the program's standard error
// goes through it; the other standard files are those of this process.
func (p *Program) Wait(s *Splitter) (*os.ProcessState, error) {
	cmd := p.child()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if s != nil {
		cmd.Stderr = s
	}
	// Ctrl-C reaches every program of the console; the tool waits for the program's end
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	err := cmd.Run()
	if s != nil {
		if wrong := s.Close(); err == nil && wrong != nil && !errors.Is(wrong, io.EOF) {
			err = wrong
		}
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return cmd.ProcessState, nil
}
