//go:build unix

package run

import (
	"fmt"
	"syscall"
)

// Become replaces this process with the program. It returns only on failure.
func (p *Program) Become() error {
	if err := syscall.Exec(p.Path, p.Args, p.Environ); err != nil {
		return fmt.Errorf("%s: %w", p.Path, err)
	}
	return nil
}

// crashCode reports whether an exit code is that of a shell whose command was ended by a signal.
func crashCode(code int) bool { return code > 128 }
