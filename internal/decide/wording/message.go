package wording

import (
	"errors"
	"io/fs"
	"os/exec"
	"strings"
)

// Message returns an error's text for a user. A failed call on a file becomes the file's name and the reason in plain
// English, without the name of the system's function.
func Message(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	var file *fs.PathError
	var program *exec.Error
	switch {
	case errors.As(err, &file):
		return strings.Replace(text, file.Error(), reason(file.Path, file.Err), 1)
	case errors.As(err, &program):
		return strings.Replace(text, program.Error(), reason(program.Name, program.Err), 1)
	}
	return text
}

// reason returns the name of a file with the reason why it cannot be used.
func reason(name string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name + " does not exist"
	case errors.Is(err, fs.ErrPermission):
		return name + ": permission denied"
	case errors.Is(err, fs.ErrExist):
		return name + " exists already"
	}
	return name + ": " + err.Error()
}
