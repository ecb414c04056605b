package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
)

// unread returns a client that has not read its replies, and the client's end of the connection.
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
	c := &connection{server: s, peer: protocol.Peer{UID: uid}, person: person{uid, uid == 0}, conn: protocol.On(ends[0])}
	if err := c.conn.Send([]byte("text"), 0); err != nil {
		t.Fatal(err)
	}
	s.connections[c] = true
	return c, ends[1]
}

// counting returns a server that only counts descriptors under way.
func counting(options Options) *Server {
	options.Log = slog.New(slog.DiscardHandler)
	return &Server{options: options, context: context.Background(), connections: map[*connection]bool{},
		flying: underWay{users: map[person]int{}, counted: map[person]time.Time{}}}
}

// A reply is not counted for a connection that has already ended: the count would never shrink, and 256 replies of this kind would
// end the service for that user.
//
// holds: PRO-004
func TestEndedClientHasNothingUnderWay(t *testing.T) {
	t.Parallel()
	s := counting(Options{})
	c, end := unread(t, s, 1000)
	end.Close()
	s.hangUp(c)
	delete(s.connections, c)
	if err := s.mayFly(c, 1, time.Minute); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
	if s.flying.all != 0 || len(s.flying.users) != 0 || len(s.flying.left) != 0 {
		t.Errorf("%+v", s.flying)
	}
}

// While many clients of a user wait, their descriptors are counted at most once in a period: counting at each request would slow
// down the service for other users.
//
// holds: PRO-004
func TestUnderWayIsCountedNowAndThen(t *testing.T) {
	t.Parallel()
	s := counting(Options{MaxUnderWay: 4, CountAgain: time.Hour})
	c, end := unread(t, s, 1000)
	if err := s.fly(c, 4); err != nil {
		t.Fatal(err)
	}
	if s.fly(c, 1) == nil {
		t.Error("more than may be under way")
	}
	if _, err := end.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if s.fly(c, 1) == nil {
		t.Error("it was counted again at once")
	}
	s.options.CountAgain = time.Nanosecond
	if err := s.mayFly(c, 1, time.Minute); err != nil {
		t.Errorf("when it was read: %v", err)
	}
	if s.flying.all != 1 || s.flying.users[person{uid: 1000}] != 1 {
		t.Errorf("%+v", s.flying)
	}
}

// A user can have many subordinate users, so the unread descriptors of all users together are limited, too. The administrator
// has no limit. Others continue when a client reads.
//
// holds: PRO-004
func TestDescriptorsOfAllUsers(t *testing.T) {
	t.Parallel()
	s := counting(Options{MaxUnderWay: 4, MaxFlying: 10})
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
	if err := s.mayFly(c, 1, time.Minute); err != nil {
		t.Errorf("when some were read: %v", err)
	}
}
