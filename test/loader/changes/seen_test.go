package changes

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// life creates an instance, lists its devices and destroys it. It returns the devices, and the opened and closed
// libraries.
func (m *machine) life(words ...string) string {
	m.t.Helper()
	if m.h == nil {
		m.h = m.Start()
	}
	if got := m.h.Do("create_instance", words...).Result(); got != 0 {
		return fmt.Sprint("result ", got)
	}
	var found []string
	for _, pd := range m.h.Do("physical_devices").Ints("devices") {
		found = append(found, m.h.Do("properties", "pd", world.Ref(pd)).Text("name"))
	}
	slices.Sort(found)
	m.h.Do("destroy_instance")
	return strings.Join(append(found, m.traces()...), " ")
}

func (m *machine) is(when, got, want string) {
	m.t.Helper()
	if got != want {
		m.t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// A package manager links to a file before it replaces it. That changes only the time of the last status change, and so do chmod
// and a second link. No instance may fail, and no library is opened again.
//
// holds: INS-088 LAY-281
func TestStatusChangeAlone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.life("layer", "VK_LAYER_it")
	for _, name := range []string{"a", "helper", "layer"} {
		at := m.lib(name)
		for what, change := range map[string]func(){
			"a second link": func() { m.must(os.Link(at, at+".link")) },
			"it is removed": func() { os.Remove(at + ".link") },
			"chmod":         func() { m.must(os.Chmod(at, 0o700)); m.must(os.Chmod(at, 0o755)) },
			"touch -r": func() {
				s, err := os.Stat(at)
				m.must(err)
				m.must(os.Chtimes(at, time.Time{}, s.ModTime()))
			},
		} {
			change()
			m.is(name+": "+what, m.life("layer", "VK_LAYER_it"), "a b layer+11 layer-1")
		}
	}
	m.install("a", 1)
	m.is("the driver is replaced", m.life(), "a b a-1 b-1 a+11 b+11")
	m.h.Quit()
}

// An upgrade replaces one driver and the library that two drivers share: both are opened again with the new library.
//
// holds: INS-088 INS-091
func TestSharedLibraryIsUpgraded(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.is("first", m.life(), "a b a+11 b+11")
	m.install("helper", 2)
	m.install("a", 2)
	m.is("upgraded", m.life(), "a b a-1 b-1 a+22 b+12")
	m.is("again", m.life(), "a b")

	// While an instance of one driver lives, the other driver stays, too.
	m.h.Do("setenv", "name", "VK_DRIVER_FILES", "value", m.Path("icd/b.json"))
	m.h.OK("create_instance", "as", "long")
	m.h.OK("physical_devices", "instance", "long")
	m.h.Do("setenv", "name", "VK_DRIVER_FILES", "value", m.manifests())
	m.upgrade(3)
	m.is("beside it", m.life(), "a b")
	m.h.Do("destroy_instance", "name", "long")
	m.is("afterwards", m.life(), "a b a-2 b-1 a+33 b+33")
	m.h.Quit()
}

// A library that drivers need is overwritten while no instance exists: drivers are refused, and none of their functions is
// called.
//
// holds: INS-088 INS-091
func TestSharedLibraryIsOverwritten(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.is("first", m.life(), "a b a+11 b+11")
	m.overwrite("helper", 2)
	for range 2 {
		m.is("overwritten", m.life(), "result -9")
	}
	m.install("helper", 1) // the linker would still take the old one
	m.is("replaced", m.life(), "result -9")
	exit := m.h.Exit()
	if !strings.Contains(exit.Stderr, m.lib("helper")+": this file was overwritten") {
		t.Errorf("said:\n%s", exit.Stderr)
	}
}

// A driver that was overwritten is refused, also after its file was replaced: the linker would find the old one by the path.
// Other drivers stay in use.
//
// holds: INS-088
func TestNewFileAfterAnOverwrittenOne(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.is("first", m.life(), "a b a+11 b+11")
	for range 2 {
		m.overwrite("a", 2)
		m.is("overwritten", m.life(), "b")
		m.install("a", 1)
		m.is("replaced", m.life(), "b")
	}
	m.upgrade(2)
	m.is("an upgrade", m.life(), "b")
	m.h.Exit()
}

// A file is overwritten by one with other program headers: its old code stays in memory, with the new headers. No later call may
// follow them.
//
// holds: INS-088 LAY-281
func TestHeadersOfAnOverwrittenFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "helper", "layer"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			other := m.Driver("other", "device name=other").ManifestPath
			m.is("first", m.life("layer", "VK_LAYER_it"), "a b a+11 b+11 layer+11 layer-1")
			m.h.OK("create_instance", "as", "long", "layer", "VK_LAYER_it")
			m.h.OK("physical_devices", "instance", "long")
			m.traces()
			text, err := os.ReadFile(m.lib(name))
			m.must(err)
			text = world.Rebuilt(text) // the code stays the same
			displaceDynamic(t, text)
			m.write(name, text, 0)
			for range 2 { // opens other libraries while this one is in memory
				m.h.Do("setenv", "name", "VK_DRIVER_FILES", "value", m.manifests())
				m.life()
				m.life("layer", "VK_LAYER_it")
				m.h.Do("setenv", "name", "VK_DRIVER_FILES", "value", other)
				want := map[string]string{"a": "other", "layer": "other", "helper": "result"}[name]
				m.is("another driver", strings.Fields(m.life())[0], want)
			}
			m.h.Exit()
		})
	}
}

