//go:build unix

package run

import (
	"os"
	"syscall"

	"vkloader/internal/tool/term"
)

// Become replaces this process with the program. It returns only on failure.
func (p *Program) Become() error { return p.child().Replace() }

// crashCode reports whether an exit code is that of a shell whose command was ended by a signal.
func crashCode(code int) bool { return code > 128 }

// wishes returns the user's reason to end a program, which a signal tells before over is closed.
func wishes(signals <-chan os.Signal, over <-chan struct{}) <-chan int32 {
	says := make(chan int32, 1)
	go func() {
		select {
		case <-over:
		case s := <-signals:
			says <- term.Either(s == syscall.SIGQUIT, hangs, unwanted)
		}
	}()
	return says
}
