package layers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: LAY-220..LAY-224 LAY-226 LAY-227
func TestChainsBeforeInstances(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	functions := map[string]string{"vkEnumerateInstanceVersion": "fakePreVersion", "vkEnumerateInstanceLayerProperties": "fakePreLayers", "vkEnumerateInstanceExtensionProperties": "fakePreExtensions"}
	for _, name := range []string{"VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_c"} {
		w.ImplicitLayer(name).Set("pre_instance_functions", functions)
	}
	size := int64(32)
	if world.Narrow() {
		size = 20
	}
	h := w.Start()
	for _, via := range []string{"export", "gipa"} {
		w.ForgetLog()
		h.OK("instance_version", "via", via)
		h.OK("instance_layers", "count", "only", "via", via)
		h.OK("instance_extensions", "layer", "VK_LAYER_b", "count", "only", "via", via)
		for i, fn := range []string{"fakePreVersion", "fakePreLayers", "fakePreExtensions"} {
			calls := w.Log().Fn(fn)
			if !slices.Equal(calls.Who(), []string{"VK_LAYER_c", "VK_LAYER_b", "VK_LAYER_a"}) {
				t.Errorf("%s went %v, want the last of the list first", fn, calls.Who())
			}
			for k, e := range calls {
				if e.Int("type") != int64([]int{3, 2, 1}[i]) || e.Int("version") != 1 || e.Int("size") != size || e.Int("next") != 1 || (e.Int("link") == 1) != (k < 2) {
					t.Errorf("%s of %s got %v", fn, e.Text("who"), e)
				}
			}
		}
		for _, e := range w.Log().Fn("fakePreExtensions") {
			if e.Text("layer") != "VK_LAYER_b" {
				t.Errorf("layer name %q", e.Text("layer"))
			}
		}
		if maps := h.Do("maps", "match", "VK_LAYER_").Strings("maps"); len(maps) != 0 {
			t.Errorf("still mapped: %v", maps)
		}
	}
	h.Quit()
}

// The same file has two names: the dynamic linker maps it once, under the first name.
//
// holds: LAY-279 LAY-283
func TestNamesOfLayerLibraries(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	const stop = "error vkCreateInstance -13 before" // one library cannot play two layers of a chain
	upper, lower := w.ImplicitLayer("VK_LAYER_upper", stop), w.ImplicitLayer("VK_LAYER_lower", stop)
	if err := os.Remove(lower.Library); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(upper.Library, lower.Library); err != nil {
		t.Fatal(err)
	}
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.Do("create_instance")
	exit := h.Exit()
	text := strings.Join(exit.Messages(), "\n")
	for _, want := range []string{"Path to given binary " + upper.Library + " was found to differ from OS loaded path " + lower.Library, "Insert instance layer \"VK_LAYER_upper\" (" + lower.Library + ")"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := len(w.Log().Fn("vkNegotiateLoaderLayerInterfaceVersion")); n != 2 {
		t.Errorf("negotiated %d times", n)
	}
}

// holds: DEV-031..DEV-033 DEV-029
func TestGroupsAndFeaturesOfDevices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api, driver  string
		ext          []string
		group        int // members
		result       int
		features     int64 // pEnabledFeatures as the driver receives it; -1: NULL
		texts        []string
		withFeatures bool
	}{
		{api: "1.1.0", driver: "1.1.0", group: 2, features: -1},
		{api: "1.0.0", driver: "1.0.0", group: 1, features: -1, texts: []string{"vkCreateDevice: Emulating handling of VkPhysicalDeviceGroupProperties in pNext chain for ICD \""}},
		{api: "1.0.0", driver: "1.0.0", group: 2, result: -3, texts: []string{"vkCreateDevice: Emulation failed to create device from device group info"}},
		{api: "1.1.0", driver: "1.1.0", withFeatures: true, features: -1},
		{api: "1.0.0", driver: "1.0.0", withFeatures: true, features: -1, texts: []string{"vkCreateDevice: Emulating handling of VkPhysicalDeviceFeatures2 in pNext chain for ICD \""}},
		{api: "1.0.0", driver: "1.0.0", withFeatures: true, ext: []string{"ext", "VK_KHR_get_physical_device_properties2"}, features: 1,
			texts: []string{"vkCreateDevice: Emulating handling of VkPhysicalDeviceFeatures2 in pNext chain for ICD \""}},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			one := w.Driver("one", "device name=a", "device name=b").API(c.driver)
			if c.ext != nil {
				one.Script("ext VK_KHR_get_physical_device_properties2 2", "missing vkGetPhysicalDeviceFeatures2KHR")
			}
			w.Env["VK_LOADER_DEBUG"] = "all"
			h := w.Start()
			h.OK("create_instance", append(c.ext, "api", c.api)...)
			devices := h.OK("physical_devices").Ints("devices")
			words := []string{"pd", world.Ref(devices[0]), "unknown", "2147483001"}
			if c.group > 0 {
				var members []string
				for _, d := range devices[:c.group] {
					members = append(members, world.Ref(d))
				}
				words = append(words, "group", strings.Join(members, ","))
			}
			if c.withFeatures {
				words = append(words, "features2", "1")
			}
			a := h.Do("create_device", words...)
			if a.Result() != c.result || a.Int("unchanged") != 1 {
				t.Errorf("answer %v, want result %d", a, c.result)
			}
			text := strings.Join(h.Messages(), "\n")
			for _, want := range c.texts {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if len(c.texts) == 0 && strings.Contains(text, "Emulati") {
				t.Errorf("an emulation:\n%s", text)
			}
			h.Quit()
			if c.result == 0 {
				made := w.Log().Fn("vkCreateDevice")[0]
				if made.Int("features") != c.features || len(made.Strings("group")) != c.group {
					t.Errorf("the driver got %v", made)
				}
			}
		})
	}
}

