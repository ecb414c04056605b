package drivers

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	negotiation = "vk_icdNegotiateLoaderICDInterfaceVersion"
	adapters    = "vk_icdEnumerateAdapterPhysicalDevices"
)

// holds: DRV-047 DRV-049 DRV-052 DRV-053 DRV-065
func TestEveryRangeOfInterfaceVersions(t *testing.T) {
	t.Parallel()
	w := loud(t)
	var names []string
	for low := 0; low <= 7; low++ {
		for high := low; high <= 7; high++ {
			name := fmt.Sprintf("from%dto%d", low, high)
			names = append(names, name)
			w.Driver(name, fmt.Sprintf("interface %d %d", low, high), "device name="+name)
		}
	}
	l := live(t, w)
	same(t, "created", l.created, names)
	slices.Reverse(names)
	l.wants(t, success, names...)
	for _, name := range names {
		asked := l.log.By(name).Fn(negotiation)
		if len(asked) != 1 || asked[0].Int("given") != 7 {
			t.Errorf("%s was asked for its interface: %v", name, asked)
		}
	}
	quietAbout(t, l.exit, "skip")
}

// holds: DRV-061
func TestNoAdapterFunction(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(world.Library())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{negotiation, "vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr"} {
		if !bytes.Contains(text, []byte(name)) {
			t.Errorf("the library does not know %s", name)
		}
	}
	if bytes.Contains(text, []byte(adapters)) != world.Windows() {
		t.Errorf("the library knows %s: %v", adapters, !world.Windows())
	}
}

// beginning returns lookups and calls before the first instance, in order: "function name" or "function".
func beginning(log world.Log) []string {
	var out []string
	for _, event := range log {
		if event.Text("fn") == "vkCreateInstance" {
			break
		}
		text := event.Text("fn")
		if event.Text("name") == adapters && world.Windows() { // WIN-062
			continue
		}
		if name := event.Text("name"); name != "" {
			text = "? " + name
			if !event.IsNull("handle") {
				text += " of " + event.Text("handle")
			}
		}
		out = append(out, text)
	}
	return out
}

// holds: DRV-048 DRV-049 DRV-050 DRV-054 DRV-056 DRV-058 DRV-060 DRV-061 DRV-062
func TestWhatIsAskedOfALibrary(t *testing.T) {
	t.Parallel()
	const create, list, gpdpa = "? vkCreateInstance", "? vkEnumerateInstanceExtensionProperties", "? vk_icdGetPhysicalDeviceProcAddr"
	const count = "vkEnumerateInstanceExtensionProperties"
	cases := []struct {
		name, kind string
		script     []string
		want       []string
	}{
		{"modern", world.Modern, nil, []string{negotiation, create, list, gpdpa, count}},
		{"version 6", world.Modern, []string{"interface 0 6"}, []string{negotiation, create, list, count}},
		{"version 1", world.Modern, []string{"interface 0 1"}, []string{negotiation, create, list, count}},
		{"version 0 with a proc-address function", world.Modern, []string{"negotiate 0 0"}, []string{negotiation, create, list, count}},
		{"failure that counts for nothing", world.Modern, []string{"negotiate -1 5"}, []string{negotiation, create, list, count}},
		{"version of the future", world.Modern, []string{"negotiate 0 99"}, []string{negotiation, create, list, gpdpa, count}},
		{"proc-address function alone", world.OnlyGIPA, nil, []string{"? " + negotiation, create, list, count}},
		{"everything through it", world.OnlyGIPA, []string{"negotiate_by_gipa"}, []string{"? " + negotiation, negotiation, create, list, gpdpa, count}},
		{"no third export", world.NoGPDPA, []string{"no_gpdpa"}, []string{negotiation, create, list, gpdpa, count}},
		{"oldest", world.Oldest, nil, []string{count}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.DriverKind(c.kind, "it", slices.Concat([]string{"log_lookups", "device name=it"}, c.script)...)
			l := live(t, w)
			l.wants(t, success, "it")
			got := beginning(l.log)
			same(t, "asked", got, c.want)
			for _, event := range l.log {
				if event.Text("name") == adapters && !world.Windows() { // WIN-062
					t.Error(adapters + " was asked for")
				}
			}
			if c.kind == world.Oldest {
				says(t, l.exit, "[WARN] loader_scanned_icd_add: Using deprecated ICD interface of 'vkGetInstanceProcAddr' instead of 'vk_icdGetInstanceProcAddr' for ICD "+w.Path("lib/it.so"))
			} else {
				quietAbout(t, l.exit, "deprecated")
			}
		})
	}
}

