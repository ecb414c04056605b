package drivers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// loads returns how often libraries were opened and closed: "a+" and "a-", in order.
func loads(w *world.World) []string {
	var out []string
	for _, event := range w.Log().Fn("constructor", "destructor") {
		sign := "+"
		if event.Text("fn") == "destructor" {
			sign = "-"
		}
		out = append(out, event.Text("who")+sign)
	}
	return out
}

// holds: INS-087 INS-088
func TestListingExtensionsKeepsLibraries(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{world.Unset, "0"} {
		t.Run(strings.TrimPrefix(mode, "\x00"), func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = mode
			w.Driver("a", "log_load", "ext VK_KHR_surface 1")
			w.Driver("b", "log_load", "ext VK_KHR_surface 1")
			w.DriverKind(world.NoExports, "rejected", "log_load")
			h := w.Start()
			again := []string{"rejected+", "rejected-"}
			h.OK("instance_extensions", "count", "only")
			same(t, "after listing", loads(w), []string{"a+", "b+", "rejected+", "rejected-"})
			w.ForgetLog()
			h.OK("instance_extensions", "count", "only", "layer", "")
			same(t, "after listing again", loads(w), again)
			w.ForgetLog()
			h.OK("create_instance")
			same(t, "at creation", loads(w), again)
			h.Do("destroy_instance")
			same(t, "at destruction", loads(w), slices.Concat(again, []string{"a-", "b-"}))
			w.ForgetLog()
			h.OK("instance_extensions", "count", "only")
			same(t, "in a second life", loads(w), slices.Concat([]string{"a+", "b+"}, again))
			w.ForgetLog()
			h.OK("create_instance")
			h.Do("destroy_instance")
			same(t, "at its end", loads(w), slices.Concat(again, []string{"a-", "b-"}))
			h.OK("instance_extensions", "count", "only")
			w.ForgetLog()
			h.Do("close")
			got := loads(w)
			slices.Sort(got)
			want := []string{"a-", "b-"}
			if world.Windows() { // WIN-010: nothing is closed under the system's lock
				want = nil
			}
			same(t, "when the loader goes", got, want)
			h.Quit()
		})
	}
}

// holds: INS-088 INS-090
func TestLibrariesOfOtherInstancesStay(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = "0"
	w.Accesses()
	a, b := w.Driver("a", "log_load", "device name=a"), w.Driver("b", "log_load", "device name=b")
	h := w.Start()
	h.OK("create_instance", "as", "both")
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", a.ManifestPath)
	h.OK("create_instance", "as", "one")
	h.OK("physical_devices", "instance", "both")
	h.OK("physical_devices", "instance", "one")
	h.Do("destroy_instance", "name", "both")
	same(t, "with a left", loads(w), []string{"a+", "b+", "b-"})
	same(t, "devices", deviceNames(h, "one"), []string{"a"})
	h.Do("destroy_instance", "name", "one")
	same(t, "with none left", loads(w), []string{"a+", "b+", "b-", "a-"})
	h.Quit()
	for library, want := range map[string]int{a.Library: 2, b.Library: 1} {
		n := 0
		for _, line := range w.AccessLog() {
			if line == "dlopen "+library+" 1" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s was opened %d times, want %d", library, n, want)
		}
	}
}

