package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/roots"
	"vkloader/internal/decide/machine"
)

// Names of the sockets: one in the service's directory, which clients see, two in its private directory (PRO-001). The
// last one is for the administrator, whose commands do not wait behind clients, and only root and the service's own
// user reach it.
const (
	Socket        = "loader.sock"
	TrustedSocket = "loader-trusted.sock"
	AdminSocket   = "admin.sock"
)

// PrivateDirectory returns the service's private directory, beside the directory of its socket, for options that name
// none. A container that gets the socket's directory does not get this one.
func PrivateDirectory(directory string) string { return filepath.Clean(directory) + "-private" }

// Sockets are sockets from the service manager.
type Sockets struct {
	Plain, Trusted []*os.File
	Ready          func() // called when clients are accepted; may be nil
}

// Given reports whether there are any.
func (s *Sockets) Given() bool { return len(s.Plain)+len(s.Trusted) > 0 }

type listener struct {
	*net.UnixListener
	trusted bool
}

// places are the directories of a service, which no other service uses.
type places struct {
	client, private         *os.Root
	clientPath, privatePath string
	lock                    *os.File
}

// occupy opens the service's directories, checks their owners, and locks out other services.
func (s *Server) occupy() (p *places, err error) {
	p = &places{clientPath: s.options.Directory, privatePath: s.options.Private}
	if p.privatePath == "" {
		p.privatePath = PrivateDirectory(p.clientPath)
	}
	if p.client, err = machine.OwnDirectory(p.clientPath); err != nil {
		return nil, err
	}
	if p.private, err = machine.OwnDirectory(p.privatePath); err == nil {
		p.lock, err = p.private.OpenFile("lock", os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	}
	if err == nil && unix.Flock(int(p.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		err = fmt.Errorf("another service runs in %s", p.clientPath)
	}
	if err != nil {
		p.leave()
		return nil, err
	}
	return p, nil
}

// leave unlocks and closes the directories.
func (p *places) leave() {
	p.client.Close()
	if p.private != nil {
		p.private.Close()
	}
	if p.lock != nil {
		p.lock.Close()
	}
}

// listen uses the given sockets, or makes new ones, and always makes the administrator's; release removes new ones.
func (s *Server) listen(p *places) (list []listener, release func(), err error) {
	var made []func() error
	release = func() {
		for _, remove := range made {
			_ = remove()
		}
	}
	if s.options.Sockets.Given() {
		for i, files := range [][]*os.File{s.options.Sockets.Plain, s.options.Sockets.Trusted} {
			for _, f := range files {
				l, err := inheritedListener(f)
				if err != nil {
					return nil, nil, err
				}
				list = append(list, listener{l, i == 1})
			}
		}
	}
	for _, name := range []string{Socket, TrustedSocket, AdminSocket} {
		in, path := p.private, p.privatePath
		if name == Socket {
			in, path = p.client, p.clientPath
		}
		if s.options.Sockets.Given() && name != AdminSocket {
			continue
		}
		l, err := listenAt(in, path, name)
		if err == nil {
			made = append(made, func() error { return in.Remove(name) })
			err = s.permit(in, name)
		}
		if err != nil {
			release()
			return nil, nil, err
		}
		list = append(list, listener{l, name != Socket})
	}
	return list, release, nil
}

// listenAt listens on a socket in a directory. The path is safe, because no other user can change its target.
func listenAt(directory *os.Root, path, name string) (*net.UnixListener, error) {
	if err := directory.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: filepath.Join(path, name), Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if info, err := directory.Lstat(name); err != nil || info.Mode().Type() != os.ModeSocket {
		l.Close()
		return nil, fmt.Errorf("%s is not where its socket is: %w", path, errors.Join(err, os.ErrInvalid))
	}
	return l, nil
}

// inheritedListener listens on a socket from the service manager.
func inheritedListener(f *os.File) (*net.UnixListener, error) {
	kind, err := unix.GetsockoptInt(int(f.Fd()), unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_SEQPACKET {
		return nil, fmt.Errorf("%s: not a socket of type SOCK_SEQPACKET: %w", f.Name(),
			errors.Join(err, unix.EPROTOTYPE))
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

// permit sets the socket's mode: for all users, or for root and the service's own user.
func (s *Server) permit(directory *os.Root, name string) error {
	if name == Socket {
		return roots.Chmod(directory, name, 0o666)
	}
	return roots.Chmod(directory, name, 0o600)
}

// mayTrust reports whether a client is the administrator or the service's own user. A socket from the service manager
// may admit others, so that the mode of its file does not suffice.
func mayTrust(peer protocol.Peer) bool { return peer.UID == 0 || int(peer.UID) == os.Geteuid() }
