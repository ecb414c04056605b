package component

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Numbers of refusals (PRO-019).
const (
	Internal         = 1
	InvalidArguments = 2
	Unsupported      = 3
	NotFound         = 4
	AccessDenied     = 5
)

// refusal is an error with its number.
type refusal struct {
	number uint32
	error
}

func (r *refusal) Unwrap() error { return r.error }

func refuse(number uint32, err error) error { return &refusal{number, err} }

// numberOf returns the number of an error.
func numberOf(err error) uint32 {
	var r *refusal
	switch {
	case errors.As(err, &r):
		return r.number
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return NotFound
	// A path that leads out of its directory, or through a refused link, is reported as forbidden.
	case errors.Is(err, fs.ErrPermission), errors.Is(err, unix.EXDEV), errors.Is(err, unix.ELOOP):
		return AccessDenied
	}
	return Internal
}
