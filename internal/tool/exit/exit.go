// Package exit is what the tool's process ends with: the codes of every command, and errors that bear one.
package exit

import (
	"errors"
	"fmt"
)

// Codes of every command.
const (
	Fine      = 0
	Problems  = 1 // problems were found
	Usage     = 2 // wrong usage
	NotLooked = 3 // it could not look
)

// Codes of run for a program that did not start, as shells and env have them.
const (
	CannotRun = 126
	NotFound  = 127
)

// Error ends the program with a code after its message; without one the command has said all there is to say.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// With is an error that ends the program with a code and no message.
func With(code int) error { return &Error{code, nil} }

// As is an error with its message, which ends the program with a code.
func As(code int, err error) error { return &Error{code, err} }

// Unable says what kept the tool from looking.
func Unable(format string, args ...any) error {
	return &Error{NotLooked, fmt.Errorf(format, args...)}
}

// Problem says what is wrong with what was found.
func Problem(format string, args ...any) error {
	return &Error{Problems, fmt.Errorf(format, args...)}
}

// CodeOf is the code that an error ends the program with; one that bears none is wrong usage.
func CodeOf(err error) int {
	var e *Error
	switch {
	case err == nil:
		return Fine
	case errors.As(err, &e):
		return e.Code
	}
	return Usage
}
