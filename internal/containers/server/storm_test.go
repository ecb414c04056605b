package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/decide/workers"
)

// Two hundred concurrent clients send every request, wait, and disconnect at any moment, while devices appear, are slow, fail
// and disappear. No remaining client waits forever or gets two answers, and at the end the service has released all clients.
//
// The test is not parallel, so that it counts only its own descriptors.
//
// holds: PRO-035 PRO-003 PRO-004 FLS-015 FLS-042
func TestStorm(t *testing.T) {
	openBefore, before := descriptors(t), runtime.NumGoroutine()
	var answered, died atomic.Int64
	t.Run("storm", func(t *testing.T) {
		s := stage(t, func(o *Options) { o.Log = slog.New(slog.DiscardHandler) })
		urls := []string{s.pack("a", "x"), s.pack("b", "y"), s.pack("bad", ""), "pkg://test/none"}
		end := time.Now().Add(hostileTime(t))
		var group workers.Group
		for n := range 4 {
			group.Go(func() {
				r := rand.New(rand.NewPCG(uint64(n), 17))
				for time.Now().Before(end) {
					if err := deviceLife(r, s.socket, fmt.Sprintf("renderD%d", 128+n), urls); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for n := range 200 {
			group.Go(func() {
				r := rand.New(rand.NewPCG(uint64(n), 19))
				for time.Now().Before(end) && !t.Failed() {
					got, stayed, err := clientLife(r, s.directory)
					if err != nil {
						t.Error(err)
						return
					}
					answered.Add(int64(got))
					if !stayed {
						died.Add(1)
					}
				}
			})
		}
		group.Wait()
		c := dial(t, s.directory)
		until(t, c, "all the others gone", func(root map[string]any) bool {
			stats := root["stats"].(map[string]any)
			return stats["clients"] == 1.0 && stats["waiting"] == 0.0 && len(root["pending"].([]any)) == 0 && len(root["devices"].(map[string]any)) == 0
		})
		// The service itself has sockets, directories, an index and the libraries of its packages open.
		for late := time.Now().Add(5 * time.Minute); descriptors(t) > openBefore+30; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("%d descriptors, %d before it", descriptors(t), openBefore)
			}
		}
	})
	if answered.Load() == 0 || died.Load() == 0 {
		t.Errorf("%d answers, %d deaths", answered.Load(), died.Load())
	}
	t.Logf("%d answers, %d clients died", answered.Load(), died.Load())
	for end := time.Now().Add(5 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before it", runtime.NumGoroutine(), before)
		}
	}
}

// descriptors returns the number of this process's open descriptors.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// deviceLife adds a device, lists its drivers after some time or never, and removes it.
func deviceLife(r *rand.Rand, socket, node string, urls []string) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	pause := func(most int) { time.Sleep(time.Duration(r.IntN(most)) * time.Millisecond) }
	pause(100)
	if _, err := fmt.Fprintln(conn, "add", node); err != nil {
		return err
	}
	pause(10)
	if r.IntN(4) == 0 {
		fmt.Fprintln(conn, "emulated")
	}
	switch r.IntN(6) {
	case 0:
		fmt.Fprintln(conn, "fail-query")
	case 1: // it disconnects without a message
		return nil
	default:
		fmt.Fprintf(conn, "icds [{\"component_url\":%q,\"flags\":1},{\"component_url\":%q,\"flags\":1}]\n",
			urls[r.IntN(len(urls))], urls[r.IntN(len(urls))])
	}
	pause(30)
	fmt.Fprintln(conn, "close")
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	for some := make([]byte, 256); ; { // until the service has noticed
		if _, err := conn.Read(some); err != nil {
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				return fmt.Errorf("%s: the service does not see it go", node)
			}
			return nil
		}
	}
}

// clientLife runs one client. It returns the number of answers, and whether the client waited for all of them.
func clientLife(r *rand.Rand, directory string) (answers int, stayed bool, err error) {
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: filepath.Join(directory, Socket), Net: "unixpacket"})
	if errors.Is(err, unix.EAGAIN) {
		return 0, false, nil // the service has too many clients
	}
	if err != nil {
		return 0, false, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return 0, false, err
	}
	c := protocol.On(conn)
	requests := []string{`"get","name":"0-liba.so"`, `"get","name":"1-libb.so"`, `"get","name":"9-none"`, `"connect_manifest_fs","options":1`,
		`"connect_manifest_fs"`, `"connect_device_fs"`, `"machine_drivers","machine":"x86_64"`, `"inspect"`, `"get_supported_features"`,
		`"open_device","path":"class/drm/renderD128"`}
	asked := 1 + r.IntN(12)
	for id := range asked {
		if err := c.Send(fmt.Appendf(nil, `{"id":%d,"method":%s}`, id, requests[r.IntN(len(requests))]), 0); err != nil {
			return 0, false, fmt.Errorf("asking: %w", err)
		}
	}
	stay := asked
	if r.IntN(2) == 0 {
		stay = r.IntN(asked) // it disconnects before it has all answers
	}
	seen := map[uint64]bool{}
	for len(seen) < stay {
		frame, files, err := c.Receive()
		if err != nil {
			return len(seen), false, fmt.Errorf("%d of %d answers: %w", len(seen), asked, err)
		}
		protocol.Discard(files)
		var reply protocol.Reply
		if err := json.Unmarshal(frame, &reply); err != nil || reply.ID >= uint64(asked) || seen[reply.ID] {
			return len(seen), false, fmt.Errorf("an answer to nothing, or a second one: %s", frame)
		}
		seen[reply.ID] = true
	}
	return len(seen), stay == asked, nil
}
