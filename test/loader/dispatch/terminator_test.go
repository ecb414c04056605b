package dispatch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/vk"
	"vkloader/test/lib/world"
)

// The lowest layer gets these functions from the loader's terminators.
//
// holds: GPA-077 GPA-079 GPA-080 GPA-081 GPA-083 GPA-085 GPA-086 LAY-336 LAY-337
func TestLowerEnd(t *testing.T) {
	t.Parallel()
	for _, debug := range []bool{false, true} {
		for _, swapchain := range []bool{false, true} {
			w := world.New(t)
			extensions := "VK_KHR_swapchain,VK_KHR_display_swapchain,VK_EXT_debug_marker,VK_KHR_device_group"
			one := everyExtension(w, "one").API("1.3.0").Script("device name=big ext="+extensions, "offer_gdpa vkFakeDevice", "offer_gipa vkFakeDevice")
			layer := w.ImplicitLayer("VK_LAYER_x", "intercept *")
			var questions []string
			for _, c := range vk.Commands {
				if c.Kind == vk.Device {
					questions = append(questions, "ask_next_device "+c.Name)
				}
				if c.Kind != vk.Global {
					questions = append(questions, "ask_next "+c.Name)
				}
			}
			layer.Script(questions...)
			layer.Script("ask_next vkFakeDevice", "ask_next vkNobody", "ask_next_device vkFakeDevice", "ask_next_device vkNobody", "ask_next vkEnumerateDeviceExtensionProperties")
			w.Env["VK_LOADER_DEBUG"] = "debug"
			h := w.Start()
			words := []string{"api", "1.1.0"}
			if debug {
				words = append(words, "ext", "VK_EXT_debug_utils")
			}
			h.OK("create_instance", words...)
			var pd string
			for _, d := range h.OK("physical_devices").Ints("devices") {
				if h.Do("properties", "pd", world.Ref(d)).Text("name") == "big" {
					pd = world.Ref(d)
				}
			}
			words = []string{"pd", pd}
			if swapchain {
				for _, name := range strings.Split(extensions, ",") {
					words = append(words, "ext", name)
				}
			}
			h.OK("create_device", words...)
			exit := h.Quit()
			found := map[string]string{}
			for _, e := range w.Log().By("VK_LAYER_x").Fn("ask_next") {
				found[e.Text("name")] = where(e)
				if e.Text("name") == "vkGetInstanceProcAddr" && e.Int("self") != 1 {
					t.Error("vkGetInstanceProcAddr of the terminator is not the lower end's own")
				}
			}
			for _, c := range vk.Commands {
				want := "loader"
				switch {
				case c.Kind == vk.Global || !world.Offered(c.Name):
					continue
				case c.Kind == vk.Device && c.Gate == "VK_EXT_debug_utils":
					if !debug {
						want = ""
					}
				case c.Kind == vk.Device:
					// the driver has the core commands up to its version, and few others
					if c.Minor <= 3 || found[c.Name] == "" {
						if c.Minor > 3 {
							continue
						}
					}
				}
				if found[c.Name] != want {
					t.Errorf("debug %v: %s is from %q, want %q", debug, c.Name, found[c.Name], want)
				}
			}
			if found["vkFakeDevice"] == "" || found["vkNobody"] != "" {
				t.Errorf("unknown names: %q, %q", found["vkFakeDevice"], found["vkNobody"])
			}
			if !strings.Contains(strings.Join(exit.Messages(), "\n"), "unrecognized name vkNobody") {
				t.Error("no message about the name that nobody knows")
			}
			found = map[string]string{}
			for _, e := range w.Log().By("VK_LAYER_x").Fn("ask_next_device") {
				found[e.Text("name")] = where(e)
				if e.Text("name") == "vkGetDeviceProcAddr" && e.Int("self") != 1 {
					t.Error("vkGetDeviceProcAddr of the terminator is not the lower end's own")
				}
			}
			lower := []string{"vkCreateSwapchainKHR", "vkGetDeviceGroupSurfacePresentModesKHR", "vkCreateSharedSwapchainsKHR", "vkDebugMarkerSetObjectTagEXT", "vkDebugMarkerSetObjectNameEXT"}
			for name, from := range found {
				want := "driver"
				c := commandOf(name)
				switch {
				case name == "vkGetDeviceProcAddr":
					want = "loader"
				case debugDevice(name):
					want = map[bool]string{true: "loader", false: ""}[debug]
				case slices.Contains(lower, name):
					want = map[bool]string{true: "loader", false: ""}[swapchain]
				case name == "vkNobody":
					want = ""
				case c.Minor > 3 && name != "vkFakeDevice":
					continue // the driver decides
				}
				if from != want {
					t.Errorf("debug %v, extensions %v: the device's %s is from %q, want %q", debug, swapchain, name, from, want)
				}
			}
			_ = one
		}
	}
}

