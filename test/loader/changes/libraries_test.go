package changes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vkloader/test/lib/world"
)

// traced writes a line to the file TRACE when a library is opened and when it is closed.
const traced = `#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void trace(const char *name, char what, int number)
{
    char line[100];
    int fd = open(getenv("TRACE"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    snprintf(line, sizeof line, "%s%c%d\n", name, what, number);
    if (write(fd, line, strlen(line)) < 0) abort();
    close(fd);
}
`

// helper is a library that drivers and layers need. Version N has the functions helper_1 to helper_N. A callback can be stored
// in it; the next call of helper_1 calls the callback.
const helper = `
int helper_1(void (*call)(void));
int helper_1(void (*call)(void))
{
    static void (*left)(void);
    if (left) left();
    if (call) left = call;
    return VERSION;
}
int helper_2(void);
int helper_3(void);
#if VERSION > 1
int helper_2(void) { return 2; }
#endif
#if VERSION > 2
int helper_3(void) { return 3; }
#endif
`

// own is a library that only the layer needs. It calls the callback that the layer stored in it when it was last
// opened.
const own = `
void own_call(void (*call)(void));
void own_call(void (*call)(void))
{
    static void (*left)(void);
    if (left) left();
    left = call;
}
`

// needing is a driver or a layer of a given version, which needs the same version of the helper. Its Vulkan functions are those
// of the fake library, which it also needs.
const needing = traced + `
int helper_1(void (*call)(void));
int helper_2(void);
int helper_3(void);
static void called(void) {}
#ifdef OWN
void own_call(void (*call)(void));
#endif
__attribute__((constructor)) static void begin(void)
{
#ifdef OWN
    own_call(called);
#endif
    int number = helper_1(getenv("LEAVE_CALLBACK") ? called : NULL);
#if VERSION > 1
    number += 0 * helper_2();
#endif
#if VERSION > 2
    number += 0 * helper_3();
#endif
    trace(NAME, '+', 10 * VERSION + number);
}
__attribute__((destructor)) static void end(void) { trace(NAME, '-', VERSION); }
`

// versions is the number of versions of each library.
const versions = 3

// names lists the drivers and the layer that need the helper.
var names = []string{"a", "b", "layer"}

// built compiles the libraries of all versions once for all tests. They find each other by $ORIGIN.
var built = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "vkloader-changes-")
	if err != nil {
		return "", err
	}
	cleanup = append(cleanup, directory)
	at := func(name string) string { return filepath.Join(directory, name) }
	for name, text := range map[string]string{"helper.c": helper, "needing.c": needing, "own.c": own, "fake.c": ""} {
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	link := []string{"-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L" + directory}
	if err := world.Compile(append(link, "-Wl,-soname,libown.so", "-o", at("libown.so"), at("own.c"))...); err != nil {
		return "", err
	}
	for v := 1; v <= versions; v++ {
		out := at(fmt.Sprint("helper", v))
		if err := world.Compile(append(link, fmt.Sprint("-DVERSION=", v), "-Wl,-soname,libhelper.so", "-o", out, at("helper.c"))...); err != nil {
			return "", err
		}
		if err := world.Compile(append(link, fmt.Sprint("-DVERSION=", v), "-Wl,-soname,libhelper.so", "-o", at("libhelper.so"), at("helper.c"))...); err != nil {
			return "", err
		}
		for _, name := range names {
			fake := "fake_" + name + ".so"
			if err := world.Compile(append(link, "-o", at(fake), at("fake.c"))...); err != nil {
				return "", err
			}
			words := append(slices.Clone(link), fmt.Sprint("-DVERSION=", v), `-DNAME="`+name+`"`, "-o", at(fmt.Sprint(name, v)), at("needing.c"),
				"-Wl,--no-as-needed", "-lhelper", "-l:"+fake, "-Wl,-soname,lib"+name+".so")
			if name == "layer" {
				words = append(words, "-DOWN", "-lown")
			}
			if err := world.Compile(words...); err != nil {
				return "", err
			}
		}
	}
	return directory, nil
})

var cleanup []string

func TestMain(m *testing.M) {
	code := m.Run()
	for _, directory := range cleanup {
		os.RemoveAll(directory)
	}
	os.Exit(code)
}

