package systems

import (
	"fmt"
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
	l := androidLibrary{HasLayers: true, HasExtensions: true}
	for _, n := range names {
		l.Layers = append(l.Layers, androidNamed{Name: n, Spec: 1})
	}
	return l
}

// holds: AND-027 AND-028 AND-029 AND-036 AND-037
func TestLayerPaths(t *testing.T) {
	t.Parallel()
	installed := func(name string) (androidPackage, bool) {
		return androidPackage{LibraryPath: "/" + name + "/lib", APK: "/" + name + ".apk"}, name != "gone"
	}
	const debug = "/one/lib /one.apk!/lib/arm64-v8a /two/lib /two.apk!/lib/arm64-v8a "
	for _, c := range []struct {
		change func(p *androidProgram)
		want   string
	}{
		{func(*androidProgram) {}, "/app/lib /app/more"},
		{func(p *androidProgram) { p.Debuggable = true }, "/data/local/debug/vulkan " + debug + "/app/lib /app/more"},
		{func(p *androidProgram) { p.DebugPlatform = true }, "/data/local/debug/vulkan " + debug + "/app/lib /app/more"},
		{func(p *androidProgram) { p.InjectLayers = true }, "/app/lib /app/more"},
		{func(p *androidProgram) { p.InjectLayers, p.Dumpable = true, true }, debug + "/app/lib /app/more"},
		{func(p *androidProgram) { p.Package, p.Debuggable = "com.y", true }, "/data/local/debug/vulkan /app/lib /app/more"},
	} {
		f := with()
		f.Program.LibraryPath = "/app/lib:/app/more"
		f.Settings = map[string]string{"enable_gpu_debug_layers": "1", "gpu_debug_app": "com.x", "gpu_debug_layer_app": "one:gone:two"}
		c.change(&f.Program)
		paths, missing := f.Paths(installed)
		if got := strings.Join(paths, " "); got != c.want || (len(missing) == 1) != strings.Contains(c.want, "/one") {
			t.Errorf("%s, missing %q; want %s", got, missing, c.want)
		}
		for _, off := range []string{"0", ""} {
			f.Settings["enable_gpu_debug_layers"] = off
			if paths, _ = f.Paths(installed); strings.Contains(strings.Join(paths, " "), "/one") {
				t.Errorf("debug layers %q: %q", off, paths)
			}
		}
	}
}

