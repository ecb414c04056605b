// Package spawn is the one place where the tool starts processes. It asks a hook before each start, and the hook may refuse:
// the page's server refuses every start but those of a person's own action. The package knows no program.
package spawn

import (
	"fmt"
	"os/exec"
	"sync/atomic"
)

// Hook judges the start of a program. An error keeps the process from being started.
type Hook func(program string, args []string) error

// hook is the one that judges now; nil: none.
var hook atomic.Pointer[Hook]

// Judge installs a hook for every later start of this process, and returns the function that removes it.
func Judge(h Hook) (remove func()) {
	before := hook.Swap(&h)
	return func() { hook.Store(before) }
}

// Allowed returns the hook's error for a program that is about to be started; nil without a hook.
func Allowed(program string, args []string) error {
	if h := hook.Load(); h != nil {
		if err := (*h)(program, args); err != nil {
			return fmt.Errorf("%s is not started: %w", program, err)
		}
	}
	return nil
}

// Start is cmd.Start after the hook's judgement.
func Start(cmd *exec.Cmd) error {
	if err := Allowed(cmd.Path, cmd.Args); err != nil {
		return err
	}
	return cmd.Start()
}

// Run is cmd.Run after the hook's judgement.
func Run(cmd *exec.Cmd) error {
	if err := Allowed(cmd.Path, cmd.Args); err != nil {
		return err
	}
	return cmd.Run()
}

// Output is cmd.Output after the hook's judgement.
func Output(cmd *exec.Cmd) ([]byte, error) {
	if err := Allowed(cmd.Path, cmd.Args); err != nil {
		return nil, err
	}
	return cmd.Output()
}
