// Package descriptor gives the descriptor of an open file to system calls.
package descriptor

import (
	"errors"
	"syscall"
)

// Use calls do with the descriptor of a file or a socket, which stays open meanwhile and keeps its mode: the method Fd
// of os.File makes its file blocking.
func Use(file syscall.Conn, do func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	closed := raw.Control(func(fd uintptr) { err = do(int(fd)) })
	return errors.Join(closed, err)
}
