package drivers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// hostile is a library with every function that a driver or a layer needs. Each of them ends the process, and so does its
// constructor if there is one.
const hostile = `#include <stdlib.h>
#define END(name) __attribute__((visibility("default"))) int name(void) { abort(); }
END(vk_icdNegotiateLoaderICDInterfaceVersion) END(vk_icdGetInstanceProcAddr) END(vkGetInstanceProcAddr)
END(vkNegotiateLoaderLayerInterfaceVersion) END(vkGetDeviceProcAddr) END(fakePreVersion)
END(vkCreateInstance) END(vkEnumerateInstanceExtensionProperties)
#ifdef CONSTRUCTOR
__attribute__((constructor)) static void on_load(void) { abort(); }
#endif
`

// named builds such a library with a name: its SONAME, or the name in its export directory.
func named(w *world.World, path, soname string, more ...string) string {
	w.T.Helper()
	source := w.Write("hostile.c", hostile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.T.Fatal(err)
	}
	name := "-Wl,-soname," + soname
	if world.MacOS() {
		name = "-Wl,-install_name,/opt/elsewhere/" + soname
	}
	if world.Windows() {
		name = w.Write("name.def", "LIBRARY \""+soname+"\"\n")
	}
	if err := world.Compile(append([]string{"-shared", "-fPIC", "-o", path, source, name}, more...)...); err != nil {
		w.T.Fatal(err)
	}
	return path
}

const isLoader = ": this is a Vulkan loader by its own name (%), which would look for drivers and layers in its turn, and neither a driver nor a layer"

// searched returns the name of a library in a message if the system has searched for it: its path on Linux, otherwise the bare
// name.
func searched(library string) string {
	if world.Windows() || world.MacOS() {
		return filepath.Base(library)
	}
	return library
}

func loaderSaid(path, soname string) string {
	return path + strings.Replace(isLoader, "%", soname, 1)
}

// A library that is a loader by its SONAME is neither a driver nor a layer: it is opened and closed, and none of its functions
// is called (DRV-046).
//
// holds: DRV-042 INS-029 LAY-296
func TestLoadersAreNoDrivers(t *testing.T) {
	t.Parallel()
	for _, soname := range []string{"libvulkan.so.1", "libvulkan.1.dylib", "vulkan-1.dll"} {
		w := loud(t)
		library := named(w, w.Path("lib/libacme.so"), soname)
		w.Driver("good", "device name=good")
		w.DriverFile("acme", world.DriverManifest(library, "1.1.0"))
		l := live(t, w)
		l.wants(t, success, "good")
		says(t, l.exit, "[ERROR] "+loaderSaid(library, soname),
			"[ERROR|DRIVER] loader_icd_scan: Failed loading library associated with ICD JSON "+library+". Ignoring this JSON")
	}

	w := loud(t) // found by the linker's search
	library := named(w, w.Path("found/libacme.so"), "libvulkan.so.1")
	w.Env[world.SearchPath()] = filepath.Dir(library)
	w.Driver("good", "device name=good")
	w.DriverFile("acme", world.DriverManifest("libacme.so", "1.1.0"))
	l := live(t, w)
	l.wants(t, success, "good")
	says(t, l.exit, "[ERROR] "+loaderSaid(searched(library), "libvulkan.so.1"),
		"[ERROR|DRIVER] loader_icd_scan: Failed loading library associated with ICD JSON libacme.so. Ignoring this JSON")

	w = loud(t) // alone
	w.DriverFile("acme", world.DriverManifest(named(w, w.Path("lib/libacme.so"), "libvulkan.so.1"), "1.1.0"))
	live(t, w).wants(t, incompatibleDriver)

	w = loud(t) // provided by the program
	library = named(w, w.Path("lib/libacme.so"), "libvulkan.so.1")
	w.Driver("good", "device name=good")
	l = live(t, w, "ext", direct, "direct", library)
	l.wants(t, success, "good")
	says(t, l.exit, "[ERROR|DRIVER] loader_add_direct_driver: "+loaderSaid(library, "libvulkan.so.1")+": the VkDirectDriverLoadingInfoLUNARG structure at index 0, skipping.")

	w = loud(t) // a layer
	library = named(w, w.Path("lib/libacme.so"), "libvulkan.so.1")
	w.Driver("good", "device name=good")
	w.ImplicitLayer("VK_LAYER_it").Set("library_path", library).Set("pre_instance_functions", map[string]any{"vkEnumerateInstanceVersion": "fakePreVersion"}).Format("1.1.2")
	h := w.Start()
	h.OK("instance_version")
	h.OK("create_instance")
	same(t, "devices", deviceNames(h, "i"), []string{"good"})
	says(t, h.Quit(), "[ERROR] "+loaderSaid(library, "libvulkan.so.1"))

	w = loud(t) // a layer that the linker finds
	library = named(w, w.Path("found/libacme.so"), "libvulkan.so.1")
	w.Env[world.SearchPath()] = filepath.Dir(library)
	w.Driver("good", "device name=good")
	w.ImplicitLayer("VK_LAYER_it").Set("library_path", "libacme.so")
	l = live(t, w)
	l.wants(t, success, "good")
	says(t, l.exit, "[ERROR] "+loaderSaid(searched(library), "libvulkan.so.1"))
}

// Other names are not a loader's. A library with a damaged dynamic section is refused by the dynamic linker.
//
// holds: DRV-042
func TestNamesOfDrivers(t *testing.T) {
	t.Parallel()
	for _, soname := range []string{"libvulkan_acme.so", "libvulkan.so.10", "libvulkan.so", "Xlibvulkan.so.1"} {
		w := loud(t)
		library := named(w, w.Path("lib/libacme.so"), soname, "-DCONSTRUCTOR")
		w.DriverFile("acme", world.DriverManifest(library, "1.1.0"))
		if end := w.Start().Dies("create_instance"); end.Signal == 0 {
			t.Errorf("%s: the library was not opened: %v", soname, end)
		}
	}
}

// ownName returns the name by which a loader for the target identifies itself.
func ownName() string {
	switch {
	case world.Windows():
		return "vulkan-1.dll"
	case world.MacOS():
		return "libvulkan.1.dylib"
	}
	return "libvulkan.so.1"
}

// Two copies of a loader, whose manifests name each other, end at once, and so does this loader with a copy of it.
//
// holds: DRV-042 INS-029
func TestLoadersThatNameEachOther(t *testing.T) {
	t.Parallel()
	w := loud(t)
	var manifests []string
	for _, name := range []string{"a", "b"} {
		copied := w.Write("lib/"+name+".so", string(content(t, w.Loader)))
		manifests = append(manifests, w.Write(name+".json", world.DriverManifest(copied, "1.1.0")))
	}
	good := w.Driver("good", "device name=good")
	w.Env["VK_DRIVER_FILES"] = strings.Join(append(manifests, good.ManifestPath), string(os.PathListSeparator))
	h := w.Start()
	h.OK("instance_extensions")
	h.OK("create_instance")
	same(t, "devices", deviceNames(h, "i"), []string{"good"})
	var said []string
	for _, name := range []string{"a", "b"} {
		said = append(said, "[ERROR] "+loaderSaid(w.Path("lib", name+".so"), ownName()))
	}
	says(t, h.Quit(), said...)
}
