package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Root makes no socket in another user's directory. That user could replace the new socket by a link, and root would change
// the permissions of the link's target.
func TestSocketRace(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("making directories of another user takes root")
	}
	const somebody = 4242
	top := t.TempDir()
	users, evil, precious := filepath.Join(top, "users"), filepath.Join(top, "evil"), filepath.Join(top, "precious")
	if err := errors.Join(os.Mkdir(users, 0o755), os.Chown(users, somebody, somebody), os.Mkdir(evil, 0o755),
		os.WriteFile(precious, nil, 0o644), os.Symlink(precious, filepath.Join(evil, "s"))); err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			entries, _ := os.ReadDir(users)
			for _, e := range entries {
				made := filepath.Join(users, e.Name())
				if !strings.HasPrefix(e.Name(), ".vkloader-ui-") || !e.IsDir() {
					continue
				}
				for try := 0; try < 1000; try++ { // the socket is created, and its mode is set next
					if unix.Access(made+"/s", unix.F_OK) == nil {
						_ = unix.Rename(made, filepath.Join(top, "gone"+e.Name()))
						_ = unix.Symlink(evil, made)
						break
					}
				}
			}
		}
	}()
	for range 2000 {
		if l, err := listenSocket(filepath.Join(users, "socket")); err == nil {
			l.Close()
			os.Remove(filepath.Join(users, "socket"))
		}
	}
	close(stop)
	<-ended
	if info, err := os.Stat(precious); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("another file has changed: %v, %v", info.Mode(), err)
	}
	if l, err := listenSocket(filepath.Join(users, "socket")); err == nil {
		l.Close()
		t.Error("a socket is made in another user's directory")
	}
}
