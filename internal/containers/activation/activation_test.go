package activation

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestOthersSockets(t *testing.T) {
	t.Parallel()
	for _, getenv := range []func(string) string{env(), env("LISTEN_PID", "1", "LISTEN_FDS", "1"), env("LISTEN_PID", "x")} {
		if sockets, err := Sockets(getenv); err != nil || sockets != nil {
			t.Errorf("%v, %v", sockets, err)
		}
	}
	own := strconv.Itoa(os.Getpid())
	for _, count := range []string{"", "x", "-1", "1000"} {
		if _, err := Sockets(env("LISTEN_PID", own, "LISTEN_FDS", count)); err == nil {
			t.Errorf("LISTEN_FDS=%q", count)
		}
	}
}

func TestTell(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := Tell(env("NOTIFY_SOCKET", path), "READY=1"); err != nil {
		t.Fatal(err)
	}
	word := make([]byte, 100)
	if n, err := l.Read(word); err != nil || string(word[:n]) != "READY=1" {
		t.Errorf("%q, %v", word[:n], err)
	}
	if err := Tell(env(), "READY=1"); err != nil {
		t.Error(err)
	}
}
