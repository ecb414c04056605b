package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/internal/containers/component"
	"vkloader/internal/containers/devices"
	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/state"
)

// holds: FLS-106 FLS-110 PRO-046 PRO-001
func TestEnd(t *testing.T) {
	t.Parallel()
	var directory string
	var ended <-chan error
	t.Run("service", func(t *testing.T) { // the service ends with this subtest
		s := stage(t)
		directory = s.directory
		s.device("renderD128").lists(s.pack("fake", "x"))
		c := dial(t, s.directory)
		if _, f := get(t, c, "0-libfake.so"); f == nil {
			t.Error("no library")
		}
		s.device("renderD129") // never sends its list, so the next request waits until the end
		waiting := dial(t, s.directory)
		ended = later(func() error {
			_, err := waiting.Ask(protocol.Request{Method: protocol.Get, Name: pointer("x")}, nil)
			return err
		})
		until(t, c, "one that waits", func(root map[string]any) bool { return root["stats"].(map[string]any)["waiting"] == 1.0 })
		second := Options{Log: slog.New(slog.DiscardHandler), Directory: s.directory, Source: nil, State: state.Options{}}
		if err := Run(t.Context(), second); err == nil || !strings.Contains(err.Error(), "another service") {
			t.Errorf("a second service in the same directory: %v", err)
		}
	})
	if err := <-ended; err == nil {
		t.Error("a question that waits was answered at the end")
	}
	for _, place := range []string{directory, PrivateDirectory(directory)} {
		entries, err := os.ReadDir(place)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "lock" {
				t.Errorf("%s is left", e.Name())
			}
		}
	}
}

// given creates a socket as systemd does, and returns its path and the socket.
func given(t *testing.T) (string, *os.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "given.sock")
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.SetUnlinkOnClose(false)
	f, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	return path, f
}

// holds: PRO-001
func TestGivenSockets(t *testing.T) {
	t.Parallel()
	path, f := given(t)
	directory := service(t, nil, func(o *Options) { o.Sockets.Plain = []*os.File{f} })
	if _, err := os.Stat(filepath.Join(directory, Socket)); err == nil {
		t.Error("a socket of its own as well")
	}
	var features struct{ Features uint64 }
	ask(t, dialTo(t, filepath.Dir(path), "given.sock"), protocol.Request{Method: protocol.Features}, &features)
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[0])
	wrong := Options{Log: slog.New(slog.DiscardHandler), Directory: t.TempDir(), Sockets: Sockets{Plain: []*os.File{os.NewFile(uintptr(fds[1]), "wrong")}}}
	if err := Run(t.Context(), wrong); err == nil {
		t.Error("a socket of another type is taken")
	}
}

// holds: FLS-007 PRO-001
func TestTrustedClients(t *testing.T) {
	t.Parallel()
	me := protocol.Peer{UID: uint32(os.Geteuid())}
	stranger := protocol.Peer{UID: 4242, GID: 0}
	if !mayTrust(me) || !mayTrust(protocol.Peer{}) || mayTrust(stranger) {
		t.Error("who is trusted")
	}
	directory := service(t, nil)
	for name, mode := range map[string]os.FileMode{filepath.Join(directory, Socket): 0o666,
		filepath.Join(PrivateDirectory(directory), TrustedSocket): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v", name, info.Mode())
		}
	}
}

// A service without a watch on devices runs with the devices that are present.
//
// holds: PRO-027 FLS-046 FLS-092
func TestMissingSource(t *testing.T) {
	t.Parallel()
	// A service that offers no drivers of devices watches none.
	service(t, nil, func(o *Options) { o.Devices, o.State = noDevices(t), state.Options{} })
	directory := service(t, nil, func(o *Options) { o.Devices = noDevices(t) })
	if ok, _ := get(t, dial(t, directory), "x"); ok.Lib != nil {
		t.Error(ok)
	}
}

// noDevices returns a source of a machine without devices, which cannot be watched.
func noDevices(t *testing.T) *devices.DRM {
	return &devices.DRM{Root: t.TempDir(), Listen: func() (*os.File, devices.Decoder, error) { return nil, nil, errors.New("no") }}
}

// The service reports the kernel's devices with their table entries: render nodes to all clients, primary nodes to trusted clients.
//
// holds: FLS-009 FLS-031 FLS-033 FLS-043 FLS-090 FLS-091 FLS-093 PRO-025 PRO-028 PRO-038
func TestKernelDevices(t *testing.T) {
	t.Parallel()
	root, tables, packages := t.TempDir(), t.TempDir(), &staged{t: t, packages: t.TempDir()}
	packages.pack("amd", "x")
	for name, text := range map[string]string{
		root + "/dev/dri/renderD128": "", root + "/sys/class/drm/renderD128/device/uevent": "DRIVER=amdgpu\nPCI_ID=1002:73BF\n",
		root + "/sys/class/drm/renderD128/device/drm/card0/dev": "226:0",
		tables + "/amd.json": `{"match":[{"module":"amdgpu","pci_vendor":"1002"}],"icds":[{"component_url":"pkg://test/amd","flags":1}]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	events, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tell.Close() }) // at the end of the service
	directory := service(t, nil, func(o *Options) {
		o.Tables = []string{tables}
		o.Devices = &devices.DRM{Root: root, Listen: func() (*os.File, devices.Decoder, error) {
			return events, func([]byte) bool { return true }, nil
		}}
		o.Resolver = &component.Resolver{Roots: []string{packages.packages}, Step: time.Minute, Log: o.Log}
	})
	if _, f := get(t, dial(t, directory), "0-libamd.so"); f == nil {
		t.Error("the table's driver is not there")
	}
	for socket, want := range map[string][]string{Socket: {"renderD128"}, TrustedSocket: {"card0", "renderD128"}} {
		files, err := dialTo(t, directory, socket).Ask(protocol.Request{Method: protocol.DeviceFS}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer files[0].Close()
		entries, err := os.ReadDir(fmt.Sprintf("/proc/self/fd/%d/class/drm", files[0].Fd()))
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %v, %v", socket, names, err)
		}
	}
	if err := os.RemoveAll(root + "/sys/class/drm/renderD128"); err != nil {
		t.Fatal(err)
	}
	if _, err := tell.WriteString("gone"); err != nil {
		t.Fatal(err)
	}
	until(t, dial(t, directory), "no device", func(root map[string]any) bool { return len(root["devices"].(map[string]any)) == 0 })
	for _, tree := range []string{"device-fs", "trusted-device-fs"} {
		if entries, err := os.ReadDir(filepath.Join(PrivateDirectory(directory), "debug", tree, class)); err != nil || len(entries) != 0 {
			t.Errorf("%s still has %v, %v", tree, entries, err)
		}
	}
}
