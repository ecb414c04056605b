package commands

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"vkloader/internal/tool/ui"
	"vkloader/internal/tool/ui/guard"
)

// Clients without the secret fill neither the memory nor the connections: while they hold more connections than the limit, with and without
// half a request, the page answers its own user, and has the limit's number of sockets.
func TestUIStrangers(t *testing.T) {
	t.Parallel()
	s := newUI(t).serve()
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for i := range 4 * guard.MaxConnections {
		c, err := net.Dial("tcp4", strings.TrimPrefix(s.address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		if i%2 == 0 {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: 127")
		}
		if i%100 == 0 {
			s.page("/page/program")
		}
	}
	s.page("/page/program")
	sockets := 0
	descriptors := fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid)
	entries, err := os.ReadDir(descriptors)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if target, err := os.Readlink(descriptors + "/" + e.Name()); err == nil && strings.HasPrefix(target, "socket:") {
			sockets++
		}
	}
	if sockets > guard.MaxConnections+3 || sockets < guard.MaxConnections/2 {
		t.Errorf("the page has %d sockets, and its limit is %d", sockets, guard.MaxConnections)
	}
	// The server closes a connection with half a request after a few seconds.
	last := open[len(open)-2]
	_ = last.SetReadDeadline(time.Now().Add(5 * time.Minute))
	if _, err := io.ReadAll(last); err != nil {
		t.Errorf("half a request is still waited for: %v", err)
	}
}

// Requests without the secret do not keep the page alive.
func TestUIStrangersDoNotKeepItAlive(t *testing.T) {
	t.Parallel()
	s := newUI(t).start("--idle", "2s")
	ended := false
	for until := time.Now().Add(5 * time.Minute); !ended && time.Now().Before(until); {
		for _, path := range []string{"/", "/assets/ui.js", "/page/program", "/none", "/session"} {
			if answer, err := http.Get(s.address + path); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		}
		select {
		case <-s.ended:
			ended = true
		default:
		}
	}
	if !ended {
		t.Error("it goes on")
	}
}

// docs/ui.md has the table of routes.
func TestUIRoutesDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/ui.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, r := range ui.Routes {
		open := ""
		if r.Open {
			open = "open "
		}
		fmt.Fprintf(&want, "| %s | %s `%s` | %s|\n", r.Kind, r.Method, strings.TrimSuffix(r.Pattern, "{$}"), open)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/ui.md has not\n%s", want.String())
	}
}