// The message about a rejected driver has the path given to the dynamic linker; only an accepted driver has a real path (DRV-025).
//
// holds: DRV-025 DRV-051 DRV-055 DRV-057 DRV-059 DRV-045 DRV-046 DRV-066 BIN-008 INS-029
func TestRejectedLibraries(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, kind string
		script     string
		say        string // LIB is the library's path according to the manifest
	}{
		{"refuses", world.Modern, "negotiate -9 7", "[ERROR] loader_scanned_icd_add: ICD LIB doesn't support interface version compatible with loader, skip this ICD."},
		{"newer", world.Modern, "interface 8 9", "[ERROR] loader_scanned_icd_add: ICD LIB doesn't support interface version compatible with loader, skip this ICD."},
		{"negotiates only", world.OnlyNeg, "", "[ERROR] loader_scanned_icd_add: ICD LIB reports an interface version of 7 but doesn't export vk_icdGetInstanceProcAddr, skip this ICD."},
		{"negotiates 5", world.OnlyNeg, "negotiate 0 5", "[ERROR] loader_scanned_icd_add: ICD LIB reports an interface version of 5 but doesn't export vk_icdGetInstanceProcAddr, skip this ICD."},
		{"no create", world.Modern, "missing vkCreateInstance", "[ERROR] loader_scanned_icd_add: Could not get 'vkCreateInstance' via 'vk_icdGetInstanceProcAddr' for ICD LIB"},
		{"no list", world.Modern, "missing vkEnumerateInstanceExtensionProperties",
			"[ERROR] loader_scanned_icd_add: Could not get 'vkEnumerateInstanceExtensionProperties' via 'vk_icdGetInstanceProcAddr' for ICD LIB"},
		{"oldest without look-up", world.OldestNoGIPA, "",
			"[ERROR] loader_scanned_icd_add: Attempt to retrieve either 'vkGetInstanceProcAddr' or 'vk_icdGetInstanceProcAddr' from ICD LIB failed."},
		{"oldest without create", world.OldestNoMake, "", "[ERROR] loader_scanned_icd_add:  Failed querying 'vkCreateInstance' via dlsym/LoadLibrary for ICD LIB"},
		{"oldest without list", world.OldestNoExt, "",
			"[ERROR] loader_scanned_icd_add: Could not get 'vkEnumerateInstanceExtensionProperties' via dlsym/LoadLibrary for ICD LIB"},
		{"no exports", world.NoExports, "", "[ERROR] loader_scanned_icd_add: Attempt to retrieve either 'vkGetInstanceProcAddr' or 'vk_icdGetInstanceProcAddr' from ICD LIB failed."},
		{"negotiates 0", world.OnlyNeg, "negotiate 0 0", "[ERROR] loader_scanned_icd_add: Attempt to retrieve either 'vkGetInstanceProcAddr' or 'vk_icdGetInstanceProcAddr' from ICD LIB failed."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.DriverKind(c.kind, "bad", c.script, "log_load", "device name=bad").Set("library_path", "..//lib/bad.so")
			say := strings.ReplaceAll(c.say, "LIB", w.Path("drivers")+"/..//lib/bad.so")
			h := w.Start()
			alone := h.Do("create_instance").Result()
			mapped := h.Do("maps", "match", "bad.so").Strings("maps")
			exit := h.Quit()
			if alone != incompatibleDriver || len(mapped) != 0 {
				t.Errorf("result %d, mapped %v", alone, mapped)
			}
			says(t, exit, say, "[ERROR|DRIVER] vkCreateInstance: Found no drivers!")
			if got := w.Log().Fn("destructor", "vkCreateInstance").Names(); !slices.Equal(got, []string{"bad destructor"}) {
				t.Errorf("the bad driver saw %q", got)
			}

			w.Driver("good")
			w.ForgetLog()
			h = w.Start()
			h.OK("create_instance")
			same(t, "devices", deviceNames(h, "i"), []string{"good"})
			mapped = h.Do("maps", "match", "bad.so").Strings("maps")
			exit = h.Quit()
			if len(mapped) != 0 {
				t.Errorf("mapped beside a good driver: %v", mapped)
			}
			says(t, exit, say)
			// Closed at once: before the good driver's instance was created.
			events := w.Log()
			closed, made := -1, -1
			for i, event := range events {
				switch event.Text("who") + " " + event.Text("fn") {
				case "bad destructor":
					closed = i
				case "good vkCreateInstance":
					made = i
				}
			}
			if closed < 0 || closed > made {
				t.Errorf("the rejected library was not closed at once: %q", events.Names())
			}
		})
	}
}