// holds: INS-087 INS-088
func TestListedLibrariesGoWithAnyInstance(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = "0"
	a := w.Driver("a", "log_load", "device name=a")
	w.Driver("b", "log_load", "device name=b")
	h := w.Start()
	both := w.Environment()
	h.OK("instance_extensions")
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", a.ManifestPath)
	h.OK("create_instance", "as", "one")
	h.OK("create_instance", "as", "two")
	same(t, "before", loads(w), []string{"a+", "b+"})
	h.Do("destroy_instance", "name", "two")
	same(t, "with one left", loads(w), []string{"a+", "b+", "b-"})
	// another list of extensions keeps b open again, and the live instance keeps a open
	for _, variable := range both {
		if value, ok := strings.CutPrefix(variable, "VK_DRIVER_FILES="); ok {
			h.Do("setenv", "name", "VK_DRIVER_FILES", "value", value)
		}
	}
	h.OK("instance_extensions")
	same(t, "listed again", loads(w), []string{"a+", "b+", "b-", "b+"})
	same(t, "devices", deviceNames(h, "one"), []string{"a"})
	h.Do("destroy_instance", "name", "one")
	got := loads(w)[4:]
	slices.Sort(got)
	same(t, "in the end", got, []string{"a-", "b-"})
	h.Quit()
}

// A driver that has reported a device stays open; other drivers do not.
//
// holds: INS-088 INS-089
func TestDriversWithDevicesStayMapped(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	has := w.Driver("has", "log_load", "device name=has")
	w.Driver("never", "log_load", "device name=never") // never requested
	w.Driver("empty", "log_load")
	w.ExplicitLayer("VK_LAYER_it", "log_load")
	w.Env["VK_DRIVER_FILES"] = strings.Join([]string{has.ManifestPath, w.Path("drivers/empty.json")}, ":")
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_it")
	h.OK("physical_devices")
	h.Do("destroy_instance")
	got := loads(w)
	if !slices.Contains(got, "empty-") || !slices.Contains(got, "VK_LAYER_it-") || slices.Contains(got, "has-") {
		t.Errorf("loaded and unloaded: %v", got)
	}
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", w.Path("drivers/never.json"))
	h.OK("create_instance")
	h.Do("destroy_instance")
	if got := loads(w); !slices.Contains(got, "never-") {
		t.Errorf("the driver whose devices nobody asked for stays: %v", got)
	}

	// No answer of the driver is cached, and each instance is a new one.
	w.ForgetLog()
	has.Replace("log_load", "device name=renamed", "ext VK_KHR_surface 1")
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", has.ManifestPath)
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), slices.Concat([]string{"VK_KHR_surface"}, ownExtensions))
	for range 3 {
		h.OK("create_instance")
		same(t, "devices", deviceNames(h, "i"), []string{"renamed"})
		h.Do("destroy_instance")
	}
	if got := loads(w); len(got) != 0 {
		t.Errorf("loaded and unloaded: %v", got)
	}
	if n := len(w.Log().Fn(negotiation)); n < 4 {
		t.Errorf("negotiated %d times", n)
	}

	// Another file at its path is another driver.
	text, err := os.ReadFile(has.Library)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(has.Library, string(text))
	if err := os.Chmod(has.Library, 0o755); err != nil {
		t.Fatal(err)
	}
	h.OK("create_instance")
	same(t, "devices", deviceNames(h, "i"), []string{"renamed"})
	same(t, "replaced", loads(w), []string{"has-", "has+"})
	h.Do("destroy_instance")
	w.ForgetLog()
	h.Do("close")
	gone, left := []string{"has-"}, 0
	if world.Windows() { // WIN-010: nothing is closed under the system's lock
		gone, left = nil, 1
	}
	same(t, "when the loader goes", loads(w), gone)
	if mapped := h.Do("maps", "match", w.Path("lib")).Strings("maps"); len(mapped) != left {
		t.Errorf("mapped: %v", mapped)
	}
	h.Quit()
}

// holds: INS-089 INS-087
func TestLibrariesGoWithTheLoader(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("it", "log_load", "device name=it")
	h := w.Start()
	h.OK("instance_extensions")
	h.OK("instance_extensions")
	same(t, "before", loads(w), []string{"it+"})
	h.Do("close")
	after := []string{"it+", "it-"}
	if world.Windows() { // WIN-010
		after = []string{"it+"}
	}
	same(t, "after", loads(w), after)
	h.Quit()
}

