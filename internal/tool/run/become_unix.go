//go:build unix

package run

// Become replaces this process with the program. It returns only on failure.
func (p *Program) Become() error { return p.child().Replace() }

// crashCode reports whether an exit code is that of a shell whose command was ended by a signal.
func crashCode(code int) bool { return code > 128 }
