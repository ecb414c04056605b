package systems

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// world is a machine in memory.
type world struct {
	entries   map[string][]androidEntry
	libraries map[string]androidLibrary
}

func (w *world) List(path string) ([]androidEntry, bool) { e, ok := w.entries[path]; return e, ok }

func (w *world) Look(path string) (androidLibrary, bool) { l, ok := w.libraries[path]; return l, ok }

func layersOf(names ...string) androidLibrary {
	return androidLibrary{HasLayers: true, HasExtensions: true, Layers: names}
}

// holds: AND-027 AND-028 AND-029 AND-036 AND-037
func TestLayerPaths(t *testing.T) {
	t.Parallel()
	installed := func(name string) (androidPackage, bool) {
		return androidPackage{LibraryPath: "/" + name + "/lib", APK: "/" + name + ".apk"}, name != "gone"
	}
	const debug = "/one/lib /one.apk!/lib/arm64-v8a /two/lib /two.apk!/lib/arm64-v8a "
	for _, c := range []struct {
		change func(a *Android)
		want   string
	}{
		{func(*Android) {}, "/app/lib /app/more"},
		{func(a *Android) { a.Debuggable = true }, "/data/local/debug/vulkan " + debug + "/app/lib /app/more"},
		{func(a *Android) { a.Properties["ro.debuggable"] = "1" }, "/data/local/debug/vulkan " + debug + "/app/lib /app/more"},
		{func(a *Android) { a.injectLayers = true }, debug + "/app/lib /app/more"},
		{func(a *Android) { a.Package, a.Debuggable = "com.y", true }, "/data/local/debug/vulkan /app/lib /app/more"},
	} {
		f := with()
		f.libraryPath = "/app/lib:/app/more"
		f.Properties = map[string]string{"enable_gpu_debug_layers": "1", "gpu_debug_app": "com.x", "gpu_debug_layer_app": "one:gone:two"}
		c.change(f)
		paths, missing := f.Paths(installed)
		if got := strings.Join(paths, " "); got != c.want || (len(missing) == 1) != strings.Contains(c.want, "/one") {
			t.Errorf("%s, missing %q; want %s", got, missing, c.want)
		}
		for _, off := range []string{"0", ""} {
			f.Properties["enable_gpu_debug_layers"] = off
			if paths, _ = f.Paths(installed); strings.Contains(strings.Join(paths, " "), "/one") {
				t.Errorf("debug layers %q: %q", off, paths)
			}
		}
	}
}

// holds: AND-030 AND-031 AND-032 AND-033 AND-081
func TestDiscover(t *testing.T) {
	t.Parallel()
	stored := func(name string) androidEntry { return androidEntry{Name: name, Stored: true, Aligned: true} }
	mute := layersOf("mute")
	mute.HasExtensions = false
	w := &world{map[string][]androidEntry{
		debugDirectory: {stored("libVkLayer_debug.so")},
		"/app/lib":     {stored("libVkLayer_a.so"), stored("libother.so"), stored("libVkLayer_b.so.1"), stored("libvklayer_c.so"), stored("libVkLayer.so")},
		"/x.apk!/lib/arm64-v8a": {stored("libVkLayer_a.so"), {Name: "libVkLayer_packed.so", Aligned: true}, {Name: "libVkLayer_crooked.so", Stored: true}, stored("libVkLayer_zip.so"),
			stored("libVkLayer_mute.so"), stored("libVkLayer_none.so"), stored("libVkLayer_broken.so")},
	}, map[string]androidLibrary{
		debugDirectory + "/libVkLayer_debug.so": layersOf("debug"), "/app/lib/libVkLayer_a.so": layersOf("both", "instance"), "/app/lib/libVkLayer.so": layersOf("bare"),
		"/x.apk!/lib/arm64-v8a/libVkLayer_a.so": layersOf("second"), "/x.apk!/lib/arm64-v8a/libVkLayer_zip.so": layersOf("zip"),
		"/x.apk!/lib/arm64-v8a/libVkLayer_packed.so": layersOf("packed"), "/x.apk!/lib/arm64-v8a/libVkLayer_crooked.so": layersOf("crooked"),
		"/x.apk!/lib/arm64-v8a/libVkLayer_mute.so": mute, "/x.apk!/lib/arm64-v8a/libVkLayer_none.so": layersOf(),
	}}
	var got []string
	for _, l := range androidDiscover([]string{debugDirectory, "/missing", "/app/lib", "/x.apk!/lib/arm64-v8a"}, w) {
		got = append(got, l.Name)
	}
	if got, want := strings.Join(got, ", "), "debug, both, instance, bare, zip"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// holds: AND-038 AND-039 AND-040 AND-041 AND-050
func TestImplicit(t *testing.T) {
	t.Parallel()
	f := with("debug.vulkan.layers=A::B", "debug.vulkan.layer.0=C", "debug.vulkan.layer.8=D", "debug.vulkan.layer.9=E", "debug.vulkan.layer.10=F", "debug.vulkan.layer.12=G")
	names, settings := f.Implicit()
	if strings.Join(names, " ") != "A B C D E F" || settings {
		t.Errorf("%q %v", names, settings)
	}
	delete(f.Properties, "debug.vulkan.layer.9")
	if names, _ = f.Implicit(); strings.Join(names, " ") != "A B C D" {
		t.Errorf("%q", names)
	}
	f.Debuggable = true
	maps.Copy(f.Properties, map[string]string{"enable_gpu_debug_layers": "1", "gpu_debug_app": "com.x", "gpu_debug_layers": "S:T"})
	if names, settings = f.Implicit(); strings.Join(names, " ") != "S T" || !settings {
		t.Errorf("%q %v", names, settings)
	}
	f.Properties["gpu_debug_layers"] = ""
	if names, settings = f.Implicit(); len(names) != 4 || settings {
		t.Errorf("%q %v", names, settings)
	}
	f.Machine.Environ = []string{"VK_LAYER_PATH=/x", "VK_INSTANCE_LAYERS=X", "VK_LOADER_LAYERS_ENABLE=*"}
	if names, _ = f.Implicit(); slices.Contains(names, "X") {
		t.Errorf("%q", names)
	}
}

// holds: AND-043
func TestChain(t *testing.T) {
	t.Parallel()
	layers := []androidLayer{{"A", "/a.so"}, {"B", "/b.so"}, {"C", "/c.so"}}
	for _, c := range []struct {
		names    []string
		want     string
		complete bool
	}{{nil, "[]", true}, {[]string{"C", "A"}, "[{C /c.so} {A /a.so}]", true}, {[]string{"A", "gone"}, "[]", false}} {
		if chain, complete := androidChain(c.names, layers); fmt.Sprint(chain) != c.want || complete != c.complete {
			t.Errorf("%q: %v %v", c.names, chain, complete)
		}
	}
}
