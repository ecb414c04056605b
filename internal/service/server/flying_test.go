package server

import (
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/service/protocol"
)

// unread is a client that has not read what was sent to it, and its end of the connection.
func unread(t *testing.T, s *Server, uid uint32) (*connection, *net.UnixConn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]*net.UnixConn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "end")
		c, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		ends[i] = c.(*net.UnixConn)
	}
	c := &connection{server: s, peer: protocol.Peer{UID: uid}, conn: protocol.On(ends[0])}
	if err := c.conn.Send([]byte("text"), 0); err != nil {
		t.Fatal(err)
	}
	s.connections[c] = true
	return c, ends[1]
}

// Whoever has subordinate users counts as many: what all users together leave unread has a bound, too. It does not hold
// for the administrator, and others are served again when something was read.
//
// holds: PRO-004
func TestDescriptorsOfAllUsers(t *testing.T) {
	t.Parallel()
	s := &Server{options: Options{Log: slog.New(slog.DiscardHandler), MaxUnderWay: 4, MaxFlying: 10},
		connections: map[*connection]bool{}, flying: underWay{users: map[uint32]int{}}}
	var sent int
	var first *net.UnixConn
	for n := range 20 {
		c, end := unread(t, s, uint32(100_000+n))
		if n == 0 {
			first = end
		}
		if err := s.fly(c, 3); err == nil {
			sent += 3
		} else if !strings.Contains(err.Error(), "all users") {
			t.Error(err)
		}
	}
	if sent != 9 {
		t.Errorf("%d descriptors are under way", sent)
	}
	if c, _ := unread(t, s, 0); s.fly(c, 3) != nil {
		t.Error("the administrator waits for others")
	}
	if _, err := first.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	c, _ := unread(t, s, 4242)
	if err := s.fly(c, 1); err != nil {
		t.Errorf("when some were read: %v", err)
	}
}
