package discovery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/world"
)

// overlay mounts an overlay of the directories "below" and "above", of which the second may be a tmpfs, and gives the merged
// view.
func overlay(t *testing.T, w *world.World, above, options string) (merged string) {
	t.Helper()
	if world.Target() != "" && world.Target() != "musl" {
		t.Skip("the mounts of this machine are those of its own programs")
	}
	merged = w.Path("merged")
	for _, directory := range []string{merged, w.Path("above"), w.Path("below")} {
		must(t, os.MkdirAll(directory, 0o755))
	}
	if above == "tmpfs" {
		if err := syscall.Mount("tmpfs", w.Path("above"), "tmpfs", 0, ""); err != nil {
			t.Skipf("no mount here: %v", err)
		}
		t.Cleanup(func() { syscall.Unmount(w.Path("above"), syscall.MNT_DETACH) })
	}
	for _, directory := range []string{"above/upper", "above/work"} {
		must(t, os.Mkdir(w.Path(directory), 0o755))
	}
	data := "lowerdir=" + w.Path("below") + ",upperdir=" + w.Path("above/upper") + ",workdir=" + w.Path("above/work") + options
	if err := syscall.Mount("overlay", merged, "overlay", 0, data); err != nil {
		t.Skipf("no overlay here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(merged, syscall.MNT_DETACH) })
	return merged
}

// overlayManifest is a manifest; all of them have one length.
func overlayManifest(name string) string { return blunt("1.2.0", name, nil) }

// On an overlay no stamp is trusted: which file system holds a file cannot be found out, and on a tmpfs a write through a
// mapping changes no stamp. However a file or a directory is changed through the merged view, the next call sees it.
//
// holds: LAY-3
func TestNothingOldIsToldOnOverlays(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ name, above, options string }{
		{"one file system", "", ""},
		{"metacopy", "", ",metacopy=on,redirect_dir=on"},
		{"above on tmpfs", "tmpfs", ""},
		{"above on tmpfs with xino", "tmpfs", ",xino=on"},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			w, s := later(t, true)
			merged := overlay(t, w, one.above, one.options)
			for _, change := range overlayChanges {
				w.Write("below/"+change.name+"/layers/x.json", overlayManifest("X1"))
			}
			for _, change := range overlayChanges {
				o := &overlaid{t: t, merged: merged, directory: filepath.Join(merged, change.name, "layers")}
				o.file = filepath.Join(o.directory, "x.json")
				o.listed = s.listed
				s.set("VK_LAYER_PATH", o.directory)
				o.holds = func(want string) {
					t.Helper()
					for range 5 {
						if got := s.listed(); got != want {
							t.Fatalf("%s: %q, want %q", change.name, got, want)
						}
					}
				}
				o.holds("X1")
				change.make(o)
			}
			s.end()
		})
	}
}

// overlaid is a manifest on an overlay, which is below at first.
type overlaid struct {
	t                       *testing.T
	merged, directory, file string
	listed                  func() string
	holds                   func(want string)
}

// write replaces the content of the file in place.
func (o *overlaid) write(name string) { writeIn(o.t, o.file, overlayManifest(name)) }

// overlayChanges are the ways in which something on an overlay changes; the names are those of their directories.
var overlayChanges = []struct {
	name string
	make func(*overlaid)
}{
	{"in-place", func(o *overlaid) { // which copies the file up, and then changes it above
		for _, name := range []string{"X2", "X1", "X2"} {
			stamped(o.t, o.file, func() { o.write(name) })
			o.holds(name)
		}
	}},
	{"mapping", func(o *overlaid) {
		for _, name := range []string{"X2", "X1"} {
			mapIn(o.t, o.file, overlayManifest(name))
			o.holds(name)
		}
	}},
	{"mapping-that-stays", func(o *overlaid) { // on a tmpfs its second write leaves the stamp as it is, written back or not
		f, err := os.OpenFile(o.file, os.O_RDWR, 0)
		must(o.t, err)
		defer f.Close()
		bytes, err := syscall.Mmap(int(f.Fd()), 0, len(overlayManifest("X1")), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		must(o.t, err)
		defer syscall.Munmap(bytes)
		for _, name := range []string{"X2", "X1", "X2"} {
			copy(bytes, overlayManifest(name))
			must(o.t, f.Sync())
			o.holds(name)
		}
	}},
	{"mode", func(o *overlaid) { // with metacopy the content stays below until it is written
		must(o.t, os.Chmod(o.file, 0o600))
		o.holds("X1")
		stamped(o.t, o.file, func() { o.write("X2") })
		o.holds("X2")
	}},
	{"rename-over", func(o *overlaid) {
		for _, name := range []string{"X2", "X1"} {
			next := filepath.Join(o.merged, "next")
			must(o.t, os.WriteFile(next, []byte(overlayManifest(name)), 0o644))
			must(o.t, os.Rename(next, o.file))
			o.holds(name)
		}
	}},
	{"hard-link", func(o *overlaid) {
		other := filepath.Join(o.merged, "other-name")
		must(o.t, os.Link(o.file, other))
		o.holds("X1")
		stamped(o.t, o.file, func() { writeIn(o.t, other, overlayManifest("X2")) })
		o.holds("X2")
	}},
	{"whiteout", func(o *overlaid) {
		for _, name := range []string{"X2", "X1"} {
			must(o.t, os.Remove(o.file))
			o.holds("")
			must(o.t, os.WriteFile(o.file, []byte(overlayManifest(name)), 0o644))
			o.holds(name)
		}
	}},
	{"merged-directory", func(o *overlaid) {
		must(o.t, os.WriteFile(filepath.Join(o.directory, "y.json"), []byte(overlayManifest("Y1")), 0o644))
		for range 5 { // which is listed first is the kernel's choice
			if got := strings.Fields(o.listed()); len(got) != 2 || !slices.Contains(got, "X1") || !slices.Contains(got, "Y1") {
				o.t.Fatalf("%v after another manifest", got)
			}
		}
		must(o.t, os.Remove(filepath.Join(o.directory, "y.json")))
		o.holds("X1")
	}},
	{"opaque-directory", func(o *overlaid) {
		must(o.t, os.RemoveAll(o.directory))
		o.holds("")
		must(o.t, os.Mkdir(o.directory, 0o755))
		o.holds("")
		must(o.t, os.WriteFile(o.file, []byte(overlayManifest("X2")), 0o644))
		o.holds("X2")
	}},
	{"bind-mount", func(o *overlaid) {
		other := filepath.Join(o.merged, "covering")
		must(o.t, os.WriteFile(other, []byte(overlayManifest("X2")), 0o644))
		must(o.t, syscall.Mount(other, o.file, "", syscall.MS_BIND, ""))
		o.holds("X2")
		must(o.t, syscall.Unmount(o.file, syscall.MNT_DETACH))
		o.holds("X1")
	}},
}
