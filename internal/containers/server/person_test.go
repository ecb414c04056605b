package server

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/internal/containers/protocol"
)

// The subordinate users of a person count as that person.
//
// holds: PRO-004
func TestSubordinatesArePerson(t *testing.T) {
	t.Parallel()
	const table = "# a comment\nroot:100000:65536\n4243:200000:65536\nno-such-user:300000:10\n4244:400000:x\n"
	for uid, want := range map[uint32]uint32{99999: 99999, 100000: 0, 165535: 0, 200000: 4243, 265535: 4243, 265536: 265536, 300001: 300001, 400001: 400001} {
		if got := superior(uid, table); got != want {
			t.Errorf("%d counts as %d, want %d", uid, got, want)
		}
	}
}

// The owner of a client's user namespace is the person. User 0 of a namespace is not the administrator.
//
// holds: PRO-004
func TestPersonOfNamespace(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("other users take root")
	}
	top, err := os.MkdirTemp("", "person") // other users can reach it, unlike a test's own directory
	if err == nil {
		t.Cleanup(func() { os.RemoveAll(top) })
		err = os.Chmod(top, 0o755)
	}
	directory := filepath.Join(top, "socket")
	l, wrong := net.ListenUnix("unixpacket", &net.UnixAddr{Name: directory, Net: "unixpacket"})
	if err = errors.Join(err, wrong); err == nil {
		t.Cleanup(func() { l.Close() })
		err = os.Chmod(directory, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		words []string
		want  person
	}{
		"root":                     {nil, person{0, true}},
		"a user":                   {[]string{"setpriv", "--reuid=4243", "--regid=4243", "--clear-groups"}, person{uid: 4243}},
		"root of a container":      {[]string{"unshare", "--pid", "--fork"}, person{uid: 0}},
		"a user's user namespace":  {[]string{"setpriv", "--reuid=4243", "--regid=4243", "--clear-groups", "unshare", "--user", "--map-root-user"}, person{uid: 4243}},
		"a container of that user": {[]string{"setpriv", "--reuid=4243", "--regid=4243", "--clear-groups", "unshare", "--user", "--map-root-user", "--pid", "--fork", "unshare", "--user"}, person{uid: 4243}},
	} {
		const connect = `import socket,sys; s=socket.socket(socket.AF_UNIX,socket.SOCK_SEQPACKET); s.connect(sys.argv[1]); s.recv(1)`
		cmd := exec.Command("env", append(c.words, "/usr/bin/python3", "-c", connect, directory)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := l.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		socket, err := l.AcceptUnix()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		peer, err := protocol.On(socket).Peer()
		if got := personOf(peer); err != nil || got != c.want {
			t.Errorf("%s: %+v, want %+v, %v", name, got, c.want, err)
		}
		socket.Close()
		_ = cmd.Wait()
	}
}

// The administrator and the service's own user get a connection while other persons have all other connections. User 0 of a
// container is another person.
//
// holds: PRO-004
func TestReservedConnections(t *testing.T) {
	t.Parallel()
	s := &Server{options: Options{Log: slog.New(slog.DiscardHandler)}, connections: map[*connection]bool{}}
	busy := func(p person) *connection {
		return &connection{server: s, peer: protocol.Peer{UID: p.uid}, person: p, unanswered: 1}
	}
	for n := range maxConnections {
		if c := busy(person{uid: uint32(n / maxPerUser)}); s.admit(c, c.peer) != nil {
			t.Fatalf("connection %d is refused", n)
		}
	}
	if c := busy(person{uid: 4243}); s.admit(c, c.peer) == nil {
		t.Error("there is no limit")
	}
	for n := range reserved {
		if c := busy(person{0, true}); s.admit(c, c.peer) != nil {
			t.Fatalf("connection %d of the administrator is refused", n)
		}
	}
	if c := busy(person{0, true}); s.admit(c, c.peer) == nil {
		t.Error("there is no limit for the administrator")
	}
}

// The log gets a limited number of lines from a person's clients. Other persons have their own limit.
func TestLinesOfPerson(t *testing.T) {
	t.Parallel()
	var text kept
	var l lines
	log := func(uid uint32) *slog.Logger {
		return slog.New(&quiet{slog.NewTextHandler(&text, nil), &l, person{uid: uid}}).With("uid", uid)
	}
	for range 1000 {
		log(1).Warn("refused")
	}
	log(2).Warn("refused")
	if first, second, notes := strings.Count(text.String(), "uid=1"), strings.Count(text.String(), "uid=2"), strings.Count(text.String(), "left out"); first != maxLines || second != 1 || notes != 1 {
		t.Errorf("%d lines, %d of another person, %d notes", first, second, notes)
	}
	if write, _ := l.more(person{uid: 1}, time.Now().Add(linePeriod)); !write {
		t.Error("nothing is written in the next period")
	}
}
