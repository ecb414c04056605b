package changes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/test/lib/world"
)

// deepen links the helper to another library, libdeep.so.
func (m *machine) deepen() {
	m.t.Helper()
	deep := m.Write("deep.c", "int deep(void); int deep(void) { return 1; }\n")
	link := []string{"-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-Wl,--no-as-needed", "-L" + m.Path("lib")}
	m.must(world.Compile(append(link, "-Wl,-soname,libdeep.so", "-o", m.Path("lib/libdeep.so"), deep)...))
	m.must(world.Compile(append(link, "-DVERSION=1", "-Wl,-soname,libhelper.so", "-o", m.lib("helper"), filepath.Join(m.built, "helper.c"), "-ldeep")...))
}

// The files of a driver include a library that only a dependency needs, the links on the way to a file, and mounts over it. An
// exchange of two names replaces both files.
//
// holds: INS-088
func TestFilesOfADriver(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.deepen()
	opened := "a b a-1 b-1 a+11 b+11"
	m.is("first", m.life(), "a b a+11 b+11")
	m.is("kept", m.life(), "a b")

	text, err := os.ReadFile(m.Path("lib/libdeep.so"))
	m.must(err)
	m.Write("lib/libdeep.so.new", string(text))
	m.must(os.Rename(m.Path("lib/libdeep.so.new"), m.Path("lib/libdeep.so")))
	m.is("a library that a needed library needs", m.life(), opened)

	m.Write("lib/libdeep.so.1", string(text))
	m.must(os.Symlink("libdeep.so.1", m.Path("lib/link")))
	m.must(os.Rename(m.Path("lib/link"), m.Path("lib/libdeep.so")))
	m.is("a link in its place", m.life(), opened)
	m.Write("lib/libdeep.so.2", string(text))
	m.must(os.Symlink("libdeep.so.2", m.Path("lib/link")))
	m.must(os.Rename(m.Path("lib/link"), m.Path("lib/libdeep.so")))
	m.is("the link leads elsewhere", m.life(), opened)
	m.must(os.Remove(m.Path("lib/libdeep.so.1")))
	m.is("the old file is gone", m.life(), "a b")

	m.copyTo("a", 1, m.Path("lib/other.so"))
	m.must(unix.Renameat2(unix.AT_FDCWD, m.lib("a"), unix.AT_FDCWD, m.Path("lib/other.so"), unix.RENAME_EXCHANGE))
	m.is("exchanged", m.life(), opened)

	if unix.Mount(m.Path("lib/other.so"), m.lib("a"), "", unix.MS_BIND, "") == nil {
		mounted := true
		unmount := func() {
			if mounted {
				unix.Unmount(m.lib("a"), unix.MNT_DETACH)
			}
			mounted = false
		}
		t.Cleanup(unmount)
		m.is("a mount over the file", m.life(), opened)
		m.is("kept under it", m.life(), "a b")
		unmount()
		m.is("without the mount", m.life(), opened)
	}
	m.h.Quit()
}

// VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING: 1 closes nothing, so the linker returns the old library for the path of a new file; 0
// closes everything, so a program's plug-in gets another library.
//
// holds: INS-088 ENV-110
func TestUnloadingVariable(t *testing.T) {
	t.Parallel()
	const name = "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"
	m := newMachine(t)
	m.Env[name] = "1"
	m.is("first", m.life("layer", "VK_LAYER_it"), "a b a+11 b+11 layer+11")
	m.is("kept", m.life("layer", "VK_LAYER_it"), "a b")
	m.install("a", 1)
	m.is("replaced", m.life("layer", "VK_LAYER_it"), "a b")
	m.h.Exit()

	m = newMachine(t)
	m.Env[name] = "0"
	for range 2 {
		m.is("cycle", m.life("layer", "VK_LAYER_it"), "a b a+11 b+11 layer+11 a-1 b-1 layer-1")
	}
	m.copyTo("helper", 3, m.Path("plugin/libhelper.so"))
	text, err := os.ReadFile(m.Path("lib/fake_a.so"))
	m.must(err)
	m.Write("plugin/fake_a.so", string(text))
	m.copyTo("a", 3, m.Path("plugin/plugin.so"))
	m.h.Do("hold", "path", m.Path("plugin/plugin.so"))
	m.is("a plug-in", strings.Join(m.traces(), " "), "a+33")
	m.h.Quit()
}

// A directory of LD_LIBRARY_PATH is created while the program runs. glibc no longer searches there, so the driver is the old one. It
// is opened again if a file of its name appears there or goes.
//
// holds: DRV-022 INS-088
func TestSearchedDirectoryAppears(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.Env["LD_LIBRARY_PATH"] = m.Path("first") + ":" + m.Path("lib")
	m.Write("icd/a.json", world.DriverManifest("a.so", "1.1.0"))
	m.must(os.Remove(m.Path("icd/b.json")))
	m.is("first", m.life(), "a a+11")
	m.is("kept", m.life(), "a")
	m.must(os.MkdirAll(m.Path("first"), 0o755))
	m.is("an empty directory", m.life(), "a")
	m.copyTo("a", 1, m.Path("first/a.so"))
	m.is("a file in it", m.life(), "a a-1 a+11")
	m.is("kept", m.life(), "a")
	m.must(os.Remove(m.Path("first/a.so")))
	m.is("it has gone", m.life(), "a a-1 a+11")
	m.h.Quit()
}

