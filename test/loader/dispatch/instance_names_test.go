package dispatch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/vk"
	"vkloader/test/lib/world"
)

var globals = []string{"vkCreateInstance", "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties", "vkEnumerateInstanceVersion"}

func gipa(h *world.Host, instance, name string) int64 {
	return h.Do("gipa", "instance", instance, "name", name).Int("ptr")
}

func gdpa(h *world.Host, device, name string) int64 {
	return h.Do("gdpa", "device", device, "name", name).Int("ptr")
}

// everyExtension creates a driver with all instance extensions that gate commands.
func everyExtension(w *world.World, name string) *world.Fake {
	f := w.Driver(name)
	for _, gate := range gates() {
		f.Script("ext " + gate + " 1")
	}
	return f
}

func gates() []string {
	var out []string
	for _, c := range vk.Commands {
		if c.Gate != "" && world.Offered(c.Gate) && !slices.Contains(out, c.Gate) {
			out = append(out, c.Gate)
		}
	}
	return out
}

// Versions are compared as a whole, without the variant (ENV-80): 0.9 is below 1.3, 2.0 above it.
//
// holds: GPA-001..GPA-004 GPA-006 GPA-007
func TestGlobalNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one").API("1.3.0")
	h := w.Start()
	self := h.Do("dlsym", "name", "vkGetInstanceProcAddr").Int("ptr")
	want := map[string]int64{}
	for _, name := range globals {
		want[name] = gipa(h, "null", name)
		if want[name] == 0 {
			t.Errorf("%s is NULL for a NULL instance", name)
		}
	}
	for _, version := range []string{"none", "0", "1.0.0", "1.1.0", "1.2.300", "1.3.0", "1.4.0", "0.9.0", "2.0.0", "129.2.0", "129.3.0"} {
		words := []string{"as", "v" + version, "api", version}
		if version == "none" {
			words = []string{"as", "vnone", "app", "0"}
		}
		h.OK("create_instance", words...)
		for _, name := range globals {
			got, expect := gipa(h, "v"+version, name), want[name]
			switch version {
			case "1.3.0", "1.4.0", "2.0.0", "129.3.0": // 129 is variant 1, major version 1
				expect = 0
			}
			if got != expect {
				t.Errorf("instance %s: %s is pointer %d, want %d", version, name, got, expect)
			}
		}
	}
	for _, handle := range []string{"null", "v1.0.0", "v1.4.0", "garbage"} {
		if got := gipa(h, handle, "vkGetInstanceProcAddr"); got != self {
			t.Errorf("vkGetInstanceProcAddr of %s is pointer %d, want its own, %d", handle, got, self)
		}
	}
	for _, name := range globals {
		if got := gipa(h, "garbage", name); got != want[name] {
			t.Errorf("%s of a garbage handle is pointer %d, want %d", name, got, want[name])
		}
	}
	for _, name := range []string{"vkDestroyInstance", "vkEnumeratePhysicalDevices", "vkGetDeviceProcAddr", "vkCreateDevice", "vkCreateDebugUtilsMessengerEXT",
		"vkCreateXcbSurfaceKHR", "vkCmdDraw", "vkNobodyKnowsThis", "CreateInstance", ""} {
		if got := gipa(h, "null", name); got != 0 {
			t.Errorf("%q is not NULL for a NULL instance", name)
		}
	}
	h.Quit()
}

// holds: GPA-008 HND-003
func TestGarbageInstanceInLookUp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"vkDestroyInstance", "vkCmdDraw", "vkNobodyKnowsThis"} {
		w := world.New(t)
		w.Driver("one")
		h := w.Start()
		exit := h.Dies("gipa", "instance", "garbage", "name", name)
		if exit.Signal.String() != "aborted" {
			t.Errorf("%s: died of %v", name, exit.Signal)
		}
		if m := exit.Messages(); !slices.Contains(m, "vkGetInstanceProcAddr: Invalid instance [VUID-vkGetInstanceProcAddr-instance-parameter]") {
			t.Errorf("%s: messages %q", name, m)
		}
	}
}

// holds: GPA-011..GPA-014 GPA-017 GPA-020 GPA-021 GPA-023 GPA-063..GPA-066 LAY-400
func TestKnownNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	h.OK("create_instance", "as", "old")
	seen := map[int64]string{}
	before := map[string]int64{}
	core, device := 0, 0
	for _, c := range vk.Commands {
		if slices.Contains(globals, c.Name) || c.Gate != "" {
			continue
		}
		a := h.Do("gipa", "instance", "old", "name", c.Name)
		p := a.Int("ptr")
		before[c.Name] = p
		if p == 0 {
			t.Errorf("%s is NULL", c.Name)
			continue
		}
		if c.Minor != vk.ExtensionMinor {
			core++
			if symbol := h.Do("dlsym", "name", c.Name).Int("ptr"); symbol != p {
				t.Errorf("%s: the export is pointer %d, the look-up gives %d", c.Name, symbol, p)
			}
		} else {
			device++
		}
		if !strings.Contains(a.Text("module"), filepath.Base(world.Library())) {
			t.Errorf("%s is in %s", c.Name, a.Text("module"))
		}
		if other := seen[p]; other != "" {
			t.Errorf("%s and %s are the same pointer", c.Name, other)
		}
		seen[p] = c.Name
	}
	if core != 230 || device < 481 {
		t.Errorf("%d core names, want 230; %d of device extensions, want at least 481", core, device)
	}
	h.OK("create_instance", "as", "new", "api", "1.4.0")
	pd := h.OK("physical_devices", "instance", "new").Ints("devices")[0]
	h.OK("create_device", "pd", world.Ref(pd))
	for name, p := range before {
		if now := gipa(h, "new", name); now != p {
			t.Errorf("%s is pointer %d for another instance with a device, was %d", name, now, p)
		}
	}
	h.Quit()
}

