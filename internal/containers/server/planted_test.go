package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vkloader/internal/containers/state"
)

// otherUser is the ID of a user without rights on the service.
const otherUser = 4242

// planted starts root's service in a directory that another user prepared, and returns its error.
func planted(t *testing.T, directory string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	dump := make(chan os.Signal, 1)
	o := Options{Log: slog.New(slog.DiscardHandler), Directory: directory, State: state.Options{}, Dump: dump}
	o.Sockets.Ready = func() {
		dump <- os.Interrupt
		for range 200 { // by then, the tree is written somewhere
			if _, err := os.Stat(filepath.Join(PrivateDirectory(directory), InspectFile)); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}
	return Run(ctx, o)
}

// Another user has put links and files into a directory, or owns it. Root's service does not start there, and writes and opens
// nothing elsewhere.
//
// holds: FLS-107 PRO-001
func TestPlanted(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("making files of another user takes root")
	}
	for name, plant := range map[string]func(directory, precious string) error{
		"a lock":   func(d, precious string) error { return os.Symlink(precious+".new", filepath.Join(d, "lock")) },
		"a tree":   func(d, precious string) error { return os.Symlink(precious, filepath.Join(d, InspectFile+".new")) },
		"debug":    func(d, precious string) error { return os.Symlink(filepath.Dir(precious), filepath.Join(d, "debug")) },
		"a socket": func(d, precious string) error { return os.Symlink(precious+".new", filepath.Join(d, Socket)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			precious := filepath.Join(top, "root", "precious")
			directory := filepath.Join(top, "theirs", "run")
			err := errors.Join(os.Mkdir(filepath.Dir(precious), 0o700), os.WriteFile(precious, []byte("as it was"), 0o600),
				os.MkdirAll(directory, 0o755), os.MkdirAll(directory+"-private", 0o755))
			for _, d := range []string{directory, directory + "-private"} {
				err = errors.Join(err, plant(d, precious), os.Chown(d, otherUser, otherUser))
			}
			if err = errors.Join(err, os.Chown(filepath.Dir(directory), otherUser, otherUser)); err != nil {
				t.Fatal(err)
			}
			if err := planted(t, directory); err == nil {
				t.Error("it runs in another user's directory")
			}
			text, err := os.ReadFile(precious)
			info, wrong := os.Stat(precious)
			if err != nil || wrong != nil || string(text) != "as it was" || info.Mode().Perm() != 0o600 {
				t.Errorf("the file of root: %q, %v, %v", text, info, err)
			}
			if entries, err := os.ReadDir(filepath.Dir(precious)); err != nil || len(entries) != 1 {
				t.Errorf("beside the file of root: %v, %v", entries, err)
			}
		})
	}
}

// Root's service does not start in a directory that all users may write to, such as one that another user created below /tmp.
//
// holds: FLS-107
func TestPlantedForEverybody(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o777, 0o777 | os.ModeSticky, 0o775 | os.ModeSticky} {
		directory := filepath.Join(t.TempDir(), "run")
		if err := errors.Join(os.Mkdir(directory, 0o755), os.Chmod(directory, mode)); err != nil {
			t.Fatal(err)
		}
		if err := planted(t, directory); err == nil {
			t.Errorf("%v: it runs where others may replace its socket", mode)
		}
	}
}

// The directory of the socket, which containers get, contains the socket alone; other files are in the private directory.
//
// holds: PRO-001 PRO-040
func TestSocketAlone(t *testing.T) {
	t.Parallel()
	directory := service(t, nil)
	entries, err := os.ReadDir(directory)
	if err != nil || len(entries) != 1 || entries[0].Name() != Socket {
		t.Errorf("%v, %v", entries, err)
	}
	for _, name := range []string{TrustedSocket, "lock", "debug"} {
		if _, err := os.Lstat(filepath.Join(directory+"-private", name)); err != nil {
			t.Error(err)
		}
	}
}
