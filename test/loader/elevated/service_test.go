package elevated

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"vkloader/test/lib/world"
)

// listening creates a driver service's socket in a directory that every user may enter, and counts connections.
func listening(t *testing.T, directory string) *atomic.Int32 {
	t.Helper()
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := os.Open(directory)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	// A socket's path is short.
	path := fmt.Sprintf("/proc/self/fd/%d/loader.sock", d.Fd())
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	t.Cleanup(func() { l.Close() })
	for name, mode := range map[string]os.FileMode{directory: 0o755, filepath.Join(directory, "loader.sock"): 0o666} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	asked := new(atomic.Int32)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			c.Close()
		}
	}()
	return asked
}

// A program with raised privileges asks no driver service, neither the one that variables name nor root's. A user who can replace a
// socket could give it a library.
//
// holds: GEN-5 PRO-008
func TestService(t *testing.T) {
	t.Parallel()
	for _, k := range append([]kind{ordinary}, elevations...) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			directory, err := os.MkdirTemp("", "vke") // a socket's path is short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(directory) })
			if err := os.Chmod(directory, 0o755); err != nil {
				t.Fatal(err)
			}
			own := filepath.Join(directory, "vkloaderd")
			w := newWorld(t)
			named, usual := listening(t, own), listening(t, filepath.Join(w.SystemPath("/run"), "vkloaderd"))
			h := start(t, w, k)
			h.Do("open", "path", w.Loader)
			h.Do("unsetenv", "name", "VKLOADERD_DIR")
			h.Do("unsetenv", "name", "XDG_RUNTIME_DIR")
			h.Do("create_instance")
			if got := usual.Load() > 0; got == k.secure {
				t.Errorf("/run/vkloaderd is asked: %v", got)
			}
			before := named.Load()
			h.Do("setenv", "name", "VKLOADERD_DIR", "value", own)
			h.Do("create_instance")
			if got := named.Load() > before; got == k.secure {
				t.Errorf("VKLOADERD_DIR: asked: %v", got)
			}
			h.Do("unsetenv", "name", "VKLOADERD_DIR")
			if err := os.Remove(filepath.Join(w.SystemPath("/run"), "vkloaderd", "loader.sock")); err != nil {
				t.Fatal(err)
			}
			before = named.Load()
			h.Do("setenv", "name", "XDG_RUNTIME_DIR", "value", directory)
			h.Do("create_instance")
			if got := named.Load() > before; got == k.secure {
				t.Errorf("XDG_RUNTIME_DIR: asked: %v", got)
			}
			h.Quit()
		})
	}
}

// A process that has given up its rights and may take them back asks no driver service either, although the kernel started it as an
// ordinary process. A process that has dropped them permanently does.
//
// holds: PRO-008
func TestServiceRightsPutAway(t *testing.T) {
	t.Parallel()
	id := strconv.Itoa(nobody)
	for name, c := range map[string]struct {
		ids  []string
		asks bool
	}{
		"another effective user":  {[]string{"euid", id}, false},
		"another saved user":      {[]string{"ruid", id, "euid", id}, false},
		"another effective group": {[]string{"egid", id}, false},
		"another saved group":     {[]string{"rgid", id, "egid", id}, false},
		"nothing":                 {nil, true},
		"for good": {[]string{"rgid", id, "egid", id, "sgid", id, "ruid", id, "euid", id, "suid", id},
			true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Getuid() != 0 {
				t.Skip("changing a process's users takes root")
			}
			w := world.New(t)
			directory, err := os.MkdirTemp("", "vke")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(directory) })
			asked := listening(t, directory)
			w.Env["VKLOADERD_DIR"] = directory
			h := w.Start()
			h.Do("set_ids", c.ids...)
			h.Do("create_instance")
			if got := asked.Load() > 0; got != c.asks {
				t.Errorf("asked: %v", got)
			}
			h.Quit()
		})
	}
}
