package discovery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// open creates a world with one driver and without this machine's layers, and starts its host, with or without the
// interposer.
func open(t *testing.T, interposer bool) (*world.World, *session) {
	t.Helper()
	w := world.New(t)
	w.Driver("one")
	w.NoShim = !interposer
	if interposer {
		w.Accesses()
	}
	for _, name := range []string{"VK_IMPLICIT_LAYER_PATH", "VK_LAYER_PATH"} {
		w.Env[name] = w.Path("empty") // nothing of this machine's
	}
	return w, &session{t: t, w: w, h: w.Start()}
}

// bothWays runs a case with and without the interposer.
func bothWays(t *testing.T, f func(*testing.T, *world.World, *session)) {
	for _, interposer := range []bool{true, false} {
		t.Run(map[bool]string{true: "interposer", false: "alone"}[interposer], func(t *testing.T) {
			t.Parallel()
			w, s := open(t, interposer)
			f(t, w, s)
			s.end()
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writeIn replaces the content of a file in place.
func writeIn(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}

// mapIn does the same through a mapping.
func mapIn(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	bytes, err := syscall.Mmap(int(f.Fd()), 0, len(text), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	must(t, err)
	copy(bytes, text)
	must(t, syscall.Munmap(bytes))
}

// The next call sees every change of a manifest, a link or a directory.
//
// holds: LAY-3
func TestNothingOldIsTold(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, w *world.World, s *session) { nothingOldIsTold(t, w, s) })
}

func nothingOldIsTold(t *testing.T, w *world.World, s *session) {
	one, two := blunt("1.2.0", "X1", nil), blunt("1.2.0", "X2", nil) // of one length
	w.Write("layers/x.json", one)
	w.Write("other/x.json", two)
	directory, file := w.Path("layers"), w.Path("layers/x.json")
	link := w.Path("link")
	must(t, os.Symlink(directory, link))
	s.set("VK_LAYER_PATH", link+":"+w.Path("late/a/b"))
	holds := func(want string) {
		t.Helper()
		for range 4 {
			if got := s.listed(); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	}
	holds("X1")
	writeIn(t, file, two)
	holds("X2")
	mapIn(t, file, one)
	holds("X1")

	// The same size and modification time, which a program can set.
	var status syscall.Stat_t
	must(t, syscall.Stat(file, &status))
	writeIn(t, file, two)
	must(t, os.Chtimes(file, time.Time{}, time.Unix(status.Mtim.Unix())))
	holds("X2")
	w.Write("new.json", one)
	must(t, os.Rename(w.Path("new.json"), file))
	holds("X1")

	// Links: of the file, and of the directory.
	w.Write("target1", one)
	w.Write("target2", two)
	for i, want := range []string{"X2", "X1", "X2"} {
		next := w.Path("next")
		must(t, os.Symlink(w.Path("target"+want[1:]), next))
		must(t, os.Rename(next, file))
		holds(want)
		if i == 2 {
			writeIn(t, w.Path("target2"), one)
			holds("X1")
		}
	}
	must(t, os.Remove(w.Path("target2")))
	holds("")
	w.Write("target2", two)
	holds("X2")
	must(t, os.Symlink(w.Path("other"), w.Path("next")))
	must(t, os.Rename(w.Path("next"), link))
	holds("X2")
	must(t, os.Remove(w.Path("other/x.json")))
	holds("")
	w.Write("other/x.json", one)
	holds("X1")

	// Entries of the directory, and the directory itself.
	w.Write("other/y.json", blunt("1.2.0", "Y", nil))
	if got := strings.Fields(s.listed()); len(got) != 2 || !slices.Contains(got, "Y") {
		t.Fatalf("%v after another manifest", got)
	}
	must(t, os.Rename(w.Path("other/y.json"), w.Path("other/y.text")))
	holds("X1")
	must(t, os.Rename(w.Path("other"), w.Path("another")))
	holds("")
	must(t, os.Mkdir(w.Path("other"), 0o755))
	holds("")
	must(t, os.Remove(w.Path("other")))
	must(t, os.Rename(w.Path("another"), w.Path("other")))
	holds("X1")

	// A missing directory is created, level by level; another one through a dangling link.
	must(t, os.Mkdir(w.Path("late"), 0o755))
	holds("X1")
	must(t, os.Symlink(w.Path("nowhere"), w.Path("late/a")))
	holds("X1")
	w.Write("nowhere/b/z.json", blunt("1.2.0", "Z", nil))
	holds("X1 Z")
	must(t, os.Remove(w.Path("late/a")))
	holds("X1")
}

// A named driver manifest and a settings file appear and disappear.
//
// holds: LAY-3
func TestMissingFilesAppear(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, w *world.World, s *session) { missingFilesAppear(t, w, s) })
}

func missingFilesAppear(t *testing.T, w *world.World, s *session) {
	f := w.Driver("late")
	manifest, err := os.ReadFile(f.ManifestPath)
	must(t, err)
	late := w.Path("late.json")
	s.set("VK_DRIVER_FILES", late)
	for range 2 {
		for range 4 {
			if got := s.h.Do("create_instance").Result(); got != incompatibleDriver {
				t.Fatalf("an instance without a driver: %d", got)
			}
		}
		must(t, os.WriteFile(late, manifest, 0o644))
		for range 4 {
			s.h.OK("create_instance")
			s.h.Do("destroy_instance")
		}
		must(t, os.Remove(late))
	}
	w.Write("work/set.json", blunt("1.2.0", "Set", nil))
	for range 4 {
		same(t, "no settings", s.listed(), "")
	}
	place := "home/.config/vulkan"
	if world.Windows() { // the registry names a file before it exists
		place = "system/usr/local/etc/vulkan"
	}
	w.Write(place+"/loader_settings.d/vk_loader_settings.json",
		`{"file_format_version":"1.0.0","settings":`+list(entry("on", "Set", w.Path("work/set.json"), ""))+`}`)
	for range 4 {
		same(t, "settings", s.listed(), "Set")
	}
}

// A file and a directory count as unreadable as soon as the process may no longer read them.
//
// holds: LAY-3 LAY-7
func TestPermissionTakenAway(t *testing.T) {
	t.Parallel()
	w, s := open(t, true)
	for path := w.Root; path != "/tmp" && path != "/"; path = filepath.Dir(path) {
		os.Chmod(path, 0o755)
	}
	w.Write("layers/x.json", blunt("1.2.0", "X", nil))
	s.set("VK_LAYER_PATH", w.Path("layers"))
	if os.Geteuid() == 0 { // root may read everything
		s.h.Do("set_ids", "ruid", "65534", "euid", "65534", "suid", "65534", "rgid", "65534", "egid", "65534", "sgid", "65534")
	}
	for _, path := range []string{w.Path("layers/x.json"), w.Path("layers")} {
		for range 2 {
			for range 3 {
				same(t, "readable", s.listed(), "X")
			}
			must(t, os.Chmod(path, 0))
			for range 3 {
				same(t, "not readable", s.listed(), "")
			}
			must(t, os.Chmod(path, 0o755))
		}
	}
	s.end()
}

// Files below a mount are invisible.
//
// holds: LAY-3
func TestMountsCover(t *testing.T) {
	t.Parallel()
	w, s := open(t, true)
	w.Write("layers/x.json", blunt("1.2.0", "X1", nil))
	w.Write("other/x.json", blunt("1.2.0", "X2", nil))
	w.Write("third.json", blunt("1.2.0", "X3", nil))
	s.set("VK_LAYER_PATH", w.Path("layers"))
	for _, m := range []struct{ from, to, want string }{{"other", "layers", "X2"}, {"third.json", "layers/x.json", "X3"}} {
		for range 3 {
			same(t, "not covered", s.listed(), "X1")
		}
		if err := syscall.Mount(w.Path(m.from), w.Path(m.to), "", syscall.MS_BIND, ""); err != nil {
			t.Skipf("no mount here: %v", err)
		}
		for range 3 {
			if got := s.listed(); got != m.want {
				t.Errorf("%s over %s: %q, want %q", m.from, m.to, got, m.want)
			}
		}
		must(t, syscall.Unmount(w.Path(m.to), syscall.MNT_DETACH))
	}
	same(t, "not covered", s.listed(), "X1")
	s.end()
}
