package drivers

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

// holds: INS-081
func TestDestroyingNothing(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("it")
	h := w.Start()
	h.Do("call", "name", "vkDestroyInstance", "arg", "null", "arg", "null")
	h.OK("create_instance")
	h.Do("call", "name", "vkDestroyInstance", "arg", "null", "arg", "null")
	same(t, "devices", deviceNames(h, "i"), []string{"it"})
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", "")
	h.Do("call", "name", "vkDestroyInstance", "arg", "null", "arg", "null")
	h.Do("destroy_instance")
	h.Quit()
	if n := len(w.Log().Fn("vkDestroyInstance")); n != 1 {
		t.Errorf("%d instances destroyed", n)
	}
}

// holds: INS-082 INS-094 INS-095 INS-096
func TestHandlesThatAreNoInstances(t *testing.T) {
	t.Parallel()
	cases := []struct {
		words []string
		say   string
	}{
		{[]string{"name", "vkDestroyInstance", "arg", "IT", "arg", "null"}, "vkDestroyInstance: Invalid instance [VUID-vkDestroyInstance-instance-parameter]"},
		{[]string{"name", "vkEnumeratePhysicalDevices", "arg", "IT", "arg", "out", "arg", "null"}, "vkEnumeratePhysicalDevices: Invalid instance [VUID-vkEnumeratePhysicalDevices-instance-parameter]"},
		{[]string{"name", "vkEnumeratePhysicalDeviceGroups", "arg", "IT", "arg", "out", "arg", "null"}, "vkEnumeratePhysicalDeviceGroups: Invalid instance [VUID-vkEnumeratePhysicalDeviceGroups-instance-parameter]"},
		{[]string{"name", "vkGetInstanceProcAddr", "arg", "IT", "arg", "text:vkCreateDevice"}, "vkGetInstanceProcAddr: Invalid instance [VUID-vkGetInstanceProcAddr-instance-parameter]"},
	}
	for _, c := range cases {
		for _, what := range []string{"edge", "garbage", "zeros"} {
			t.Run(c.words[1]+" "+what, func(t *testing.T) {
				t.Parallel()
				w := world.New(t)
				w.Driver("it")
				h := w.Start()
				if what == "zeros" {
					h.OK("create_instance") // another instance does not help
				}
				words := slices.Clone(c.words)
				words[slices.Index(words, "IT")] = what
				exit := h.Dies("call", words...)
				if exit.Signal != syscall.SIGABRT {
					t.Errorf("ended by %v, code %d", exit.Signal, exit.Code)
				}
				same(t, "messages", spoken(exit.Stderr), []string{"[ERROR] " + c.say})
			})
		}
	}
}