// machine is a world with the drivers a and b and a layer, which share the helper.
type machine struct {
	*world.World
	t     *testing.T
	h     *world.Host
	built string
	open  map[string]string // number of each library that is open
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	directory, err := built()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{World: world.New(t), t: t, built: directory, open: map[string]string{}}
	m.NoShim = true // an interposer would not see the changes
	m.Env["TRACE"] = m.Path("trace")
	m.Env["VK_LOADER_DEBUG"] = "error"
	m.Env["VK_IMPLICIT_LAYER_PATH"] = m.Path("none")
	for _, name := range []string{"a", "b"} {
		fake := m.Driver("fake_"+name, "steady", "device name="+name)
		m.must(os.Remove(fake.ManifestPath))
		m.Write("icd/"+name+".json", world.DriverManifest(m.lib(name), "1.1.0"))
	}
	fake := m.ExplicitLayer("VK_LAYER_it")
	m.must(os.Rename(fake.Library, m.Path("lib/fake_layer.so")))
	for _, script := range []string{fake.Library + ".script"} {
		if _, err := os.Stat(script); err == nil {
			m.must(os.Rename(script, m.Path("lib/fake_layer.so.script")))
		}
	}
	text, err := os.ReadFile(filepath.Join(directory, "libown.so"))
	m.must(err)
	m.must(os.WriteFile(m.Path("lib/libown.so"), text, 0o755))
	m.Env["VK_DRIVER_FILES"] = m.manifests()
	m.upgrade(1)
	text, err = os.ReadFile(fake.ManifestPath)
	m.must(err)
	m.must(os.WriteFile(fake.ManifestPath, []byte(strings.ReplaceAll(string(text), fake.Library, m.lib("layer"))), 0o644))
	return m
}

// manifests returns the value of VK_DRIVER_FILES for both drivers, in this order. A directory's order would depend on
// the file system.
func (m *machine) manifests() string { return m.Path("icd/a.json") + ":" + m.Path("icd/b.json") }

func (m *machine) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// lib returns the path of a library.
func (m *machine) lib(name string) string {
	if name == "helper" {
		name = "libhelper"
	}
	return m.Path("lib", name+".so")
}

// install puts a version of a library in place, as package managers do: it links to the old file first, then renames.
func (m *machine) install(name string, version int) {
	m.t.Helper()
	m.copyTo(name, version, m.lib(name)+".new")
	if _, err := os.Stat(m.lib(name)); err == nil {
		os.Remove(m.lib(name) + ".old")
		m.must(os.Link(m.lib(name), m.lib(name)+".old"))
	}
	m.must(os.Rename(m.lib(name)+".new", m.lib(name)))
	os.Remove(m.lib(name) + ".old")
}

func (m *machine) copyTo(name string, version int, path string) {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.built, fmt.Sprint(name, version)))
	m.must(err)
	m.must(os.MkdirAll(filepath.Dir(path), 0o755))
	m.must(os.WriteFile(path, text, 0o755))
}

func (m *machine) upgrade(version int) {
	m.t.Helper()
	for _, name := range append([]string{"helper"}, names...) {
		m.install(name, version)
	}
}

// overwrite writes a version of a library over the existing file, page by page.
func (m *machine) overwrite(name string, version int) {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.built, fmt.Sprint(name, version)))
	m.must(err)
	m.write(name, text, 0)
}

// copyOver overwrites like cp: it truncates the file first, which resets the relocated pages of its mappings.
func (m *machine) copyOver(name string, version int) {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.built, fmt.Sprint(name, version)))
	m.must(err)
	m.write(name, text, os.O_TRUNC)
}

func (m *machine) write(name string, text []byte, flags int) {
	m.t.Helper()
	file, err := os.OpenFile(m.lib(name), os.O_WRONLY|flags, 0)
	m.must(err)
	_, err = file.Write(text)
	m.must(err)
	m.must(file.Close())
}

// traces follows the libraries that are opened and closed, and returns the changes since the last call.
func (m *machine) traces() []string {
	text, err := os.ReadFile(m.Path("trace"))
	if err != nil {
		return nil
	}
	m.must(os.Remove(m.Path("trace")))
	lines := strings.Fields(string(text))
	for _, line := range lines {
		if name, number, ok := strings.Cut(line, "+"); ok {
			m.open[name] = number
		} else if name, _, ok := strings.Cut(line, "-"); ok {
			delete(m.open, name)
		}
	}
	return lines
}