// An unknown physical-device command is looked up with the driver's third entry point, from interface version 4 on.
//
// holds: DRV-060 DRV-068
func TestThirdEntryPoint(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, kind string
		script     string
		used       bool
	}{
		{"version 7 by look-up", world.NoGPDPA, "", true},
		{"version 7 by export", world.Modern, "no_gpdpa", true},
		{"version 7 without", world.NoGPDPA, "no_gpdpa", false},
		{"version 6 by export", world.Modern, "interface 0 6", true},
		{"version 6 without export", world.NoGPDPA, "interface 0 6", false},
		{"version 4 by export", world.Modern, "interface 0 4", true},
		{"version 3 by export", world.Modern, "interface 0 3", false},
		{"version 2 by export", world.Modern, "interface 0 2", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.DriverKind(c.kind, "it", "log_lookups", "device name=it", "offer_gpdpa vkGetPhysicalDeviceSomethingACME", "return vkGetPhysicalDeviceSomethingACME 77", c.script)
			h := w.Start()
			h.OK("create_instance")
			pd := h.OK("physical_devices").Ints("devices")[0]
			found := h.Do("gipa", "instance", "i", "name", "vkGetPhysicalDeviceSomethingACME").Int("ptr") != 0
			if found != c.used {
				t.Errorf("found: %v, want %v", found, c.used)
			}
			if found {
				if got := h.Do("call", "via", "gipa", "instance", "i", "name", "vkGetPhysicalDeviceSomethingACME", "arg", world.Ref(pd), "arg", "5").Result(); got != 77 {
					t.Errorf("the command gave %d", got)
				}
			}
			h.Do("destroy_instance")
			h.Quit()
			log := w.Log()
			sound(t, log)
			if asked := log.Fn("vk_icdGetPhysicalDeviceProcAddr"); c.used != (len(asked) > 0) {
				t.Errorf("the third entry point was asked %v", asked)
			}
			for _, event := range log.Fn("vk_icdGetPhysicalDeviceProcAddr") {
				if event.Text("handle") != "instance:1" {
					t.Errorf("the third entry point was asked with %q", event.Text("handle"))
				}
			}
			dead := false
			for _, event := range log {
				dead = dead || event.Text("fn") == "vkDestroyInstance"
				if event.Text("fn") != "vk_icdGetInstanceProcAddr" {
					continue
				}
				if handle := event.Text("handle"); handle != "instance:1" && !event.IsNull("handle") || dead {
					t.Errorf("vk_icdGetInstanceProcAddr was asked with %q for %q", handle, event.Text("name"))
				}
				switch name := event.Text("name"); name {
				case "vkCreateInstance", "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceVersion", negotiation, "vk_icdGetPhysicalDeviceProcAddr":
				default:
					if event.IsNull("handle") && !(name == adapters && world.Windows()) {
						t.Errorf("%s was asked for without an instance", name)
					}
				}
			}
		})
	}
}

// holds: DRV-064 WSI-018
func TestSurfacesOfOldInterfaces(t *testing.T) {
	t.Parallel()
	const text = " but still exposes VkSurfaceKHR create/destroy entrypoints (Policy #LDP_DRIVER_8)"
	cases := []struct {
		name, kind string
		script     []string
		version    string // in the message; "": no message
	}{
		{"version 2", world.Modern, []string{"interface 0 2", "ext VK_KHR_surface 25"}, "2"},
		{"version 1", world.OnlyGIPA, []string{"ext VK_KHR_xcb_surface 6"}, "1"},
		{"version 0", world.Oldest, []string{"ext " + world.WindowExtension("wayland") + " 6"}, "0"},
		{"xlib", world.Modern, []string{"interface 0 2", "ext " + world.WindowExtension("xlib") + " 6"}, "2"},
		{"headless", world.Modern, []string{"interface 0 2", "missing vkDestroySurfaceKHR", "ext VK_EXT_headless_surface 1"}, "2"},
		{"display", world.OnlyGIPA, []string{"missing vkDestroySurfaceKHR", "ext VK_KHR_display 23"}, "1"},
		{"version 3", world.Modern, []string{"interface 0 3", "ext VK_KHR_surface 25"}, ""},
		{"none of them", world.Modern, []string{"interface 0 2"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.DriverKind(c.kind, "it", slices.Concat(c.script, []string{"device name=it"})...)
			l := live(t, w)
			l.wants(t, success, "it")
			if c.version == "" {
				quietAbout(t, l.exit, "LDP_DRIVER_8")
				return
			}
			says(t, l.exit, "[WARN] terminator_CreateInstance: Driver "+w.Path("lib/it.so")+" supports interface version "+c.version+text)
			if n := strings.Count(l.exit.Stderr, text); n != 1 {
				t.Errorf("said %d times", n)
			}
		})
	}
}