// A layer's dependencies are closed with it: a second layer gets a newer library, a plug-in of the program gets its own version, and
// a callback that a layer stored in a dependency is gone.
//
// holds: LAY-281
func TestLibrariesOfLayersAreClosed(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	alone := m.Driver("alone", "device name=alone") // needs no helper
	m.Env["VK_DRIVER_FILES"] = alone.ManifestPath
	m.Env["LEAVE_CALLBACK"] = "1"
	for range 4 {
		m.is("cycle", m.life("layer", "VK_LAYER_it"), "alone layer+11 layer-1")
		if mapped := m.h.Do("maps", "match", "libhelper").Strings("maps"); len(mapped) != 0 {
			t.Fatalf("mapped: %v", mapped)
		}
	}
	m.install("helper", 2)
	m.install("layer", 2)
	m.is("upgraded", m.life("layer", "VK_LAYER_it"), "alone layer+22 layer-2")
	m.copyTo("helper", 3, m.Path("plugin/libhelper.so"))
	for _, name := range []string{"fake_a.so"} {
		text, err := os.ReadFile(m.Path("lib", name))
		m.must(err)
		m.Write("plugin/"+name, string(text))
	}
	m.copyTo("a", 3, m.Path("plugin/plugin.so"))
	m.h.Do("hold", "path", m.Path("plugin/plugin.so"))
	m.is("a plug-in", strings.Join(m.traces(), " "), "a+33")
	m.h.Quit()
}

// A manifest names a driver without a directory: a file that appears in an earlier directory of the linker's search
// is used.
//
// holds: DRV-022 INS-088
func TestBareNameIsSearchedAgain(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.must(os.MkdirAll(m.Path("first"), 0o755))
	m.Env["LD_LIBRARY_PATH"] = m.Path("first") + ":" + m.Path("lib")
	m.Write("icd/a.json", world.DriverManifest("a.so", "1.1.0"))
	m.must(os.Remove(m.Path("icd/b.json")))
	m.is("first", m.life(), "a a+11")
	m.is("kept", m.life(), "a")
	m.copyTo("helper", 2, m.Path("first/libhelper.so"))
	for _, entry := range []string{"fake_a.so", "fake_a.so.script"} {
		if text, err := os.ReadFile(m.Path("lib", entry)); err == nil {
			m.Write("first/"+entry, string(text))
		}
	}
	m.copyTo("a", 2, m.Path("first/a.so"))
	m.is("an earlier file", m.life(), "a a-1 a+22")
	m.is("kept", m.life(), "a")
	m.must(os.Remove(m.Path("first/a.so")))
	m.must(os.Remove(m.Path("first/libhelper.so")))
	m.is("it has gone", m.life(), "a a-2 a+11")
	m.h.Quit()
}