// holds: INS-083 INS-085
func TestOrderOfDestruction(t *testing.T) {
	t.Parallel()
	w := busy(t)
	// every unused library is closed, so that closing is logged
	w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = "0"
	for _, name := range []string{"three", "empty"} {
		f := w.Driver(name, "log_load")
		if name == "three" {
			f.Script("device name=three")
		}
	}
	for _, name := range []string{"VK_LAYER_upper", "VK_LAYER_lower"} {
		w.ExplicitLayer(name, "log_load")
	}
	h := w.Start()
	h.Do("allocator", "as", "a")
	h.OK("create_instance", "api", "1.1.0", "layer", "VK_LAYER_upper", "layer", "VK_LAYER_lower", "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface",
		"ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report")
	h.OK("create_messenger")
	h.OK("create_report")
	h.OK("create_surface", "type", "headless")
	for _, pd := range h.OK("physical_devices").Ints("devices") {
		h.Do("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", world.Ref(pd), "arg", "0", "arg", "s", "arg", "out")
	}
	w.ForgetLog()
	h.Do("destroy_instance", "allocator", "a")
	var got []string
	for _, event := range w.Log() {
		if event.Text("phase") == "leave" && event.Text("fn") == "vkDestroyInstance" {
			got = append(got, event.Text("who")+" is done")
			continue
		}
		got = append(got, event.Text("who")+" "+event.Text("fn"))
		if event.Text("fn") == "vkDestroyInstance" && !strings.HasPrefix(event.Text("who"), "VK_LAYER_") {
			if event.IsNull("allocator") {
				t.Errorf("%s got no allocator", event.Text("who"))
			}
			if event.Int("surfaces")+event.Int("messengers")+event.Int("reports") != 0 {
				t.Errorf("%s still had objects: %v", event.Text("who"), event)
			}
		}
	}
	h.Quit()
	sound(t, w.Log())
	objects := map[string]bool{"vkDestroySurfaceKHR": true, "vkDestroyDebugUtilsMessengerEXT": true, "vkDestroyDebugReportCallbackEXT": true}
	var order []string
	for i, line := range got {
		who, fn, _ := strings.Cut(line, " ")
		if !objects[fn] {
			order = append(order, line)
			continue
		}
		// a driver's objects go directly before its instance
		rest := got[i:]
		for len(rest) > 0 && objects[strings.TrimPrefix(rest[0], who+" ")] {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != who+" vkDestroyInstance" {
			t.Errorf("%q is out of place in %q", line, got)
		}
	}
	want := []string{"VK_LAYER_upper vkDestroyInstance", "VK_LAYER_lower vkDestroyInstance", "three vkDestroyInstance", "two vkDestroyInstance", "one vkDestroyInstance",
		"VK_LAYER_lower is done", "VK_LAYER_upper is done", "three destructor"}
	if len(order) > len(want) && len(order) == len(want)+2 {
		rest := order[len(want):]
		slices.Sort(rest) // the order among layers is unspecified
		same(t, "closed last", rest, []string{"VK_LAYER_lower destructor", "VK_LAYER_upper destructor"})
		order = order[:len(want)]
	} else {
		t.Errorf("the layers were not closed last: %q", order)
	}
	same(t, "order", order, want)
	for _, who := range []string{"one", "two"} {
		for fn := range objects {
			if slices.Index(got, who+" "+fn) < 0 {
				t.Errorf("%s was not told of %s", who, fn)
			}
		}
	}
}

// holds: INS-083
func TestOrderOfClosing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = "0"
	names := []string{"b", "a", "d", "c"}
	for _, name := range names {
		w.Driver(name, "log_load", "device name="+name)
	}
	h := w.Start()
	h.OK("create_instance")
	h.OK("physical_devices")
	w.ForgetLog()
	h.Do("destroy_instance")
	log := w.Log()
	h.Quit()
	same(t, "destroyed", log.Fn("vkDestroyInstance").Who(), []string{"c", "d", "a", "b"})
	same(t, "closed", log.Fn("destructor").Who(), names)
}

// holds: INS-084
func TestChainedMessengers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("it", "device name=it", "device name=other")
	h := w.Start()
	created := h.OK("create_instance", "ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report", "messenger", "m", "report", "r")
	between := h.Do("physical_devices", "count", "1")
	null := h.Do("physical_devices", "count", "null")
	destroyed := h.Do("destroy_instance")
	after := h.Do("instance_version", "arg", "null")
	exit := h.Quit()
	for _, who := range []string{"m", "r"} {
		if !created.HasText(who, "Found ICD manifest file "+w.Path("drivers/it.json")+", version 1.0.1") {
			t.Errorf("%s heard nothing of the creation: %q", who, created.Texts(who))
		}
		if !destroyed.HasText(who, "Unloading driver library "+w.Path("lib/it.so")) {
			t.Errorf("%s heard nothing of the destruction: %q", who, destroyed.Texts(who))
		}
	}
	if between.Result() != incomplete || null.Result() != initializationError {
		t.Errorf("results %d and %d", between.Result(), null.Result())
	}
	for _, a := range []world.Answer{between, null, after} {
		if len(a.Received()) != 0 {
			t.Errorf("heard in between: %v", a.Received())
		}
	}
	if !strings.Contains(exit.Stderr, "vkEnumeratePhysicalDevices: Received NULL pointer") {
		t.Error("the message was not on standard error")
	}
}