// A driver that is replaced before an instance uses it, or while its instance lives, is opened again for the next
// instance.
//
// holds: INS-088 INS-091
func TestDriverReplacedDuringALife(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	it := w.Driver("it", "log_load", "device name=it")
	text, err := os.ReadFile(it.Library)
	if err != nil {
		t.Fatal(err)
	}
	h := w.Start()
	h.OK("instance_extensions") // it keeps the library open
	w.Write(it.Library, string(text))
	h.OK("create_instance")
	same(t, "listed", loads(w), []string{"it+", "it-", "it+"})
	w.ForgetLog()
	h.OK("physical_devices")
	w.Write(it.Library, string(text))
	h.OK("create_instance", "as", "second") // while the first one lives: the dynamic linker has one object
	h.OK("physical_devices", "instance", "second")
	h.Do("destroy_instance")
	h.Do("destroy_instance", "name", "second")
	same(t, "replaced", loads(w), nil)
	h.OK("create_instance")
	h.OK("physical_devices")
	same(t, "the next", loads(w), []string{"it-", "it+"})
	h.Do("destroy_instance")
	h.OK("create_instance")
	same(t, "unchanged", loads(w), []string{"it-", "it+"})
	h.Quit()
}

// The loader knows the file of an open library, with any number of instances, drivers and names that use it: a replaced library is
// opened again as soon as it is unused.
//
// holds: INS-088 INS-091
func TestReplacedDriverOfSeveralInstances(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	it := w.Driver("it", "log_load", "device name=it")
	w.Driver("other", "device name=other")
	text, err := os.ReadFile(it.Library)
	if err != nil {
		t.Fatal(err)
	}
	its := func() (got []string) {
		return slices.DeleteFunc(loads(w), func(s string) bool { return !strings.HasPrefix(s, "it") })
	}
	h := w.Start()
	live := func(name string) {
		t.Helper()
		h.OK("create_instance", "as", name)
		h.OK("physical_devices", "instance", name)
	}
	live("first")
	w.Write(it.Library, string(text))
	live("second") // still the old object, although its file was replaced
	h.Do("destroy_instance", "name", "second")
	h.Do("destroy_instance", "name", "first")
	same(t, "before", its(), []string{"it+"})
	live("third")
	same(t, "replaced", its(), []string{"it+", "it-", "it+"})
	h.Quit()
}

// The file of a driver with two names is replaced: each name leads to the present file.
//
// holds: INS-088
func TestChangedDriverOfTwoNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	it := w.Driver("it", "log_load", "steady", "device name=it")
	link := w.Path("lib/link.so")
	leadTo(t, link, it.Library)
	again := w.Write("again.json", world.DriverManifest(link, "1.0.0"))
	h := w.Start()
	live := func(name string) {
		t.Helper()
		h.OK("create_instance", "as", name)
		h.OK("physical_devices", "instance", name)
	}
	live("first")
	h.Do("destroy_instance", "name", "first")
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", again)
	w.Write(it.Library, string(content(t, it.Library)))
	live("linked") // by another name; the library of the first name's file is closed
	same(t, "replaced", loads(w), []string{"it+", "it-", "it+"})
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", it.ManifestPath)
	live("named")
	same(t, "of two names", loads(w), []string{"it+", "it-", "it+"})
	h.Do("destroy_instance", "name", "named")
	h.Do("destroy_instance", "name", "linked")
	live("last")
	same(t, "after two names", loads(w), []string{"it+", "it-", "it+", "it-", "it+"})
	h.Quit()
}

// If one of the drivers that stay open has changed, all are opened again: they may share libraries.
//
// holds: INS-087 INS-088
func TestChangedDriverAmongKeptOnes(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		w := world.New(t)
		var drivers []*world.Fake
		for _, name := range []string{"a", "b", "c"} {
			drivers = append(drivers, w.Driver(name, "log_load", "device name="+name))
		}
		h := w.Start()
		for range 2 {
			h.OK("create_instance")
			h.OK("physical_devices")
			h.Do("destroy_instance")
		}
		changed := drivers[n]
		w.Write(changed.Library, string(content(t, changed.Library)))
		w.ForgetLog()
		h.OK("create_instance")
		h.OK("physical_devices")
		h.Do("destroy_instance")
		same(t, changed.Name, loads(w), []string{"a-", "b-", "c-", "a+", "b+", "c+"})
		h.Quit()
	}
}

