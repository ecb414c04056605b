package server

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/decide/workers"
)

func raw(t testing.TB, directory string) *net.UnixConn {
	t.Helper()
	c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: filepath.Join(directory, Socket), Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// An invalid request ends its connection, and no other.
//
// holds: PRO-002 PRO-006 FLS-013 FLS-015 FLS-026
func TestBadRequests(t *testing.T) {
	t.Parallel()
	directory := service(t, nil)
	other := dial(t, directory)
	ok := `{"id":1,"method":"get_supported_features"}`
	long := strings.Repeat("n", 65)
	send := func(text string, fds int) error {
		c := raw(t, directory)
		if err := c.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
			return err
		}
		var beside []byte
		if fds > 0 {
			beside = unix.UnixRights(make([]int, fds)...) // standard input, fds times
		}
		if _, _, err := c.WriteMsgUnix([]byte(text), beside, nil); err != nil {
			return err
		}
		n, err := c.Read(make([]byte, 4096))
		if err == nil && n == 0 {
			err = fmt.Errorf("closed")
		}
		return err
	}
	for name, text := range map[string]string{
		"an empty datagram": "", "no JSON": "hello", "half a request": ok[:20], "more after it": ok + "x", "no object": "[1]", "null": "null",
		"no id": `{"method":"get_supported_features"}`, "a negative id": `{"id":-1,"method":"get_supported_features"}`,
		"a fraction": `{"id":1.5,"method":"get_supported_features"}`, "no method": `{"id":1}`, "an unknown method": `{"id":1,"method":"fly"}`,
		"a method of another kind": `{"id":1,"method":1}`, "no name": `{"id":1,"method":"get"}`, "a long name": `{"id":1,"method":"get","name":"` + long + `"}`,
		"a zero byte": `{"id":1,"method":"get","name":"a\u0000b"}`, "no machine": `{"id":1,"method":"machine_drivers"}`,
		"no file": `{"id":1,"method":"open_file"}`, "no path": `{"id":1,"method":"open_device"}`,
		"too long, of nothing": ok + strings.Repeat(" ", 70<<10),
		"too long":             `{"id":1,"method":"get_supported_features","x":"` + strings.Repeat("x", 70<<10) + `"}`,
	} {
		if err := send(text, 0); err == nil {
			t.Errorf("%s: it is answered", name)
		}
	}
	if err := send(ok, 5); err == nil {
		t.Error("five descriptors are answered")
	}
	for name, err := range map[string]error{
		"four descriptors": send(ok, 4), "a name of 64 bytes": send(`{"id":1,"method":"get","name":"`+long[1:]+`"}`, 0),
		"options that are not known": send(`{"id":18446744073709551615,"method":"connect_manifest_fs","options":254}`, 0),
		"as long as may be":          send(ok+strings.Repeat(" ", 64<<10-len(ok)), 0),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var features struct{ Features uint64 }
	if ask(t, other, protocol.Request{Method: protocol.Features}, &features); features.Features&7 != 7 {
		t.Error("another client is affected")
	}
}

// Calls on one connection are independent, and their answers come in any order.
//
// holds: PRO-003 FLS-011
func TestManyCalls(t *testing.T) {
	t.Parallel()
	s := stage(t)
	s.device("renderD128") // so that get waits
	c := protocol.On(raw(t, s.directory))
	say := func(text string) {
		if err := c.Send([]byte(text), 0); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"id":1,"method":"get","name":"x"}`)
	say(`{"id":2,"method":"connect_manifest_fs","options":1}`)
	say(`{"id":3,"method":"get_supported_features"}`)
	say(`{"id":4,"method":"connect_device_fs"}`)
	for _, id := range []uint64{3, 4} {
		frame, files, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		protocol.Discard(files)
		var r protocol.Reply
		if err := json.Unmarshal(frame, &r); err != nil || r.ID != id {
			t.Errorf("%s", frame)
		}
	}
}

// The service drops a client that has too many requests, or reads no answers.
func TestGreedyClients(t *testing.T) {
	t.Parallel()
	s := stage(t, func(o *Options) { o.SendLimit = 50 * time.Millisecond })
	s.device("renderD128")
	for name, text := range map[string]string{"waiting": `{"id":1,"method":"get","name":"x"}`, "not reading": `{"id":1,"method":"connect_device_fs"}`} {
		c := raw(t, s.directory)
		if err := c.SetWriteDeadline(time.Now().Add(5 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		var err error
		for range 100_000 {
			if _, err = c.Write([]byte(text)); err != nil {
				break
			}
		}
		if err == nil {
			t.Errorf("%s: it is not dropped", name)
		}
	}
	c := dial(t, s.directory)
	until(t, c, "the others gone", func(root map[string]any) bool { return root["stats"].(map[string]any)["clients"] == 1.0 })
}

func TestTooManyClients(t *testing.T) {
	t.Parallel()
	directory := service(t, nil, func(o *Options) { o.MaxConnections, o.IdleGrace = 2-reserved, time.Hour })
	first, second := dial(t, directory), dial(t, directory)
	ask(t, first, protocol.Request{Method: protocol.Features}, nil)
	ask(t, second, protocol.Request{Method: protocol.Features}, nil)
	third := dial(t, directory)
	if _, err := third.Ask(protocol.Request{Method: protocol.Features}, nil); err == nil {
		t.Error("one more than may be")
	}
	first.Close()
	until(t, second, "one left", func(root map[string]any) bool { return root["stats"].(map[string]any)["clients"] == 1.0 })
	ask(t, dial(t, directory), protocol.Request{Method: protocol.Features}, nil)
}

// hostileTime returns the duration of the hostile clients: a second, or the seconds in VKLOADER_TEST_HOSTILE.
func hostileTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("VKLOADER_TEST_HOSTILE")
	if text == "" {
		return time.Second
	}
	seconds, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(seconds) * time.Second
}

// Two hundred clients send invalid or large requests, read nothing and disconnect, while one gets its answers.
//
// holds: FLS-015 PRO-002 PRO-004
func TestHostileClients(t *testing.T) {
	t.Parallel()
	files := twoDrivers()
	directory := service(t, files, func(o *Options) {
		o.SendLimit = 5 * time.Second // the correct client is of the same user, and may have to wait for the others
		o.Log = slog.New(slog.DiscardHandler)
	})
	end := time.Now().Add(hostileTime(t))
	var group workers.Group
	for seed := range uint64(200) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, 7))
			for time.Now().Before(end) {
				hostile(r, directory)
			}
		})
	}
	good := dial(t, directory)
	answers := 0
	for time.Now().Before(end) {
		ask(t, good, protocol.Request{Method: protocol.MachineDrivers, Machine: pointer("x86_64")}, nil)
		ask(t, good, protocol.Request{Method: protocol.OpenFile, File: pointer(0)}, nil)
		answers++
	}
	group.Wait()
	if answers == 0 {
		t.Error("no answers")
	}
	until(t, good, "the others gone", func(root map[string]any) bool { return root["stats"].(map[string]any)["clients"] == 1.0 })
}

// hostile runs one hostile client until it disconnects.
func hostile(r *rand.Rand, directory string) {
	c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: filepath.Join(directory, Socket), Net: "unixpacket"})
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	requests := []string{`{"id":1,"method":"get","name":"x"}`, `{"id":2,"method":"machine_drivers","machine":"x86_64"}`,
		`{"id":3,"method":"open_file","file":1}`, `{"id":4,"method":"connect_manifest_fs","options":1}`,
		`{"id":5,"method":"inspect"}`, `{"id":6,"method":"open_device","path":"class/drm/../../../x"}`, `{"id":7,"method":"get_exec_grant"}`}
	for range r.IntN(30) {
		text := []byte(requests[r.IntN(len(requests))])
		var beside []byte
		switch r.IntN(12) {
		case 0:
			text = text[:r.IntN(len(text))]
		case 1:
			text[r.IntN(len(text))] = byte(r.IntN(256))
		case 2:
			text = make([]byte, r.IntN(100<<10))
		case 3:
			beside = unix.UnixRights(make([]int, r.IntN(200))...)
		case 4:
			time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		case 5, 6, 7:
			_, _ = c.Read(make([]byte, 1024)) // without room for descriptors
		}
		if _, _, err := c.WriteMsgUnix(text, beside, nil); err != nil {
			return
		}
	}
}
