package server

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"vkloader/internal/containers/protocol"
)

// The connections of a user are limited. They take none from other users. An idle connection makes room for a new one.
//
// holds: PRO-004
func TestConnectionsOfAUser(t *testing.T) {
	t.Parallel()
	s := &Server{options: Options{Log: slog.New(slog.DiscardHandler)}, connections: map[*connection]bool{}}
	busy := func(uid uint32) *connection {
		return &connection{server: s, peer: protocol.Peer{UID: uid}, person: person{uid: uid}, unanswered: 1}
	}
	for n := range maxConnections {
		c := busy(1)
		if err := s.admit(c, c.peer); (err == nil) != (n < maxPerUser) {
			t.Fatalf("connection %d: %v", n, err)
		}
	}
	if c := busy(2); s.admit(c, c.peer) != nil {
		t.Error("another user is locked out")
	}
}

// holds: PRO-004
func TestIdleMakesRoom(t *testing.T) {
	t.Parallel()
	directory := service(t, nil, func(o *Options) { o.MaxPerUser, o.IdleGrace = 2, time.Nanosecond })
	features := protocol.Request{Method: protocol.Features}
	first := dial(t, directory)
	ask(t, first, features, nil)
	second := dial(t, directory)
	ask(t, second, features, nil)
	ask(t, dial(t, directory), features, nil)
	if _, err := first.Ask(features, nil); err == nil {
		t.Error("the one that was idle longest is there")
	}
	ask(t, second, features, nil)
}

// holds: PRO-004
func TestIdleLimit(t *testing.T) {
	t.Parallel()
	directory := service(t, nil, func(o *Options) { o.IdleLimit = 50 * time.Millisecond })
	c := raw(t, directory)
	if err := c.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 100)); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("an idle client stays: %d, %v", n, err)
	}
}

// The descriptors that a user's clients have not read are limited, also those on many connections and on ended ones.
//
// holds: PRO-004
func TestDescriptorsUnderWay(t *testing.T) {
	t.Parallel()
	log := &kept{}
	directory := service(t, nil, func(o *Options) {
		o.MaxUnderWay, o.SendLimit = 8, 100*time.Millisecond
		o.Log = slog.New(slog.NewTextHandler(log, nil))
	})
	var open []*net.UnixConn
	for range 4 {
		c := raw(t, directory)
		open = append(open, c)
		for range 20 {
			if _, err := c.Write([]byte(`{"id":1,"method":"connect_device_fs"}`)); err != nil {
				break
			}
		}
	}
	for range 2000 {
		if strings.Count(log.String(), "unread") == len(open) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	got := 0
	for _, c := range open {
		conn := protocol.On(c)
		if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		for {
			_, files, err := conn.Receive()
			got += len(files)
			protocol.Discard(files)
			if err != nil || len(files) == 0 {
				break
			}
		}
	}
	if got == 0 || got > 8 {
		t.Errorf("%d descriptors were under way", got)
	}
	files, err := dial(t, directory).Ask(protocol.Request{Method: protocol.DeviceFS}, nil)
	if err != nil {
		t.Fatalf("when they were read: %v", err)
	}
	protocol.Discard(files)
}
