package client

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// Before any other call, a driver of the service gets a function with which it opens devices of the service, or files that the program may
// open. The driver creates instances only if that has worked.
//
// holds: PRO-051 PRO-052 FLS-114 FLS-116 FLS-128 FLS-129 FLS-130
func TestOpening(t *testing.T) {
	t.Parallel()
	const failed = "-3 0 "
	for _, c := range []struct {
		name, path string // PLACE is a directory of the program
		devices    bool   // the service has devices
		want       string // result, kind of file, content
	}{
		{"the directory", "/loader-gpu-devices", true, "0 40000 "},
		{"a device", "/loader-gpu-devices/class/drm/renderD128", true, "0 100000 devic"},
		{"no such device", "/loader-gpu-devices/class/drm/renderD129", true, failed},
		{"another word", "/loader-gpu-devicesX", true, failed},
		{"no devices", "/loader-gpu-devices", false, failed},
		{"not one either", "/loader-gpu-devices/class/drm/renderD128", false, failed},
		{"a path that would be a request", `/loader-gpu-devices/x","path":"class/drm/renderD128`, true, failed},
		{"a file of the program's", "PLACE/own", true, "0 100000 owned"},
		{"no file", "PLACE/none", true, failed},
		{"a directory", "PLACE", true, "0 40000 "},
		{"a socket", "socket PLACE/socket", true, "0 140000 hello"},
		{"no socket to be connected", "PLACE/socket", true, failed},
		{"no descriptor", "none PLACE/own", true, failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			s := serve(t, w)
			if c.devices {
				s.devices = filepath.Dir(filepath.Dir(filepath.Dir(w.Write("devices/class/drm/renderD128", "device"))))
			}
			place := s.directory
			if err := os.WriteFile(filepath.Join(place, "own"), []byte("owned"), 0o600); err != nil {
				t.Fatal(err)
			}
			echo(t, filepath.Join(place, "socket"))
			s.offers("opening.json", world.DriverManifest("libopening.so", "1.3.0"), compile(t, w.Path("lib", "libopening.so"), "library/opening.c"))
			path := strings.ReplaceAll(c.path, "PLACE", place)
			log := filepath.Join(place, "log")
			w.Env["OPENING_PATHS"], w.Env["OPENING_LOG"], w.Env["VK_LOADER_DEBUG"] = path, log, "warn"
			h := w.Start()
			before := h.Do("state").Int("descriptors")
			want := success
			if c.want == failed {
				want = incompatibleDriver
			}
			if got := h.Do("create_instance").Result(); got != want {
				t.Errorf("vkCreateInstance: %d", got)
			}
			if after := h.Do("state").Int("descriptors"); after != before {
				t.Errorf("%d descriptors, then %d", before, after)
			}
			if want == success {
				h.Do("destroy_instance")
			}
			said := h.Quit().Stderr
			path = path[strings.IndexByte(path, '/'):]
			if text, err := os.ReadFile(log); err != nil || string(text) != fmt.Sprintf("first\n%s %s\n", path, c.want) {
				t.Errorf("the driver: %q, %v", text, err)
			}
			if named := strings.Contains(said, "cannot open "+path+": "); named != (c.want == failed) {
				t.Errorf("the log: %s", said)
			}
		})
	}
}

// echo accepts connections on a socket, and sends back the received data.
func echo(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.AcceptUnix()
			if err != nil {
				return
			}
			text := make([]byte, 16)
			if n, err := c.Read(text); err == nil {
				_, _ = c.Write(text[:n])
			}
			c.Close()
		}
	}()
}