func where(e world.Answer) string {
	switch base := filepath.Base(e.Text("module")); {
	case e.Int("found") == 0:
		return ""
	case strings.HasPrefix(base, filepath.Base(world.Library())):
		return "loader"
	case base == "one.so":
		return "driver"
	default:
		return base
	}
}

// holds: GPA-088
func TestDeviceLayersAreNotSentDown(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	w.ImplicitLayer("VK_LAYER_x", "intercept vkEnumerateDeviceLayerProperties", "offer vkFakeAsk")
	h := w.Start()
	h.OK("create_instance")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	h.OK("device_layers", "pd", pd)
	h.Quit()
	if n := len(w.Log().Fn("vkEnumerateDeviceLayerProperties")); n != 0 {
		t.Errorf("%d calls went down", n)
	}
}

// holds: GPA-036 GPA-037 GPA-089 GPA-090 GPA-091
func TestWhatIsAskedOfADriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=one", "log_lookups", "ext VK_XX_unknown 1", "ext VK_EXT_directfb_surface 1", "ext VK_QNX_screen_surface 1", "ext VK_KHR_surface 25").API("1.1.0")
	h := w.Start()
	if list := h.OK("instance_extensions").Strings("extensions"); slices.Contains(list, "VK_XX_unknown") || slices.Contains(list, "VK_EXT_directfb_surface") ||
		slices.Contains(list, "VK_QNX_screen_surface") || !slices.Contains(list, "VK_KHR_surface") {
		t.Errorf("extensions %v", list)
	}
	if r := h.Do("create_instance", "ext", "VK_XX_unknown").Result(); r != -7 {
		t.Errorf("an unknown extension gives %d", r)
	}
	w.ForgetLog()
	h.OK("create_instance", "api", "1.1.0")
	asked := map[string]int{}
	for _, e := range w.Log().Fn("vk_icdGetInstanceProcAddr") {
		if e.Text("handle") != "" {
			asked[e.Text("name")]++
		}
	}
	for _, name := range []string{"vkDestroyInstance", "vkGetPhysicalDeviceFeatures", "vkCreateXcbSurfaceKHR", "vkGetPhysicalDeviceToolProperties", "vkCreateDebugUtilsMessengerEXT"} {
		if asked[name] != 1 {
			t.Errorf("%s was asked for %d times", name, asked[name])
		}
	}
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	w.ForgetLog()
	h.Do("properties", "pd", pd)
	h.OK("create_device", "pd", pd)
	for _, e := range w.Log().Fn("vk_icdGetInstanceProcAddr") {
		t.Errorf("asked for %s after creation", e.Text("name"))
	}
	if n := len(w.Log().Fn("vkGetDeviceProcAddr")); n < 200 {
		t.Errorf("%d device functions asked for", n)
	}
	h.Quit()
}

// holds: GPA-015 GPA-074 DEV-056
func TestOnePointerServesAllObjects(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "result vkGetDeviceQueue 0 3")
	w.Driver("two", "device name=b", "result vkAllocateCommandBuffers -2")
	h := w.Start()
	h.OK("create_instance")
	h.OK("create_instance", "as", "j")
	devices := h.OK("physical_devices", "instance", "j").Ints("devices")
	wait := gipa(h, "i", "vkDeviceWaitIdle")
	for k, d := range devices {
		h.OK("create_device", "as", []string{"x", "y"}[k], "pd", world.Ref(d))
	}
	h.Do("destroy_instance")
	for _, d := range []string{"x", "y", "x"} {
		h.OK("call", "pointer", world.Ref(int(wait)), "arg", d)
	}
	if a := h.Do("command_buffers", "device", "x"); a.Result() != -2 {
		t.Errorf("a failing allocation gives %d", a.Result())
	}
	for i := 0; i < 3; i++ {
		a := h.Do("get_queue", "device", "y", "as", "q"+string(rune('0'+i)))
		if (a.Int("queue") == 0) != (i == 2) {
			t.Errorf("queue %d is pointer %d", i, a.Int("queue"))
		}
	}
	h.Quit()
	if who := w.Log().Fn("vkDeviceWaitIdle").Who(); !slices.Equal(who, []string{"two", "one", "two"}) {
		t.Errorf("calls went to %v", who)
	}
}