// holds: AND-030 AND-031 AND-032 AND-033 AND-034 AND-035 AND-081
func TestDiscover(t *testing.T) {
	t.Parallel()
	stored := func(name string) androidEntry { return androidEntry{Name: name, Stored: true, Aligned: true} }
	both := layersOf("both", "instance")
	both.DeviceLayers = []androidNamed{{Name: "both", Spec: 1}, {Name: "instance", Spec: 2}}
	mute, failing := layersOf("mute"), layersOf("failing")
	mute.HasExtensions, failing.Failed = false, true
	w := &world{map[string][]androidEntry{
		debugDirectory: {stored("libVkLayer_debug.so")},
		"/app/lib":     {stored("libVkLayer_a.so"), stored("libother.so"), stored("libVkLayer_b.so.1"), stored("libvklayer_c.so"), stored("libVkLayer.so")},
		"/x.apk!/lib/arm64-v8a": {stored("libVkLayer_a.so"), {Name: "libVkLayer_packed.so", Aligned: true}, {Name: "libVkLayer_crooked.so", Stored: true}, stored("libVkLayer_zip.so"),
			stored("libVkLayer_mute.so"), stored("libVkLayer_failing.so"), stored("libVkLayer_none.so"), stored("libVkLayer_broken.so")},
	}, map[string]androidLibrary{
		debugDirectory + "/libVkLayer_debug.so": layersOf("debug"), "/app/lib/libVkLayer_a.so": both, "/app/lib/libVkLayer.so": layersOf("bare"),
		"/x.apk!/lib/arm64-v8a/libVkLayer_a.so": layersOf("second"), "/x.apk!/lib/arm64-v8a/libVkLayer_zip.so": layersOf("zip"),
		"/x.apk!/lib/arm64-v8a/libVkLayer_packed.so": layersOf("packed"), "/x.apk!/lib/arm64-v8a/libVkLayer_crooked.so": layersOf("crooked"),
		"/x.apk!/lib/arm64-v8a/libVkLayer_mute.so": mute, "/x.apk!/lib/arm64-v8a/libVkLayer_failing.so": failing, "/x.apk!/lib/arm64-v8a/libVkLayer_none.so": layersOf(),
	}}
	f := with()
	show := func() string {
		var out []string
		for _, l := range f.Discover([]string{debugDirectory, "/missing", "/app/lib", "/x.apk!/lib/arm64-v8a"}, w) {
			out = append(out, fmt.Sprint(l.Name, " ", l.Global, " ", l.App))
		}
		return strings.Join(out, ", ")
	}
	if got, want := show(), "debug false false, both true true, instance false true, bare false true, zip false true"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	f.Program.Package = ""
	if got := show(); strings.Contains(got, "true true") || strings.Contains(got, "false true") {
		t.Errorf("a process that is no app: %s", got)
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
	f.Program.Debuggable = true
	f.Settings = map[string]string{"enable_gpu_debug_layers": "1", "gpu_debug_app": "com.x", "gpu_debug_layers": "S:T"}
	if names, settings = f.Implicit(); strings.Join(names, " ") != "S T" || !settings {
		t.Errorf("%q %v", names, settings)
	}
	f.Settings["gpu_debug_layers"] = ""
	if names, settings = f.Implicit(); len(names) != 4 || settings {
		t.Errorf("%q %v", names, settings)
	}
	f.Program.Environment = map[string]string{"VK_LAYER_PATH": "/x", "VK_INSTANCE_LAYERS": "X", "VK_LOADER_LAYERS_ENABLE": "*"}
	if names, _ = f.Implicit(); slices.Contains(names, "X") {
		t.Errorf("%q", names)
	}
}

// holds: AND-044
func TestSymbols(t *testing.T) {
	t.Parallel()
	for function, want := range map[string]string{"vkGetInstanceProcAddr": "LGetInstanceProcAddr vkGetInstanceProcAddr", "vkGetDeviceProcAddr": "LGetDeviceProcAddr vkGetDeviceProcAddr"} {
		if got := strings.Join(androidSymbols("L", function), " "); got != want {
			t.Error(got)
		}
	}
}

func found(names ...string) (layers []androidLayer) {
	for _, n := range names {
		layers = append(layers, androidLayer{androidNamed: androidNamed{Name: n}, Global: n != "I", Extensions: []androidNamed{{Name: "VK_of_" + n, Spec: 1}}})
	}
	return layers
}

func namesOf(list []androidNamed) string {
	var out []string
	for _, e := range list {
		out = append(out, strings.TrimPrefix(e.Name, "VK_"))
	}
	return strings.Join(out, " ")
}

const ownNames = "KHR_surface KHR_surface_protected_capabilities KHR_android_surface EXT_swapchain_colorspace KHR_get_surface_capabilities2 GOOGLE_surfaceless_query EXT_surface_maintenance1"

// holds: AND-051 AND-053 AND-054
func TestInstanceExtensions(t *testing.T) {
	t.Parallel()
	layers := append(found("A"), androidLayer{Extensions: []androidNamed{{Name: "VK_KHR_surface", Spec: 1}}})
	all := androidInstanceExtensions(layers, []androidNamed{{Name: "VK_d", Spec: 3}, {Name: "VK_KHR_surface", Spec: 9}, {Name: "VK_of_A", Spec: 7}})
	if got := namesOf(all); got != "of_A "+ownNames[:11]+" "+ownNames[12:]+" EXT_debug_report d" || all[1].Spec != 1 || all[0].Spec != 1 {
		t.Errorf("%s %+v", got, all)
	}
	for given, want := range map[uint32]uint32{9: 9, 10: 10, 11: 10} {
		all = androidInstanceExtensions(nil, []androidNamed{{Name: "VK_EXT_debug_report", Spec: given}})
		if namesOf(all) != ownNames+" EXT_debug_report" || all[7].Spec != want {
			t.Errorf("%d: %+v", given, all)
		}
	}
	if list, result := androidLayerExtensions(found("A"), "A"); result != androidSuccess || namesOf(list) != "of_A" {
		t.Error(list, result)
	}
	if _, result := androidLayerExtensions(found("A"), "B"); result != androidLayerNotPresent {
		t.Error(result)
	}
}

// holds: AND-042 AND-043 AND-045 AND-046 AND-047 AND-048 AND-049 AND-052 AND-058 AND-059 AND-062 AND-063
func TestCreate(t *testing.T) {
	t.Parallel()
	layers := found("I", "E", "X")
	driver := []androidNamed{{Name: "VK_d", Spec: 1}, {Name: "VK_KHR_surface", Spec: 1}, {Name: "VK_EXT_debug_report", Spec: 9}, {Name: "VK_KHR_device_group_creation", Spec: 1}}
	f := with("debug.vulkan.layers=I")
	p := f.Create(androidRequest{API: androidVersion{1}, Layers: []string{"E", "I", "X"}, Extensions: []string{"VK_d", "VK_KHR_surface", "VK_d", "VK_of_E"}, Next: []string{"app"}}, layers, driver, androidVersion{3})
	var active []string
	for _, l := range p.Layers {
		active = append(active, l.Name)
	}
	if p.Result != androidSuccess || strings.Join(active, " ") != "I E X" || strings.Join(p.LayerNext, ", ") != "loader data callback, layer link, app" ||
		strings.Join(p.DriverNext, "") != "app" || p.DriverLayer != 0 || strings.Join(p.Extensions, " ") != "VK_d" || p.DriverAPI.Minor != 1 || p.Report {
		t.Errorf("%+v", p)
	}
	for _, c := range []struct {
		asked []string
		warn  bool
	}{{nil, false}, {[]string{"I", "E", "X"}, false}, {[]string{"X"}, true}} {
		if names, warn := p.DeviceLayers(c.asked); strings.Join(names, " ") != "E X" || warn != c.warn {
			t.Errorf("%q: %q %v", c.asked, names, warn)
		}
	}
	if strings.Join(p.Listed(found("I", "E", "X", "Y"), false), "") != "IEXY" || strings.Join(p.Listed(found("Y"), true), "") != "IEX" {
		t.Error("listed")
	}
	for _, c := range []struct {
		request androidRequest
		want    string
	}{
		{androidRequest{Layers: []string{"gone"}}, androidLayerNotPresent}, {androidRequest{Extensions: []string{"VK_gone"}}, androidExtensionMissing},
		{androidRequest{Extensions: []string{"VK_of_I"}}, androidSuccess}, {androidRequest{Extensions: []string{"VK_of_E"}}, androidExtensionMissing},
	} {
		if p := f.Create(c.request, layers, driver, androidVersion{3}); p.Result != c.want {
			t.Errorf("%+v: %s", c.request, p.Result)
		}
	}
	if p := with("debug.vulkan.layers=gone").Create(androidRequest{}, layers, driver, androidVersion{3}); p.Result != androidLayerNotPresent {
		t.Error("an implicit layer that is missing")
	}
	// An extension of a layer that a property enables is not listed, though it can be enabled (AND-052).
	if strings.Contains(namesOf(androidInstanceExtensions(nil, driver)), "of_I") {
		t.Error("listed")
	}
	if p := f.Create(androidRequest{API: androidVersion{1}, Extensions: []string{"VK_KHR_device_group_creation"}}, layers, driver, androidVersion{0}); p.DriverAPI.Minor != 0 || strings.Join(p.Extensions, " ") != "VK_KHR_device_group_creation" {
		t.Errorf("a driver of 1.0: %+v", p)
	}
	if p := f.Create(androidRequest{API: androidVersion{0}}, layers, driver, androidVersion{0}); strings.Join(p.Extensions, " ") != "VK_KHR_device_group_creation" {
		t.Errorf("what was promoted: %+v", p)
	}
	f.Properties["debug.vulkan.enable_callback"] = "true"
	if p := f.Create(androidRequest{}, layers, driver, androidVersion{3}); p.Report {
		t.Error("in a process that cannot be debugged")
	}
	f.Program.Debuggable = true
	if p := f.Create(androidRequest{}, layers, driver, androidVersion{3}); !p.Report || strings.Join(p.Extensions, " ") != "VK_EXT_debug_report" {
		t.Errorf("%+v", p)
	}
}

// holds: AND-055 AND-056 AND-057 AND-058 AND-060
func TestDevices(t *testing.T) {
	t.Parallel()
	native := func(spec uint32) []androidNamed {
		return []androidNamed{{Name: "VK_d"}, {Name: "VK_ANDROID_native_buffer", Spec: spec}}
	}
	for _, c := range []struct {
		facts      androidDeviceFacts
		timestamps bool
		want       string
		spec       uint32
	}{
		{androidDeviceFacts{Driver: native(8)}, false, "KHR_incremental_present d KHR_swapchain", 70},
		{androidDeviceFacts{Driver: native(7)}, false, "KHR_incremental_present d KHR_swapchain", 68},
		{androidDeviceFacts{Driver: native(8), HDR: true, Shared: true, SyncFD: true, Compression: true}, true,
			"KHR_incremental_present EXT_hdr_metadata KHR_shared_presentable_image GOOGLE_display_timing EXT_swapchain_maintenance1 d KHR_swapchain", 70},
		{androidDeviceFacts{Driver: native(9), Compression: true}, false,
			"KHR_incremental_present EXT_image_compression_control EXT_image_compression_control_swapchain d KHR_swapchain", 70},
		{androidDeviceFacts{Driver: native(9)}, false, "KHR_incremental_present d KHR_swapchain", 70},
	} {
		f := with()
		if c.timestamps {
			f.Properties["service.sf.present_timestamp"] = "true"
		}
		all := f.DeviceExtensions(&c.facts)
		if got := namesOf(all); got != c.want || all[len(all)-1].Spec != c.spec {
			t.Errorf("%s %d, want %s", got, all[len(all)-1].Spec, c.want)
		}
	}
	d := androidDeviceFacts{Driver: append(native(8), androidNamed{Name: "VK_KHR_external_fence_fd"}), UsageCalls: 1}
	result, asked := d.CreateDevice([]string{"VK_KHR_swapchain", "VK_d", "VK_d", "VK_EXT_swapchain_maintenance1", "VK_KHR_incremental_present", "VK_unknown"})
	if result != androidSuccess || strings.Join(asked, " ") != "VK_ANDROID_native_buffer VK_d VK_KHR_external_fence_fd" {
		t.Error(result, asked)
	}
	d.UsageCalls = 0
	if result, _ = d.CreateDevice(nil); result != androidIncompatibleDrive {
		t.Error(result)
	}
}

// holds: AND-061 AND-064 AND-065 AND-066 AND-067 AND-068 AND-069
func TestAndroidLookups(t *testing.T) {
	t.Parallel()
	if androidLoaderVersion.Minor != 3 {
		t.Error(androidLoaderVersion)
	}
	for level, minor := range map[int]int{24: 0, 27: 0, 28: 1, 30: 1, 31: 2, 32: 2, 33: 3, 35: 3} {
		if androidCoreAt(level).Minor != minor {
			t.Errorf("%d: %+v", level, androidCoreAt(level))
		}
	}
	for _, name := range []string{"vkCreateInstance", "vkGetInstanceProcAddr", "vkEnumerateInstanceVersion", "vkEnumerateInstanceLayerProperties", "vkEnumerateInstanceExtensionProperties"} {
		if androidInstanceLookup(name, false, false, true) != androidCommand {
			t.Error(name)
		}
	}
	for _, c := range []struct {
		got, want androidAnswer
	}{
		{androidInstanceLookup("vkDestroyInstance", false, false, true), androidNothing}, {androidInstanceLookup("vkCreateDevice", false, false, true), androidNothing},
		{androidInstanceLookup("vkCreateSwapchainKHR", true, true, false), androidChecked}, {androidInstanceLookup("vkCreateSwapchainKHR", true, true, true), androidCommand},
		{androidDeviceLookup(false), androidNothing}, {androidDeviceLookup(true), androidCommand},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	for _, c := range []struct {
		command string
		has     bool
		want    string
	}{
		{"vkEnumeratePhysicalDeviceGroups", false, "a group for each device"}, {"vkEnumeratePhysicalDeviceGroups", true, ""},
		{"vkGetPhysicalDeviceExternalBufferPropertiesKHR", false, "zeros"}, {"vkGetPhysicalDeviceExternalSemaphoreProperties", false, "zeros"},
		{"vkGetPhysicalDeviceExternalFenceProperties", false, "zeros"}, {"vkGetPhysicalDeviceExternalFenceProperties", true, ""}, {"vkCreateDevice", false, ""},
	} {
		if got := androidEmulated(c.command, c.has); got != c.want {
			t.Errorf("%s: %s", c.command, got)
		}
	}
}