// Libraries may call the loader while they are opened and closed, because the loader then holds no lock.
//
// holds: INS-087 INS-088
func TestLibrariesCallTheLoader(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	kept := w.Driver("kept", "log_load", "calls_loader", "device name=kept")
	w.Driver("gone", "log_load", "calls_loader", "device name=gone")
	w.ImplicitLayer("VK_LAYER_it", "log_load", "calls_loader")
	text, err := os.ReadFile(kept.Library)
	if err != nil {
		t.Fatal(err)
	}
	h := w.Start()
	h.OK("instance_extensions") // it keeps both open
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", kept.ManifestPath)
	for range 2 {
		h.OK("create_instance")
		h.OK("physical_devices")
		h.Do("destroy_instance")
		w.Write(kept.Library, string(text))
	}
	h.OK("create_instance")
	got := loads(w)
	slices.Sort(got)
	same(t, "opened and closed", slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, "kept") && !strings.HasPrefix(s, "gone") }),
		[]string{"gone+", "gone-", "kept+", "kept+", "kept+", "kept-", "kept-"})
	h.Quit()
}

// At the end of the process, the loader calls nothing that could meet threads that still run.
//
// holds: INS-085
func TestEndOfTheProcessWithALiveInstance(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("it", "log_load", "device name=it")
	h := w.Start()
	h.OK("create_instance")
	h.OK("physical_devices")
	h.Quit() // with a live instance
	if n := len(w.Log().Fn("vkDestroyInstance")); n != 0 {
		t.Errorf("%d instances destroyed behind the program's back", n)
	}
}

// holds: INS-091
func TestManifestsAreReadAnew(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	a := w.Driver("a").MoveManifest("found")
	w.Env["VK_DRIVER_FILES"] = w.Path("found")
	h := w.Start()
	devices := func(want ...string) {
		t.Helper()
		h.OK("create_instance")
		got := deviceNames(h, "i")
		slices.Sort(got)
		same(t, "devices", got, want)
		h.Do("destroy_instance")
	}
	devices("a")
	w.Driver("b").MoveManifest("found")
	devices("a", "b")
	if err := os.Remove(a.ManifestPath); err != nil {
		t.Fatal(err)
	}
	devices("b")
	c := w.Driver("c").MoveManifest("other")
	// the same name and perhaps the same length, but other content
	w.Write("found/b.json", world.DriverManifest(c.Library, "1.0.0"))
	devices("c")
	h.Quit()
}

// holds: INS-092
func TestUnloadingCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	const message = "[WARN] Vulkan Loader: library unloading is disabled"
	for value, never := range map[string]bool{"1": true, "10": false, "": false, "01": false, "true": false, " 1": false} {
		t.Run("value "+value, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = value
			w.Driver("it", "log_load")
			w.DriverKind(world.NoExports, "rejected", "log_load")
			w.ExplicitLayer("VK_LAYER_it", "log_load")
			h := w.Start()
			h.OK("create_instance", "layer", "VK_LAYER_it")
			h.Do("destroy_instance")
			destroyed := len(w.Log().Fn("vkDestroyInstance").By("it"))
			closed := w.Log().Fn("destructor").Who()
			slices.Sort(closed)
			exit := h.Quit()
			if destroyed != 1 {
				t.Errorf("the driver's instance was destroyed %d times", destroyed)
			}
			if never {
				same(t, "closed", closed, nil)
				says(t, exit, message)
			} else {
				same(t, "closed", closed, []string{"VK_LAYER_it", "it", "rejected"})
				quietAbout(t, exit, "is disabled")
			}
		})
	}
}

