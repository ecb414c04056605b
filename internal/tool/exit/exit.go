// Package exit defines the exit codes of the tool's commands, and errors with exit codes.
package exit

import (
	"errors"
	"fmt"

	"vkloader/internal/decide/wording"
)

// Exit codes of every command.
const (
	Fine      = 0
	Problems  = 1 // the command found problems
	Usage     = 2 // wrong usage
	NotLooked = 3 // the command could not examine its subject
)

// Exit codes of "run" for a program that did not start, as in shells and env.
const (
	CannotRun = 126
	NotFound  = 127
)

// Error ends the tool with a code after its message. Without Err, the command has printed its message.
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

// With returns an error with a code and without a message.
func With(code int) error { return &Error{code, nil} }

// As returns an error with a code and the message of err; nil for nil.
func As(code int, err error) error {
	if err == nil {
		return nil
	}
	return &Error{code, err}
}

// Unable returns an error for a subject that the tool could not examine.
func Unable(format string, args ...any) error {
	return &Error{NotLooked, fmt.Errorf(format, args...)}
}

// Problem returns an error for a problem that the tool found.
func Problem(format string, args ...any) error {
	return &Error{Problems, fmt.Errorf(format, args...)}
}

// CodeOf returns the exit code of an error. An error without a code is wrong usage.
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

// Message returns an error's text for a user.
func Message(err error) string { return wording.Message(err) }
