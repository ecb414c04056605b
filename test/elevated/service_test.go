package elevated

import (
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// The variables that lead to a driver service count in ordinary processes alone.
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
			path := filepath.Join(directory, "vkloaderd", "loader.sock")
			if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			for name, mode := range map[string]os.FileMode{directory: 0o755, path: 0o666} {
				if err := os.Chmod(name, mode); err != nil {
					t.Fatal(err)
				}
			}
			var asked atomic.Int32
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
			w := newWorld(t)
			h := start(t, w, k)
			h.Do("open", "path", w.Loader)
			h.Do("unsetenv", "name", "VKLOADERD_DIR")
			for name, value := range map[string]string{"VKLOADERD_DIR": filepath.Dir(path), "XDG_RUNTIME_DIR": directory} {
				before := asked.Load()
				h.Do("setenv", "name", name, "value", value)
				h.Do("create_instance")
				h.Do("unsetenv", "name", name)
				if got := asked.Load() > before; got == k.secure {
					t.Errorf("%s: asked: %v", name, got)
				}
			}
			h.Quit()
		})
	}
}