// holds: GPA-024..GPA-034 HND-016
func TestNamesOfInstanceExtensions(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	everyExtension(w, "one").API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "as", "none", "api", "1.0.0")
	for _, gate := range append(gates(), "VK_EXT_debug_utils") {
		words := []string{"as", gate, "api", "1.0.0", "ext", gate}
		h.OK("create_instance", words...)
		n := 0
		for _, c := range vk.Commands {
			if c.Gate == "" {
				continue
			}
			if got := gipa(h, "none", c.Name); got != 0 {
				t.Errorf("%s is there without %s", c.Name, c.Gate)
			}
			got := gipa(h, gate, c.Name)
			if (got != 0) != (c.Gate == gate && world.Offered(c.Name)) {
				t.Errorf("with %s, %s of %s is pointer %d", gate, c.Name, c.Gate, got)
			}
			if got != 0 && c.Alias != "" && commandOf(c.Alias).Minor != vk.ExtensionMinor {
				if core := gipa(h, gate, c.Alias); core != got {
					t.Errorf("%s is pointer %d, %s %d", c.Name, got, c.Alias, core)
				}
			}
			n++
		}
		if n < 60 {
			t.Fatalf("only %d gated names", n)
		}
	}
	for name, gate := range map[string]string{"vkGetPhysicalDeviceSurfaceCapabilities2KHR": "VK_KHR_surface", "vkGetPhysicalDeviceSurfaceFormats2KHR": "VK_KHR_surface",
		"vkReleaseDisplayEXT": "VK_EXT_direct_mode_display", "vkDebugReportMessageEXT": "VK_EXT_debug_report", "vkCmdInsertDebugUtilsLabelEXT": "VK_EXT_debug_utils",
		"vkGetDrmDisplayEXT": "VK_EXT_acquire_drm_display", "vkGetDeviceGroupPresentCapabilitiesKHR": "VK_KHR_surface"} {
		if commandOf(name).Gate != gate {
			t.Errorf("%s is gated by %q, want %s", name, commandOf(name).Gate, gate)
		}
	}
	h.Quit()
}

func commandOf(name string) vk.Command {
	for _, c := range vk.Commands {
		if c.Name == name {
			return c
		}
	}
	return vk.Command{Minor: vk.ExtensionMinor}
}

// holds: GPA-010 GPA-038 GPA-039 GPA-041 GPA-042
func TestMalformedNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one").API("1.3.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.3.0")
	pd := h.OK("physical_devices").Ints("devices")[0]
	h.OK("create_device", "pd", world.Ref(pd))
	names := []string{"", "v", "vk", "VK", "CreateBuffer", "glCreateBuffer", "xkCreateBuffer", "vk\x01", "vkCmdDraw\x7f", "vkCmdDraw\xff", "vkNobodyKnowsThis", "vk_icdGetInstanceProcAddr", "vk_layerGetPhysicalDeviceProcAddr", "vkNegotiateLoaderLayerInterfaceVersion"}
	if !world.Windows() {
		names = append(names, "vkCreateWin32SurfaceKHR", "vkGetMemoryWin32HandleKHR")
	}
	for _, name := range []string{"vkCmdDraw", "vkDestroyDevice", "vkGetDeviceQueue2", "vkGetPhysicalDeviceProperties", "vkEnumeratePhysicalDevices", "vkQueueSubmit2"} {
		swapped := name[:3] + name[4:5] + name[3:4] + name[5:]
		names = append(names, name[:len(name)-1], name+"x", "VK"+name[2:], name[:4]+"_"+name[5:], swapped, strings.ToLower(name), strings.ToUpper(name), name+" ", " "+name)
	}
	for _, name := range names {
		if slices.Contains([]string{"vkGetDeviceQueue", "vkQueueSubmit"}, name) { // a shortened name that exists
			continue
		}
		if got := gipa(h, "i", name); got != 0 {
			t.Errorf("vkGetInstanceProcAddr knows %q", name)
		}
		if got := gdpa(h, "d", name); got != 0 {
			t.Errorf("vkGetDeviceProcAddr knows %q", name)
		}
	}
	h.Quit()
}
