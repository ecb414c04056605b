package protocol

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/descriptor"
)

// Conn is one end of a connection.
type Conn struct {
	socket *net.UnixConn
	buffer []byte
}

// On wraps a connected socket of type SOCK_SEQPACKET.
func On(socket *net.UnixConn) *Conn { return &Conn{socket: socket} }

// Close closes the connection; a concurrent Receive returns an error.
func (c *Conn) Close() error { return c.socket.Close() }

// Peer is the process at the other end, as recorded by the kernel.
type Peer struct {
	PID      int32
	UID, GID uint32
	Nested   bool // it is in a process namespace below this process's, as in a container, or the kernel does not say
}

// Peer returns the process that was at the other end when the connection was made.
func (c *Conn) Peer() (p Peer, err error) {
	err = descriptor.Use(c.socket, func(fd int) error {
		who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			p = Peer{PID: who.Pid, UID: who.Uid, GID: who.Gid, Nested: isInNamespace(fd, int(who.Pid))}
		}
		return err
	})
	return p, err
}

// isInNamespace reports whether the process at the other end of a socket has another process namespace than this one.
// Before Linux 6.5, it looks the process up by its number.
func isInNamespace(socket, pid int) bool {
	process, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if err != nil {
		process, err = unix.PidfdOpen(pid, 0)
	}
	if err != nil {
		return true
	}
	defer unix.Close(process)
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", process))
	_, rest, found := strings.Cut(string(text), "\nNSpid:")
	numbers, _, _ := strings.Cut(rest, "\n")
	return err != nil || !found || len(strings.Fields(numbers)) != 1
}

// Receive waits for the next datagram. The bytes are valid until the next call; the caller owns the descriptors.
// An error ends the connection: the other end has closed it, or has sent a datagram of another protocol.
func (c *Conn) Receive() (frame []byte, files []*os.File, err error) {
	if c.buffer == nil {
		c.buffer = make([]byte, maxFrame)
	}
	beside := make([]byte, unix.CmsgSpace(4*maxFiles))
	n, nb, flags, _, err := c.socket.ReadMsgUnix(c.buffer, beside)
	if nb > 0 {
		var bad error
		if files, bad = descriptors(beside[:nb]); err == nil {
			err = bad
		}
	}
	switch {
	case err != nil:
	case flags&unix.MSG_TRUNC != 0:
		err = fmt.Errorf("a datagram of more than %d bytes", maxFrame)
	case flags&unix.MSG_CTRUNC != 0 || len(files) > maxFiles:
		err = fmt.Errorf("a datagram with more than %d descriptors", maxFiles)
	}
	if err != nil {
		Discard(files)
		return nil, nil, err
	}
	return c.buffer[:n], files, nil
}

// ReceiveWithin is Receive with a time limit, after which it returns an error that IsLate recognizes. The connection
// stays.
func (c *Conn) ReceiveWithin(limit time.Duration) (frame []byte, files []*os.File, err error) {
	if err := c.socket.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return nil, nil, err
	}
	return c.Receive()
}

// IsLate reports whether an error means that a time limit has passed.
func IsLate(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// Unread reports whether the other end has not read everything that was sent.
func (c *Conn) Unread() bool {
	left := 0
	err := descriptor.Use(c.socket, func(fd int) (err error) {
		left, err = unix.IoctlGetInt(fd, unix.SIOCOUTQ)
		return err
	})
	return err == nil && left > 0 // it is not closed
}

// Shut ends the connection in both directions, but keeps the socket for Unread.
func (c *Conn) Shut() {
	_ = c.socket.CloseRead()
	_ = c.socket.CloseWrite()
}

// descriptors returns the descriptors in a datagram's control messages.
func descriptors(beside []byte) ([]*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(beside)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range messages {
		if m.Header.Level != unix.SOL_SOCKET || m.Header.Type != unix.SCM_RIGHTS {
			continue
		}
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files, nil
}

// Send writes one datagram with descriptors, which the caller still owns. After limit it gives up and ends the
// connection, because a datagram is sent as a whole. 0: no limit.
func (c *Conn) Send(frame []byte, limit time.Duration, files ...*os.File) error {
	if len(frame) > maxFrame || len(files) > maxFiles {
		return fmt.Errorf("%d bytes with %d descriptors do not fit into a datagram", len(frame), len(files))
	}
	deadline := time.Time{}
	if limit > 0 {
		deadline = time.Now().Add(limit)
	}
	if err := c.socket.SetWriteDeadline(deadline); err != nil {
		return err
	}
	return withFDs(files, nil, func(fds []int) error {
		var beside []byte
		if len(fds) > 0 {
			beside = unix.UnixRights(fds...)
		}
		_, _, err := c.socket.WriteMsgUnix(frame, beside, nil)
		return err
	})
}

// withFDs calls do with the descriptors of files, which stay open and keep their mode until do returns.
func withFDs(files []*os.File, fds []int, do func([]int) error) error {
	if len(files) == 0 {
		return do(fds)
	}
	return descriptor.Use(files[0], func(fd int) error { return withFDs(files[1:], append(fds, fd), do) })
}

// Discard closes unused files, of which some may be nil.
func Discard(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
