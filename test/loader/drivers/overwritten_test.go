package drivers

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// overwrite writes into the existing file, without truncating it first, which would discard the written pages in memory as
// well.
func overwrite(t *testing.T, path string, content []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = file.Write(content)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

const overwritten = ": this file was overwritten while the process had it mapped, so that its code can be neither called nor unloaded any " +
	"more; restart the program to use the new file, and replace a file (write a new one and rename it) instead of writing into it"

// unloads skips the test if the dynamic linker unloads no library.
func unloads(t *testing.T) {
	t.Helper()
	if world.Target() == "musl" {
		t.Skip("musl's dlclose leaves every library mapped")
	}
}

// An open driver whose file is overwritten in place is not closed, because its destructor would run from the overwritten pages. It is
// refused, with the reason, until the process ends. Other drivers work.
//
// holds: INS-088 INS-091
func TestKeptDriverIsOverwritten(t *testing.T) {
	t.Parallel()
	w := loud(t)
	it := w.Driver("it", "log_load", "device name=it")
	w.Driver("good", "device name=good")
	before := content(t, it.Library)
	h := w.Start()
	h.OK("create_instance")
	h.OK("physical_devices")
	h.Do("destroy_instance")

	if err := os.WriteFile(it.Library, bytes.Repeat([]byte{0xcc}, len(before)), 0o755); err != nil { // like cp
		t.Fatal(err)
	}
	for range 2 {
		h.OK("create_instance")
		same(t, "devices", deviceNames(h, "i"), []string{"good"})
		h.OK("instance_extensions")
		h.Do("destroy_instance")
	}
	same(t, "opened", loads(w), []string{"it+"})
	// The linker would find the old file by the name that another file now has.
	w.Write(it.Library, string(before))
	h.OK("create_instance")
	same(t, "devices", deviceNames(h, "i"), []string{"good"})
	h.Do("destroy_instance")
	h.Do("close")
	same(t, "opened and closed", loads(w), []string{"it+"})
	exit := h.Exit() // exit runs the destructors of mapped libraries
	if n := strings.Count(exit.Stderr, it.Library+overwritten); n != 7 {
		t.Errorf("said %d times:\n%s", n, exit.Stderr)
	}
	says(t, exit, "[ERROR|DRIVER] loader_icd_scan: Failed loading library associated with ICD JSON "+it.Library+". Ignoring this JSON")
}

// A list of extensions calls no function of a driver whose file was overwritten while an instance uses it.
//
// holds: INS-088
func TestOverwrittenDriverIsNotListed(t *testing.T) {
	t.Parallel()
	w := loud(t)
	it := w.Driver("it", "log_load", "device name=it")
	before := content(t, it.Library)
	h := w.Start()
	h.OK("instance_extensions")
	h.OK("create_instance")
	h.OK("physical_devices")
	overwrite(t, it.Library, world.Rebuilt(before))
	calls := len(w.Log())
	h.OK("instance_extensions")
	if more := w.Log()[calls:]; len(more) > 0 {
		t.Errorf("the list called %v", more)
	}
	h.Do("destroy_instance")
	says(t, h.Quit(), "[ERROR] "+it.Library+overwritten)
}

// An overwritten library is refused and never closed, in every state of the loader and for every name.
//
// holds: INS-087 INS-088
func TestOverwrittenDriverByAnyName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		unloading string
		devices   []string
		use       func(h *world.Host, change func())
	}{
		"kept":      {world.Unset, nil, func(h *world.Host, change func()) { h.Do("destroy_instance"); change() }},
		"in use":    {world.Unset, nil, func(h *world.Host, change func()) { change(); h.Do("destroy_instance") }},
		"to letter": {"0", nil, func(h *world.Host, change func()) { change(); h.Do("destroy_instance") }},
		"preloaded": {"0", nil, func(h *world.Host, change func()) {
			h.OK("instance_extensions")
			change()
			h.Do("destroy_instance")
		}},
		"still in use": {world.Unset, nil, func(h *world.Host, change func()) { change() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, linked := range []bool{false, true} {
				w := loud(t)
				w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = c.unloading
				it := w.Driver("it", "log_load", "device name=it")
				good := w.Driver("good", "device name=good")
				link := w.Path("lib/link.so")
				if err := os.Symlink(it.Library, link); err != nil {
					t.Fatal(err)
				}
				again := w.Write("again.json", world.DriverManifest(link, "1.0.0"))
				before := content(t, it.Library)
				h := w.Start()
				h.OK("create_instance")
				h.OK("physical_devices")
				// a thread inside the library survives
				c.use(h, func() { overwrite(t, it.Library, world.Rebuilt(before)) })
				said := it.Library
				if linked {
					h.Do("setenv", "name", "VK_DRIVER_FILES", "value", again+string(os.PathListSeparator)+good.ManifestPath)
					said = link
				}
				h.OK("create_instance", "as", "next")
				same(t, "devices", deviceNames(h, "next"), []string{"good"})
				h.Do("destroy_instance", "name", "next")
				if name == "still in use" {
					h.Do("destroy_instance")
				}
				h.OK("create_instance", "as", "last")
				same(t, "devices", deviceNames(h, "last"), []string{"good"})
				h.Do("destroy_instance", "name", "last")
				h.Do("close")
				same(t, "opened and closed", loads(w), []string{"it+"})
				says(t, h.Quit(), "[ERROR] "+said+overwritten)
			}
		})
	}
}