// holds: DRV-073 DRV-074 DRV-076
func TestMandatoryFunctions(t *testing.T) {
	t.Parallel()
	mandatory := []string{"vkDestroyInstance", "vkEnumeratePhysicalDevices", "vkGetPhysicalDeviceFeatures", "vkGetPhysicalDeviceFormatProperties",
		"vkGetPhysicalDeviceImageFormatProperties", "vkGetPhysicalDeviceProperties", "vkGetPhysicalDeviceQueueFamilyProperties",
		"vkGetPhysicalDeviceMemoryProperties", "vkGetDeviceProcAddr", "vkCreateDevice", "vkEnumerateDeviceExtensionProperties",
		"vkGetPhysicalDeviceSparseImageFormatProperties"}
	w := loud(t)
	w.Driver("good", "log_lookups", "device name=good")
	for _, name := range mandatory {
		w.Driver("no_"+name, "missing "+name, "device name=bad")
	}
	l := live(t, w)
	l.wants(t, success, "good")
	for _, name := range mandatory {
		library := w.Path("lib/no_" + name + ".so")
		inOrder(t, l.exit, "[WARN] Unable to load "+name+" from ICD "+library,
			"[WARN] terminator_CreateInstance: Failed to find required entrypoints in ICD "+library+". Skipping this driver.")
		if n := len(l.log.By("no_" + name).Fn("vkDestroyInstance")); n > 1 { // once or never
			t.Errorf("the skipped instance was destroyed %d times", n)
		}
		asked := false
		for _, event := range l.log.By("good").Fn("vk_icdGetInstanceProcAddr") {
			asked = asked || event.Text("name") == name && event.Text("handle") == "instance:1"
		}
		if !asked {
			t.Errorf("%s was not asked for with the driver's instance", name)
		}
	}

	w = loud(t)
	w.Driver("alone", "missing vkGetPhysicalDeviceMemoryProperties", "device name=bad")
	l = live(t, w)
	l.wants(t, incompatibleDriver)
	says(t, l.exit, "[WARN] Unable to load vkGetPhysicalDeviceMemoryProperties from ICD "+w.Path("lib/alone.so"),
		"[ERROR|DRIVER] terminator_CreateInstance: Found no drivers!")
}

// holds: DRV-075
func TestOptionalFunctionsAreAskedForAtCreation(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("it", "log_lookups", "device name=it")
	h := w.Start()
	h.OK("create_instance")
	asked := map[string]bool{}
	for _, event := range w.Log().Fn("vk_icdGetInstanceProcAddr") {
		if event.Text("handle") == "instance:1" {
			asked[event.Text("name")] = true
		}
	}
	for _, name := range []string{"vkEnumeratePhysicalDeviceGroups", "vkEnumeratePhysicalDeviceGroupsKHR", "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceProperties2KHR",
		"vkGetPhysicalDeviceExternalBufferProperties", "vkGetPhysicalDeviceToolProperties", "vkDestroySurfaceKHR", "vkCreateXcbSurfaceKHR", "vkCreateXlibSurfaceKHR",
		"vkCreateWaylandSurfaceKHR", "vkCreateHeadlessSurfaceEXT", "vkCreateDisplayPlaneSurfaceKHR", "vkGetPhysicalDeviceSurfaceSupportKHR",
		"vkGetPhysicalDeviceSurfaceCapabilities2KHR", "vkGetPhysicalDeviceDisplayPropertiesKHR", "vkGetDisplayModeProperties2KHR", "vkCreateDebugUtilsMessengerEXT",
		"vkDestroyDebugReportCallbackEXT", "vkSubmitDebugUtilsMessageEXT", "vkAcquireXlibDisplayEXT", "vkGetDrmDisplayEXT"} {
		if !asked[name] && world.Offered(name) {
			t.Errorf("%s was not asked for", name)
		}
	}
	w.ForgetLog()
	for _, name := range []string{"vkGetPhysicalDeviceFeatures2", "vkCreateXcbSurfaceKHR", "vkEnumeratePhysicalDeviceGroups"} {
		h.Do("gipa", "instance", "i", "name", name)
	}
	h.OK("physical_devices")
	if again := w.Log().Fn("vk_icdGetInstanceProcAddr"); len(again) != 0 {
		t.Errorf("asked later: %v", again)
	}
	h.Quit()
}