// living is a driver without extensions that creates and destroys an instance whenever its extensions are listed. When it is
// unmapped, it writes a file.
const living = `#include <dlfcn.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "vulkan.h"

static VkResult VKAPI_CALL create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
    return VK_ERROR_INCOMPATIBLE_DRIVER;
}

static VkResult VKAPI_CALL extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
    static int depth;
    void **loader = dlsym(RTLD_DEFAULT, "host_loader");
    if (depth++ == 0) {
        PFN_vkCreateInstance make = (PFN_vkCreateInstance)dlsym(*loader, "vkCreateInstance");
        PFN_vkDestroyInstance end = (PFN_vkDestroyInstance)dlsym(*loader, "vkDestroyInstance");
        VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        VkInstance instance;
        if (make(&info, NULL, &instance) != VK_SUCCESS) abort();
        end(instance, NULL);
    }
    depth--;
    *count = 0;
    return VK_SUCCESS;
}

__attribute__((visibility("default"))) PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)create;
    if (strcmp(name, "vkEnumerateInstanceExtensionProperties") == 0) return (PFN_vkVoidFunction)extensions;
    return NULL;
}

__attribute__((destructor)) static void gone(void)
{
    FILE *f = fopen(getenv("LIVING_GONE"), "w");
    if (f) fclose(f);
}
`

// An instance that ends while extensions are listed does not close a library that the list needs.
//
// holds: INS-087 INS-088
func TestInstanceEndsWhileExtensionsAreListed(t *testing.T) {
	t.Parallel()
	if world.Windows() {
		t.Skip("the driver finds the loader by the dynamic linker's functions")
	}
	unloads(t)
	w := world.New(t)
	source, library, gone := w.Write("living.c", living), w.Path("living.so"), w.Path("gone")
	if err := world.Compile("-shared", "-fPIC", "-I../../lib", "-I../../../spine", "-o", library, source, "-ldl"); err != nil {
		t.Fatal(err)
	}
	w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = "0"
	w.Env["LIVING_GONE"] = gone
	w.Driver("good", "device name=good")
	w.DriverFile("living", world.DriverManifest(library, "1.1.0"))
	h := w.Start()
	is := func(when string, want bool) {
		t.Helper()
		if _, err := os.Stat(gone); (err == nil) != want {
			t.Errorf("%s the library is unmapped: %v, want %v", when, !want, want)
		}
	}
	for range 3 { // the first opens it, the others use the open library
		h.OK("instance_extensions")
		is("after a list", false)
	}
	h.OK("create_instance")
	h.Do("destroy_instance")
	is("after an instance", true)
	h.Quit()
}

// The libraries that a list of extensions leaves open are reused for the next list: the dynamic linker is called once, also for a
// name that it searches for.
//
// holds: INS-087
func TestListedLibrariesAreOpenedOnce(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Accesses()
	a := w.Driver("a", "ext VK_KHR_surface 1")
	content, err := os.ReadFile(a.Library)
	if err != nil {
		t.Fatal(err)
	}
	// With another name: Windows finds an open library by the last component of its path.
	const searched = "searched.so"
	w.Env[world.SearchPath()] = filepath.Dir(w.Write("found/"+searched, string(content)))
	w.DriverFile("b", world.DriverManifest(searched, "1.1.0"))
	h := w.Start()
	for range 3 {
		h.OK("instance_extensions")
	}
	h.Quit()
	opened := map[string]int{}
	for _, line := range w.AccessLog() {
		if function, path, _ := strings.Cut(line, " "); function == "dlopen" {
			opened[path]++
		}
	}
	for _, path := range []string{a.Library + " 1", searched + " 1"} {
		if opened[path] != 1 {
			t.Errorf("%s was opened %d times: %v", path, opened[path], opened)
		}
	}
}