// If only the modification time of a file changes, its code is the same: the driver is closed and opened again, and a layer is used.
// A file of the same size with other code was overwritten.
//
// holds: INS-088 LAY-281
func TestTouchedFiles(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	touch := func(name string) { m.must(os.Chtimes(m.lib(name), time.Time{}, time.Now().Add(time.Hour))) }
	m.is("first", m.life("layer", "VK_LAYER_it"), "a b a+11 b+11 layer+11 layer-1")
	touch("a")
	opened := "a b a-1 b-1 a+11 b+11"
	m.is("a driver", m.life(), opened)
	m.is("kept", m.life(), "a b")
	touch("helper")
	m.is("a needed library", m.life(), opened)
	m.h.OK("create_instance", "as", "long", "layer", "VK_LAYER_it")
	m.h.OK("physical_devices", "instance", "long")
	touch("b")
	touch("layer")
	m.is("while an instance lives", m.life("layer", "VK_LAYER_it"), "a b layer+11")
	m.h.Do("destroy_instance", "name", "long")
	m.traces()
	m.is("afterwards", m.life("layer", "VK_LAYER_it"), opened+" layer+11 layer-1")

	text, err := os.ReadFile(m.lib("b"))
	m.must(err)
	for i := 64; i < len(text); i++ { // all but the file's header
		text[i] ^= 0xff
	}
	m.write("b", text, 0)
	m.is("other contents", m.life(), "a")
	touch("helper") // the old driver, which stays, needs the same code
	m.install("b", 1)
	m.is("a new file", m.life(), "a")
	m.h.Exit()
}

// cp over the file of a kept driver resets its mapped data, even if the contents are the same. The driver is neither called nor
// closed, and other drivers and layers are opened.
//
// holds: INS-088
func TestDriverIsCopiedOver(t *testing.T) {
	t.Parallel()
	for _, version := range []int{1, 2} {
		m := newMachine(t)
		m.is("first", m.life("layer", "VK_LAYER_it"), "a b a+11 b+11 layer+11 layer-1")
		m.copyOver("a", version)
		for range 2 {
			m.is("copied over", m.life("layer", "VK_LAYER_it"), "b layer+11 layer-1")
		}
		m.install("a", 1)
		m.is("a new file", m.life("layer", "VK_LAYER_it"), "b layer+11 layer-1")
		m.copyOver("a", version)
		m.is("copied over again", m.life("layer", "VK_LAYER_it"), "b layer+11 layer-1")
		m.h.Exit()
	}
}

// cp over a library that an open driver needs: the dynamic linker would read the library's damaged name in each dlopen of the
// process. No other driver and no layer is opened any more.
//
// holds: INS-088 LAY-281
func TestNeededLibraryIsCopiedOver(t *testing.T) {
	t.Parallel()
	for _, version := range []int{1, 2} {
		m := newMachine(t)
		other := m.Driver("other", "device name=other").ManifestPath
		m.is("first", m.life("layer", "VK_LAYER_it"), "a b a+11 b+11 layer+11 layer-1")
		m.copyOver("helper", version)
		m.is("copied over", m.life(), "result -9")
		m.h.Do("setenv", "name", "VK_DRIVER_FILES", "value", other)
		m.is("another driver", m.life("layer", "VK_LAYER_it"), "result -9")
		m.install("helper", 2)
		m.h.Do("setenv", "name", "VK_DRIVER_FILES", "value", m.manifests())
		m.is("a new file", m.life(), "result -9")
		exit := m.h.Exit()
		if !strings.Contains(exit.Stderr, m.lib("helper")+": this file was overwritten") {
			t.Errorf("said:\n%s", exit.Stderr)
		}
	}
}

// A file that is truncated and not written again has no pages behind its new end; a read there ends the process. The driver is
// refused, and other drivers work.
//
// holds: INS-088
func TestDriverIsCutOff(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "helper"} {
		m := newMachine(t)
		other := m.Driver("other", "device name=other").ManifestPath
		m.is("first", m.life("layer", "VK_LAYER_it"), "a b a+11 b+11 layer+11 layer-1")
		m.write(name, nil, os.O_TRUNC)
		want := map[string]string{"a": "b", "helper": "result -9"}[name]
		for range 2 {
			m.is(name+" is cut off", m.life(), want)
		}
		want = map[string]string{"a": "other", "helper": "result -9"}[name]
		m.h.Do("setenv", "name", "VK_DRIVER_FILES", "value", other)
		m.is("another driver", m.life(), want)
		m.h.Exit()
	}
}
