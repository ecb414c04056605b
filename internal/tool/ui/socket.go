package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"vkloader/internal/tool/machine"
)

// listenSocket makes a socket that its user alone may open. It is made in a directory of the user's own and then gets its
// name, so that it never is there with other permissions. Paths may be used because nobody else can change where they lead.
func listenSocket(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&fs.ModeSocket == 0 {
			return nil, fmt.Errorf("--socket %s: a file that is no socket is there", path)
		}
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, fmt.Errorf("--socket %s: another program listens there", path)
		} else if !errors.Is(err, syscall.ECONNREFUSED) {
			return nil, fmt.Errorf("--socket: %w", err)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("--socket: %w", err)
	} else if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return nil, fmt.Errorf("--socket: others may write to %s, and replace the socket", filepath.Dir(path))
	}
	directory, err := machine.TemporaryDirectory(filepath.Dir(path), ".vkloader-ui-")
	if err != nil {
		return nil, fmt.Errorf("--socket: %w", err)
	}
	defer os.RemoveAll(directory)
	hidden := filepath.Join(directory, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("--socket: %w", err)
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(hidden, 0o600); err == nil {
		err = os.Rename(hidden, path)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("--socket: %w", err)
	}
	return l, nil
}

// removeSocket removes the socket of a server that has ended, unless another one listens there meanwhile.
func removeSocket(path string) {
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		_ = os.Remove(path)
	}
}
