package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"vkloader/internal/service/protocol"
)

// Names of the sockets in the service's directory (PRO-001).
const (
	Socket        = "loader.sock"
	TrustedSocket = "loader-trusted.sock"
)

// Sockets are those that whoever started the service has made already.
type Sockets struct {
	Plain, Trusted []*os.File
	Ready          func() // called when clients are accepted; may be nil
}

// Given tells whether there are any.
func (s *Sockets) Given() bool { return len(s.Plain)+len(s.Trusted) > 0 }

type listener struct {
	*net.UnixListener
	trusted bool
}

// listen takes the sockets that it was given, or makes its own; release removes what it has made.
func (s *Server) listen() (list []listener, release func(), err error) {
	directory := s.options.Directory
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, nil, err
	}
	lock, err := os.OpenFile(filepath.Join(directory, "lock"), os.O_RDWR|os.O_CREATE|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		return nil, nil, fmt.Errorf("another service runs in %s", directory)
	}
	var paths []string
	release = func() {
		for _, path := range paths {
			os.Remove(path)
		}
		lock.Close()
	}
	if s.options.Sockets.Given() {
		for i, files := range [][]*os.File{s.options.Sockets.Plain, s.options.Sockets.Trusted} {
			for _, f := range files {
				l, err := taken(f)
				if err != nil {
					release()
					return nil, nil, err
				}
				list = append(list, listener{l, i == 1})
			}
		}
		return list, release, nil
	}
	for _, one := range []struct {
		name    string
		trusted bool
	}{{Socket, false}, {TrustedSocket, true}} {
		path := filepath.Join(directory, one.name)
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			release()
			return nil, nil, err
		}
		l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
		if err == nil {
			paths = append(paths, path)
			err = s.permit(path, one.trusted)
		}
		if err != nil {
			release()
			return nil, nil, err
		}
		list = append(list, listener{l, one.trusted})
	}
	return list, release, nil
}

// taken listens on a socket that somebody else has made.
func taken(f *os.File) (*net.UnixListener, error) {
	kind, err := unix.GetsockoptInt(int(f.Fd()), unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_SEQPACKET {
		return nil, fmt.Errorf("%s: not a socket of type SOCK_SEQPACKET: %w", f.Name(), errors.Join(err, unix.EPROTOTYPE))
	}
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	f.Close()
	unixListener, ok := l.(*net.UnixListener)
	if !ok {
		return nil, fmt.Errorf("%s: not a Unix socket", l.Addr())
	}
	unixListener.SetUnlinkOnClose(false)
	return unixListener, nil
}

// permit says by the socket's mode who may connect: everybody, or the trusted groups. Which groups a client is in is
// looked at again when it connects.
func (s *Server) permit(path string, trusted bool) error {
	if !trusted {
		return os.Chmod(path, 0o666)
	}
	switch groups := s.options.TrustedGroups; len(groups) {
	case 0:
		return os.Chmod(path, 0o600)
	case 1:
		group, err := user.LookupGroup(groups[0])
		if err != nil {
			return err
		}
		gid, err := strconv.Atoi(group.Gid)
		if err != nil {
			return err
		}
		return errors.Join(os.Chown(path, -1, gid), os.Chmod(path, 0o660))
	default:
		return os.Chmod(path, 0o666)
	}
}

// mayTrust tells whether a client is the administrator, the service's own user, or in one of the groups.
func mayTrust(peer protocol.Peer, groups []string) bool {
	if peer.UID == 0 || int(peer.UID) == os.Geteuid() {
		return true
	}
	ids := []string{strconv.Itoa(int(peer.GID))}
	if u, err := user.LookupId(strconv.Itoa(int(peer.UID))); err == nil {
		if more, err := u.GroupIds(); err == nil {
			ids = append(ids, more...)
		}
	}
	return slices.ContainsFunc(groups, func(name string) bool {
		group, err := user.LookupGroup(name)
		return err == nil && slices.Contains(ids, group.Gid)
	})
}