// holds: DEV-040 GPA-066 INS-086 THR-014
func TestManyDevices(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	count := 100
	if world.Variant() != "" {
		count = 25 // a tenth of a second each with sanitizers
	}
	var script []string
	for i := range count {
		script = append(script, fmt.Sprintf("device name=d%d", i))
	}
	w.Driver("one", append(script, "quiet *")...)
	w.ImplicitLayer("VK_LAYER_x")
	h := w.Start()
	h.OK("create_instance")
	devices := h.OK("physical_devices").Ints("devices")
	for range count {
		h.OK("create_device", "pd", world.Ref(devices[0]))
		h.Do("destroy_device")
	}
	for i, d := range devices {
		h.OK("create_device", "as", fmt.Sprint("all", i), "pd", world.Ref(d))
		h.OK("call", "name", "vkDeviceWaitIdle", "arg", fmt.Sprint("all", i))
	}
	for i := range devices {
		h.Do("destroy_device", "name", fmt.Sprint("all", (i*37)%count))
	}
	h.Do("destroy_instance")
	h.Quit()
	if n := len(w.Log().By("one").Fn("vkDestroyDevice")); n != 2*count {
		t.Errorf("%d devices destroyed, want %d", n, 2*count)
	}
}

// The libraries of the fakes are next to their scripts. A case that mixes them up would prove nothing.
func TestFakesKeepTheirNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	a, b := w.Driver("a"), w.Driver("b")
	if filepath.Dir(a.Library) != filepath.Dir(b.Library) || a.Library == b.Library {
		t.Errorf("%s, %s", a.Library, b.Library)
	}
}

// holds: ALC-023
func TestSettingsThatNameALayerTwice(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	f := w.ExplicitLayer("VK_LAYER_x", "use_allocator")
	settings := map[string]any{"file_format_version": "1.0.0", "settings": map[string]any{"layers": []map[string]any{
		{"name": f.Name, "path": f.ManifestPath, "control": "on", "treat_as_implicit_manifest": false}}}}
	w.Write("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", world.JSON(settings))
	w.Env["VK_INSTANCE_LAYERS"] = f.Name
	h := w.Start()
	h.Do("allocator")
	h.OK("create_instance", "allocator", "a")
	h.Do("destroy_instance", "allocator", "a")
	if s := h.Do("allocator_stats"); s.Int("live") != 0 || s.Int("faults") != 0 {
		t.Errorf("allocator: %v", s)
	}
	h.Quit()
}
