package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/state"
)

// earlier makes the directory of a service of an earlier release, with its files.
func earlier(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "v") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory); os.RemoveAll(PrivateDirectory(directory)) })
	in := func(name string) string { return filepath.Join(directory, name) }
	err = errors.Join(os.Chmod(directory, 0o755), os.WriteFile(in("lock"), nil, 0o600), os.MkdirAll(in("debug/device-fs/class"), 0o755),
		os.Symlink("/dev/null", in("debug/device-fs/class/null")), os.MkdirAll(in("images/sha256-1/root"), 0o755),
		os.Chmod(in("images/sha256-1/root"), 0o555), os.WriteFile(in(InspectFile), []byte("{}"), 0o644))
	socket, listening := net.ListenUnix("unixpacket", &net.UnixAddr{Name: in(TrustedSocket), Net: "unixpacket"})
	if err = errors.Join(err, listening); err != nil {
		t.Fatal(err)
	}
	socket.SetUnlinkOnClose(false)
	if err := socket.Close(); err != nil {
		t.Fatal(err)
	}
	return directory
}

// start runs a service in a directory until it is ready, looks, and gives its error and log.
func start(t *testing.T, directory string, look func()) (string, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log := &kept{}
	o := Options{Log: slog.New(slog.NewTextHandler(log, nil)), Directory: directory, State: state.Options{}}
	o.Sockets.Ready = func() { look(); cancel() }
	err := Run(ctx, o)
	return log.String(), err
}

// After an upgrade, the service removes the earlier release's files beside the socket, because clients get that directory.
// Other files stay, and the log names them.
//
// holds: PRO-001
func TestLeftoversOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	directory := earlier(t)
	stays := filepath.Join(directory, "lock")
	if err := errors.Join(os.Remove(stays), os.Symlink("/etc/passwd", stays)); err != nil {
		t.Fatal(err)
	}
	log, err := start(t, directory, func() {
		var names []string
		entries, err := os.ReadDir(directory)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || strings.Join(names, " ") != Socket+" lock" {
			t.Errorf("%v, %v", names, err)
		}
	})
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(log, "clients find more than the socket") || !strings.Contains(log, "file=lock") {
		t.Error(log)
	}
	if _, err := os.Stat("/dev/null"); err != nil {
		t.Error(err)
	}
}

// While the earlier release still runs, nothing of its is removed.
//
// holds: FLS-107
func TestEarlierReleaseRuns(t *testing.T) {
	t.Parallel()
	directory := earlier(t)
	lock, err := os.Open(filepath.Join(directory, "lock"))
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := start(t, directory, func() {}); err == nil || !strings.Contains(err.Error(), "another service") {
		t.Errorf("a second service runs: %v", err)
	}
	for _, name := range []string{"lock", TrustedSocket, "debug"} {
		if _, err := os.Lstat(filepath.Join(directory, name)); err != nil {
			t.Error(err)
		}
	}
}
