package scale

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/test/lib/world"
)

// traced creates a world whose programs can be traced, and returns the content of a layer library that does nothing.
func traced(t *testing.T) (w *world.World, layer string) {
	t.Helper()
	if world.Target() != "" {
		t.Skip("programs of this machine are traced")
	}
	w = world.New(t)
	w.NoShim = true
	built := w.Path("layer.so")
	if err := world.Compile("-shared", "-fPIC", "-I../../../spine", "-o", built, "../bench/program/nothing.c"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	return w, string(content)
}

// layerManifest returns the manifest of a layer.
func layerManifest(name, library string) string {
	return world.JSON(map[string]any{"file_format_version": "1.2.0", "layer": map[string]any{"name": name, "type": "GLOBAL",
		"library_path": library, "api_version": "1.3.0", "implementation_version": "1", "description": "d"}})
}

// life creates an instance and destroys it.
func life(h *world.Host) func() {
	return func() {
		h.OK("create_instance")
		h.Do("destroy_instance")
	}
}

// opens counts the calls that open a path.
func opens(calls []systemCall, path string) int {
	n := 0
	for _, call := range calls {
		if call.number == unix.SYS_OPENAT && call.path == path {
			n++
		}
	}
	return n
}

// Each library of a long chain is opened once for an instance, by the dynamic linker. Its SONAME, which identifies a loader, is read from
// memory.
func TestChainIsReadOnce(t *testing.T) {
	t.Parallel()
	w, layer := traced(t)
	w.Driver("acme")
	var libraries, names []string
	for i := range 64 {
		name := fmt.Sprintf("VK_LAYER_test_%02d", i)
		libraries, names = append(libraries, w.Write("layers/"+name+".so", layer)), append(names, name)
		w.Write("layers/"+name+".json", layerManifest(name, libraries[i]))
	}
	w.Env["VK_LAYER_PATH"], w.Env["VK_INSTANCE_LAYERS"] = w.Path("layers"), strings.Join(names, ":")
	h := w.Start()
	life(h)()
	calls := systemCalls(t, h, life(h))
	for _, library := range libraries {
		if n := opens(calls, library); n != 1 {
			t.Errorf("%s was opened %d times, want 1", library, n)
		}
	}
	h.Quit()
}

// A library that the dynamic linker finds by its name is opened by the linker alone. Without a sink for messages, no directory on the way
// to a driver or a layer is examined.
func TestWhatTheLinkerFindsIsNotRead(t *testing.T) {
	t.Parallel()
	w, layer := traced(t)
	driver, err := os.ReadFile(filepath.Join(world.Build(), "drivers/libvk_null.so"))
	if err != nil {
		t.Fatal(err)
	}
	libraries := []string{w.Write("found/libacme.so", string(driver)), w.Write("found/liblayer.so", layer)}
	w.Write("layers/layer.json", layerManifest("VK_LAYER_found", "liblayer.so"))
	w.Env["VK_DRIVER_FILES"] = w.Write("acme.json", world.DriverManifest("libacme.so", "1.0.0"))
	w.Env["LD_LIBRARY_PATH"] = w.Path("found")
	w.Env["VK_LAYER_PATH"], w.Env["VK_INSTANCE_LAYERS"] = w.Path("layers"), "VK_LAYER_found"
	h := w.Start()
	calls := systemCalls(t, h, life(h))
	for _, library := range libraries {
		if n := opens(calls, library); n != 1 {
			t.Errorf("%s was opened %d times", library, n)
		}
	}
	links := 0
	for _, call := range calls {
		if call.number == unix.SYS_READLINK && call.path == w.Path("found") {
			links++
		}
	}
	if links != 0 {
		t.Errorf("the directory of a driver and a layer was looked at %d times", links)
	}
	h.Quit()
}

// The directories on the way to a driver that the dynamic linker has found are examined once, as long as the file
// does not change.
func TestWayToAFoundDriverIsKnown(t *testing.T) {
	t.Parallel()
	w, _ := traced(t)
	driver, err := os.ReadFile(filepath.Join(world.Build(), "drivers/libvk_null.so"))
	if err != nil {
		t.Fatal(err)
	}
	w.Write("found/libacme.so", string(driver))
	w.Env["VK_DRIVER_FILES"] = w.Write("acme.json", world.DriverManifest("libacme.so", "1.0.0"))
	w.Env["LD_LIBRARY_PATH"] = w.Path("found")
	h := w.Start()
	enumerate := func() { h.Do("instance_extensions") }
	for _, cycle := range []func(){enumerate, life(h)} {
		for range 3 { // a library that was closed once stays open the second time
			cycle()
		}
		for _, call := range systemCalls(t, h, cycle) {
			if call.number == unix.SYS_READLINK {
				t.Errorf("%s was looked at again", call.path)
			}
		}
	}
	h.Quit()
}

// A program that creates one instance examines each place once for a settings file and for its two directories of layers, whether the
// place exists or not.
func TestPlacesAreAskedOnce(t *testing.T) {
	t.Parallel()
	w, _ := traced(t)
	w.Driver("acme")
	w.Env["XDG_CONFIG_DIRS"], w.Env["XDG_DATA_DIRS"] = w.Path("config"), w.Path("data")
	w.Write("data/vulkan/implicit_layer.d/none.txt", "")
	h := w.Start()
	asked := map[string]int{}
	for _, call := range systemCalls(t, h, life(h)) {
		for _, place := range []string{"home/.config", "config", "home/.local/share", "data"} {
			if strings.HasPrefix(call.path, w.Path(place, "vulkan")) {
				asked[place]++
			}
		}
	}
	if want := map[string]int{"home/.config": 3, "config": 3, "home/.local/share": 3, "data": 3}; !maps.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	h.Quit()
}

// A small manifest is read without a query for its size; a manifest of any size is read completely.
func TestSmallManifestsAreRead(t *testing.T) {
	t.Parallel()
	w, _ := traced(t)
	w.Driver("acme")
	want := map[string]bool{}
	for size := 1000; size < 1050; size++ {
		name := fmt.Sprintf("VK_LAYER_%d", size)
		text := layerManifest(name, "./gone.so")
		w.Write("layers/"+name+".json", text+strings.Repeat(" ", size-len(text)))
		want[name] = true
	}
	w.Env["VK_LAYER_PATH"], w.Env["VK_IMPLICIT_LAYER_PATH"] = w.Path("layers"), w.Path("none")
	h := w.Start()
	sizes := 0
	for _, call := range systemCalls(t, h, func() {
		for _, name := range h.OK("instance_layers").Strings("layers") {
			delete(want, name)
		}
	}) {
		if call.number == unix.SYS_NEWFSTATAT && call.path == "" {
			sizes++
		}
	}
	if len(want) != 0 {
		t.Errorf("not listed: %v", want)
	}
	if files := 2 * 50; sizes > files*2/3 { // two calls read all files, half of which are small
		t.Errorf("the size of %d files was asked for, of %d", sizes, files)
	}
	h.Quit()
}