// A driver appears earlier in the linker's search, and needs a newer version of a library that another driver, which
// stays open, needs, too.
//
// holds: INS-088
func TestEarlierDriverNeedsNewerLibrary(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.must(os.MkdirAll(m.Path("first"), 0o755))
	m.Env["LD_LIBRARY_PATH"] = m.Path("first") + ":" + m.Path("lib")
	m.Write("icd/a.json", world.DriverManifest("a.so", "1.1.0"))
	m.is("first", m.life(), "a b a+11 b+11")
	m.copyTo("helper", 2, m.Path("first/libhelper.so"))
	for _, entry := range []string{"fake_a.so", "fake_a.so.script"} {
		if text, err := os.ReadFile(m.Path("lib", entry)); err == nil {
			m.Write("first/"+entry, string(text))
		}
	}
	m.copyTo("a", 2, m.Path("first/a.so"))
	m.is("an earlier file", m.life(), "a b a-1 b-1 a+22 b+12")
	m.is("kept", m.life(), "a b")
	m.h.Quit()
}

// A driver appears after one list of extensions, and is replaced after the next.
//
// holds: INS-087 INS-088
func TestListedDriverIsReplaced(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.must(os.Rename(m.Path("icd/a.json"), m.Path("a.json")))
	m.h = m.Start()
	m.h.OK("instance_extensions")
	m.must(os.Rename(m.Path("a.json"), m.Path("icd/a.json")))
	m.h.OK("instance_extensions")
	m.is("listed", strings.Join(m.traces(), " "), "b+11 a+11")
	m.install("a", 1)
	m.h.OK("instance_extensions")
	m.is("listed again", strings.Join(m.traces(), " "), "b-1 a-1 a+11 b+11")
	m.install("a", 1)
	m.is("an instance", m.life(), "a b a-1 b-1 a+11 b+11")
	m.h.Quit()
}

// After setresuid, a manifest that the process may not read any more does not count.
//
// holds: LAY-3 LAY-7
func TestRightsAreGivenUp(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give rights up")
	}
	t.Parallel()
	m := newMachine(t)
	for path := m.Root; path != "/tmp" && path != "/"; path = filepath.Dir(path) {
		os.Chmod(path, 0o755)
	}
	m.h = m.Start()
	listed := func() string { return strings.Join(m.h.OK("instance_layers").Strings("layers"), " ") }
	for range 8 {
		m.is("root", listed(), "VK_LAYER_it")
	}
	files, err := filepath.Glob(filepath.Dir(strings.Split(m.manifest(), ":")[0]) + "/*")
	m.must(err)
	for _, file := range files {
		m.must(os.Chmod(file, 0o600))
	}
	m.is("root", listed(), "VK_LAYER_it")
	m.h.Do("set_ids", "ruid", "65534", "euid", "65534", "suid", "65534", "rgid", "65534", "egid", "65534", "sgid", "65534")
	for range 2 {
		m.is("another user", listed(), "")
	}
	m.h.Quit()
}

// manifest returns the path of the layer's manifest.
func (m *machine) manifest() string {
	for _, variable := range m.Environment() {
		if value, ok := strings.CutPrefix(variable, "VK_LAYER_PATH="); ok {
			return value
		}
	}
	m.t.Fatal("no layer")
	return ""
}

// displaceDynamic sets the address of the dynamic section in a library's program headers to an unmapped one.
func displaceDynamic(t *testing.T, text []byte) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range file.Progs {
		if part.Type != elf.PT_DYNAMIC {
			continue
		}
		size, at, word := 56, 64, 8
		if file.Class == elf.ELFCLASS32 {
			size, at, word = 32, 52, 4
		}
		address := text[at+i*size+2*word:][:word]
		if file.Class == elf.ELFCLASS32 {
			file.ByteOrder.PutUint32(address, uint32(part.Vaddr)+1<<30)
		} else {
			file.ByteOrder.PutUint64(address, part.Vaddr+1<<40)
		}
	}
}