// leadTo links to a driver's library. On Windows, a library opened through a link has only the link's name, and reads the script of
// that name.
func leadTo(t *testing.T, link, library string) {
	t.Helper()
	if world.Windows() {
		switchTo(t, link+".script", library+".script")
	}
	switchTo(t, link, library)
}

// switchTo changes the target of a link in one step.
func switchTo(t *testing.T, link, target string) {
	t.Helper()
	if err := os.Symlink(target, link+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link+".new", link); err != nil {
		t.Fatal(err)
	}
}

// The next instance uses the new driver after a link in the driver's path was switched.
//
// holds: INS-088 INS-091
func TestLinkIsSwitched(t *testing.T) {
	t.Parallel()
	unloads(t)
	for name, bare := range map[string]bool{"path": false, "name": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			old, next := w.Driver("old", "log_load", "steady", "device name=old"), w.Driver("new", "log_load", "steady", "device name=new")
			link := w.Path("found/libacme.so")
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			leadTo(t, link, old.Library)
			library := link
			if bare {
				library = filepath.Base(link)
				w.Env[world.SearchPath()] = filepath.Dir(link)
			}
			w.Env["VK_DRIVER_FILES"] = w.Write("link.json", world.DriverManifest(library, "1.0.0"))
			h := w.Start()
			life := func(want string) {
				t.Helper()
				h.OK("create_instance")
				same(t, "devices", deviceNames(h, "i"), []string{want})
				h.Do("destroy_instance")
			}
			life("old")
			life("old")
			leadTo(t, link, next.Library)
			life("new")
			life("new")
			events := []string{"old+", "old-", "new+"}
			if bare && world.Windows() { // Windows may find another file by the name: nothing stays open
				events = []string{"old+", "old-", "old+", "old-", "new+", "new-", "new+", "new-"}
			}
			same(t, "opened and closed", loads(w), events)
			leadTo(t, link, old.Library)
			h.OK("create_instance", "as", "first")
			h.OK("physical_devices", "instance", "first")
			leadTo(t, link, next.Library)
			life("old") // while it is in use, the dynamic linker has one object
			h.Do("destroy_instance", "name", "first")
			life("new")
			h.Quit()
		})
	}
}

// One of two links to a driver is switched: the open library is found by either name.
//
// holds: INS-088 INS-091
func TestOneOfTwoLinksIsSwitched(t *testing.T) {
	t.Parallel()
	unloads(t)
	w := world.New(t)
	old, next := w.Driver("old", "log_load", "steady", "device name=old"), w.Driver("new", "log_load", "steady", "device name=new")
	manifest := map[string]string{}
	for _, name := range []string{"a", "b"} {
		leadTo(t, w.Path("lib", name+".so"), old.Library)
		manifest[name] = w.Write(name+".json", world.DriverManifest(w.Path("lib", name+".so"), "1.0.0"))
	}
	h := w.Start()
	life := func(name, want string) {
		t.Helper()
		h.Do("setenv", "name", "VK_DRIVER_FILES", "value", manifest[name])
		h.OK("create_instance")
		same(t, "devices by "+name, deviceNames(h, "i"), []string{want})
		h.Do("destroy_instance")
	}
	life("a", "old")
	life("b", "old")
	leadTo(t, w.Path("lib/b.so"), next.Library)
	life("b", "new")
	life("a", "old")
	life("b", "new")
	h.Do("close")
	got := loads(w)
	slices.Sort(got)
	want := []string{"new+", "new-", "old+", "old+", "old-", "old-"}
	if world.Windows() { // open libraries stay until the process ends
		want = []string{"new+", "old+", "old+", "old-"}
	}
	same(t, "in the end", got, want)
	h.Quit()
}

// A driver's file that is replaced after it was mapped, and before the loader examines it, is another file for the
// next instance.
//
// holds: INS-088 INS-091
func TestReplacedWhileItIsOpened(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	it := w.Driver("it", "log_load", "device name=it")
	w.Write(it.Library+".next", string(content(t, it.Library)))
	it.Replace("log_load", "device name=it", "load_renames "+it.Library+".next "+it.Library)
	h := w.Start()
	life := func() {
		t.Helper()
		h.OK("create_instance")
		same(t, "devices", deviceNames(h, "i"), []string{"it"})
		h.Do("destroy_instance")
	}
	life()
	it.Replace("log_load", "device name=it")
	life()
	same(t, "opened and closed", loads(w), []string{"it+", "it-", "it+"})
	life()
	same(t, "opened and closed", loads(w), []string{"it+", "it-", "it+"})
	h.Quit()
}
