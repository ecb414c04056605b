package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/directory"
)

// leftovers are the names and kinds of files that earlier releases kept beside the socket, in the directory that clients get.
var leftovers = []struct {
	name string
	kind fs.FileMode
}{{TrustedSocket, fs.ModeSocket}, {"lock", 0}, {debug, fs.ModeDir}, {InspectFile, 0}, {InspectFile + ".new", 0}, {images, fs.ModeDir}}

// images is where earlier releases unpacked images.
const images = "images"

// sweepDirectory removes the files that an earlier release left beside the socket, because clients get that directory. It
// keeps other files, and logs them. It returns an error if the earlier release still runs.
func (s *Server) sweepDirectory(p *places) error {
	if isLocked(p.client, "lock") {
		return fmt.Errorf("another service, of an earlier release, runs in %s", p.clientPath)
	}
	for _, one := range leftovers {
		if one.name == images && s.options.Resolver.Cache == filepath.Join(p.clientPath, images) {
			continue // the configuration says so
		}
		info, err := p.client.Lstat(one.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = foreign(info, one.kind)
		}
		if err == nil && one.name == TrustedSocket && len(s.options.Sockets.Trusted) > 0 {
			err = errors.New("whoever started the service has perhaps made it")
		}
		if err == nil {
			err = directory.RemoveAll(p.client, one.name)
		}
		if err != nil {
			s.log.Warn("clients find more than the socket in the directory", "directory", p.clientPath, "file", one.name, "why", err)
			continue
		}
		s.log.Info("what an earlier release left is removed", "directory", p.clientPath, "file", one.name)
	}
	return nil
}

// foreign returns why a file is not a leftover of this service.
func foreign(info fs.FileInfo, kind fs.FileMode) error {
	if info.Mode().Type() != kind {
		return fmt.Errorf("it is no file of the service's, but %s", info.Mode())
	}
	if of, ok := info.Sys().(*syscall.Stat_t); !ok || int(of.Uid) != os.Geteuid() {
		return errors.New("it belongs to another user")
	}
	return nil
}

// isLocked reports whether another process holds a lock on a file.
func isLocked(in *os.Root, name string) bool {
	f, err := in.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == unix.EWOULDBLOCK
}
