// Package spawn is the only package of the tool that starts processes. Before each start it asks a hook, which may refuse:
// the page's server refuses every start that is not the action of a person on the page. The package knows no particular
// program.
package spawn

import (
	"fmt"
	"os/exec"
	"sync/atomic"
)

// Hook decides whether a program may start. If it returns an error, the process is not started.
type Hook func(program string, args []string) error

// hook is the installed Hook; nil: none.
var hook atomic.Pointer[Hook]

// Judge installs a hook for all later starts of this process. It returns the function that removes the hook.
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

// Start is cmd.Start, if the hook allows it.
func Start(cmd *exec.Cmd) error {
	if err := Allowed(cmd.Path, cmd.Args); err != nil {
		return err
	}
	return cmd.Start()
}

// Run is cmd.Run, if the hook allows it.
func Run(cmd *exec.Cmd) error {
	if err := Allowed(cmd.Path, cmd.Args); err != nil {
		return err
	}
	return cmd.Run()
}

// Output is cmd.Output, if the hook allows it.
func Output(cmd *exec.Cmd) ([]byte, error) {
	if err := Allowed(cmd.Path, cmd.Args); err != nil {
		return nil, err
	}
	return cmd.Output()
}
