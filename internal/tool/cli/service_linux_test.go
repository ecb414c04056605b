package cli

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/containers/server"
	"vkloader/internal/decide/machine"
)

// runningService starts a service for a machine with one driver that cannot be offered, and returns its socket.
func runningService(t *testing.T) string {
	t.Helper()
	root, directory := t.TempDir(), t.TempDir()
	manifest := filepath.Join(root, "usr/share/vulkan/icd.d/a.json")
	if err := os.MkdirAll(filepath.Dir(manifest), 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{"file_format_version":"1.0.0","ICD":{"library_path":"libgone.so","api_version":"1.3.0"}}`
	if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan struct{}), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		ended <- server.Run(ctx, server.Options{Log: slog.New(slog.DiscardHandler), Directory: directory,
			Source: &machine.Source{Machine: machine.Machine{Root: root}}, Sockets: server.Sockets{Ready: func() { close(ready) }}})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return filepath.Join(directory, server.Socket)
}

// service status lists the offered drivers, and the reasons for the others.
func TestServiceStatus(t *testing.T) {
	t.Parallel()
	socket := runningService(t)
	var out, errOut bytes.Buffer
	s := &invocation{out: &out, errOut: &errOut, environ: []string{"VKLOADERD_DIR=" + filepath.Dir(socket)}}
	if code := runLine(s, []string{"service", "status"}); code != 0 || !strings.Contains(out.String(), "libgone.so is in no directory") {
		t.Errorf("%d\n%s%s", code, &out, &errOut)
	}
	out.Reset()
	if code := runLine(s, []string{"service", "inspect"}); code != 0 || !strings.Contains(out.String(), `"left_out"`) {
		t.Errorf("%d\n%s%s", code, &out, &errOut)
	}
}

// The administrator's commands use the socket that no client of a container reaches, so that none waits before them.
func TestServiceStatusWaitsForNoClient(t *testing.T) {
	t.Parallel()
	socket := runningService(t)
	status := func() (string, int) {
		var out, errOut bytes.Buffer
		s := &invocation{out: &out, errOut: &errOut, environ: []string{"VKLOADERD_DIR=" + filepath.Dir(socket)}}
		code := runLine(s, []string{"service", "status"})
		return out.String() + errOut.String(), code
	}
	private := filepath.Join(server.PrivateDirectory(filepath.Dir(socket)), server.AdminSocket)
	if info, err := os.Lstat(private); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := os.Rename(socket, socket+".hidden"); err != nil {
		t.Fatal(err)
	}
	if said, code := status(); code != 0 || !strings.Contains(said, "service at "+private) {
		t.Errorf("%d %s", code, said)
	}
	if err := os.Rename(socket+".hidden", socket); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(private, private+".hidden"); err != nil {
		t.Fatal(err)
	}
	if said, code := status(); code != 0 || !strings.Contains(said, "service at "+socket) {
		t.Errorf("%d %s", code, said)
	}
	if err := os.Rename(private+".hidden", private); err != nil {
		t.Fatal(err)
	}
}

// serviceDirectory returns the directory of the sockets (PRO-001).
func TestServiceDirectory(t *testing.T) {
	t.Parallel()
	user := "/run/vkloaderd"
	if os.Geteuid() != 0 {
		user = "/run/user/7/vkloaderd"
	}
	for want, environ := range map[string][]string{"/run/vkloaderd": nil, user: {"XDG_RUNTIME_DIR=/run/user/7"},
		"/x": {"XDG_RUNTIME_DIR=/run/user/7", "VKLOADERD_DIR=/x"}} {
		s := &invocation{environ: environ}
		if got := serviceDirectory(s); got != want {
			t.Errorf("%v: %s, want %s", environ, got, want)
		}
	}
}
