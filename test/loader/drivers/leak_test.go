package drivers

import (
	"testing"

	"vkloader/test/lib/world"
)

// The heap contains nothing of an instance after its end, for every failure.
//
// holds: INS-026 INS-028
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the sanitizers have a heap of their own")
	}
	type line = []string
	cases := []struct {
		name   string
		script line // of the second driver
		words  line
		result int
		more   []line // between creation and destruction
	}{
		{"a life", nil, line{"ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface", "app_name", "x"}, success,
			[]line{{"physical_devices"}, {"device_groups"}, {"create_surface", "type", "headless"}, {"destroy_surface"}}},
		{"objects left behind", nil, line{"ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface", "ext", "VK_EXT_debug_report"}, success,
			[]line{{"physical_devices"}, {"create_surface", "type", "headless"}, {"forget", "name", "s"}}},
		{"layers", nil, line{"layer", "VK_LAYER_good"}, success, []line{{"physical_devices"}}},
		{"unknown names", line{"offer_gpdpa vkGetPhysicalDeviceSomethingACME"}, line{}, success,
			[]line{{"gipa", "instance", "i", "name", "vkGetPhysicalDeviceSomethingACME"}, {"gipa", "instance", "i", "name", "vkOtherACME"}}},
		{"a driver that fails", line{"result vkCreateInstance -3"}, nil, success, nil},
		{"a driver without memory", line{"result vkCreateInstance -1"}, nil, outOfMemory, nil},
		{"a driver that lacks a function", line{"missing vkCreateDevice"}, nil, success, nil},
		{"a driver that refuses", line{"negotiate -9"}, nil, success, nil},
		{"a driver without extensions", line{"result vkEnumerateInstanceExtensionProperties -3 fill"}, nil, success, nil},
		{"a driver whose list has no memory", line{"result vkEnumerateInstanceExtensionProperties -1 fill"}, nil, outOfMemory, nil},
		{"an unknown layer", nil, line{"layer", "VK_LAYER_nobody"}, layerNotPresent, nil},
		{"an unknown extension", nil, line{"ext", "VK_ACME_nobody"}, extensionNotPresent, nil},
		{"an unusable layer", nil, line{"layer", "VK_LAYER_good", "layer", "VK_LAYER_bad"}, layerNotPresent, nil},
		{"a layer that fails", nil, line{"layer", "VK_LAYER_good", "layer", "VK_LAYER_fails"}, initializationError, nil},
		{"a layer that fails late", nil, line{"layer", "VK_LAYER_good", "layer", "VK_LAYER_late"}, initializationError, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Env["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0" // cached blocks would count as used
			w.Driver("first", "device name=first", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1", "ext VK_EXT_debug_utils 2", "ext VK_EXT_debug_report 10")
			w.Driver("second", append(line{"device name=second", "ext VK_KHR_surface 25"}, c.script...)...)
			w.Driver("empty", "ext VK_KHR_surface 25")
			w.DriverFile("broken", "{")
			w.DriverFile("missing", world.DriverManifest("/no/library.so", "1.0.0"))
			w.ExplicitLayer("VK_LAYER_good")
			w.ExplicitLayer("VK_LAYER_fails", "error vkCreateInstance -3 before")
			w.ExplicitLayer("VK_LAYER_late", "error vkCreateInstance -3 after")
			w.ExplicitLayer("VK_LAYER_bad").Set("library_path", w.BadBinary("bad"))
			h := w.Start()
			round := func() {
				h.Do("instance_extensions")
				h.Do("instance_layers")
				if got := h.Do("create_instance", c.words...).Result(); got != c.result {
					t.Fatalf("result %d", got)
				}
				if c.result != success {
					return
				}
				for _, command := range c.more {
					h.Do(command[0], command[1:]...)
				}
				h.Do("destroy_instance")
			}
			for range 6 {
				round()
			}
			// A thread of the core may now allocate a malloc arena, once; a leak occurs every time.
			var more int64
			for range 14 {
				before := h.Do("heap").Int("used")
				for range 5 {
					round()
				}
				if more = h.Do("heap").Int("used") - before; more == 0 {
					break
				}
			}
			if more != 0 {
				t.Errorf("%d bytes more after 5 rounds", more)
			}
			h.Quit()
		})
	}
}
