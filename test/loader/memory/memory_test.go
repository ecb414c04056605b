package memory

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	outOfMemory = -1
	incomplete  = 5
)

// balanced checks that no block is allocated, and no allocator was misused.
func balanced(t *testing.T, h *world.Host, name, after string) {
	t.Helper()
	s := h.Do("allocator_stats", "name", name) // a fault: a foreign block, a block freed twice, a bad alignment
	if s.Int("live") != 0 || s.Int("faults") != 0 || s.Ints("scopes")[2] != 0 {
		t.Errorf("%s: %s: %v", after, name, s)
	}
}

// holds: ALC-001..ALC-008 ALC-010..ALC-012 ALC-014 ALC-016..ALC-022 ALC-030
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for _, fill := range []string{"0", "0xff"} {
		for _, who := range []string{"both", "instance", "device", "layer"} {
			w := world.New(t)
			w.Driver("one", "device name=a ext=VK_KHR_swapchain", "use_allocator").API("1.1.0")
			w.Driver("two", "device name=b", "use_allocator")
			w.ImplicitLayer("VK_LAYER_x", "use_allocator")
			h := w.Start()
			h.Do("allocator", "as", "a", "fill", fill)
			h.Do("allocator", "as", "b", "fill", fill)
			var forInstance, forDevice []string
			if who != "device" {
				forInstance = []string{"allocator", "a"}
			}
			if who != "instance" {
				forDevice = []string{"allocator", "b"}
			}
			with := func(words []string, more ...string) []string { return append(more, words...) }
			h.OK("create_instance", with(forInstance, "api", "1.1.0")...)
			h.Do("destroy_instance", forInstance...)
			balanced(t, h, "a", "an instance")
			h.OK("create_instance", with(forInstance, "api", "1.1.0")...)
			for _, name := range []string{"vkCreateDevice", "vkDestroyDevice"} {
				if h.Do("gipa", "instance", "i", "name", name).Int("ptr") == 0 {
					t.Errorf("%s is NULL", name)
				}
			}
			devices := h.OK("physical_devices").Ints("devices")
			if len(devices) != 2 {
				t.Errorf("%d devices", len(devices))
			}
			for _, d := range devices {
				h.Do("queue_families", "pd", world.Ref(d))
				h.OK("create_device", with(forDevice, "pd", world.Ref(d))...)
				h.Do("get_queue")
				h.Do("destroy_device", forDevice...)
				balanced(t, h, "b", "a device")
			}
			h.Do("destroy_instance", forInstance...)
			balanced(t, h, "a", who)
			balanced(t, h, "b", who)
			h.Quit()
		}
	}
}

// holds: ALC-003
func TestGlobalFunctionsTakeNothing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	h.Do("allocator")
	h.OK("create_instance", "allocator", "a")
	h.Do("destroy_instance", "allocator", "a")
	before := h.Do("allocator_stats").Int("calls")
	h.Do("instance_version")
	h.OK("instance_extensions")
	h.OK("instance_layers")
	h.OK("create_instance", "as", "plain")
	if after := h.Do("allocator_stats").Int("calls"); after != before {
		t.Errorf("%d calls of a program's callbacks without it having given them", after-before)
	}
	h.Quit()
}

// surroundings of ALC-031 and ALC-032.
func surroundings(t *testing.T, name string) (*world.World, []string, int) {
	t.Helper()
	w := world.New(t)
	words := []string{"allocator", "a"}
	devices := 1
	switch name {
	case "plain":
		w.Driver("one", "device name=a", "use_allocator")
		w.ImplicitLayer("VK_LAYER_x", "use_allocator")
	case "malformed":
		w.Driver("one", "device name=a", "use_allocator")
		w.ImplicitLayer("VK_LAYER_x", "use_allocator")
		for i, text := range []string{",", `{ "k":"v", }`, `{"file_format_version":"1.0.0","layer":{}}`, "[]"} {
			w.Write(fmt.Sprintf("home/.local/share/vulkan/explicit_layer.d/bad%d.json", i), text)
		}
	case "missing":
		w.Driver("one", "device name=a")
		w.Env["VK_DRIVER_FILES"] = w.Path("nowhere.json") + ":nothing.json:" + w.Path("drivers/one.json") + ":" + w.Path("no/directory")
	case "full":
		devices = 4
		for i := 0; i < 4; i++ {
			f := w.Driver(fmt.Sprintf("driver%d", i), fmt.Sprintf("device name=d%d ext=VK_KHR_swapchain,VK_XX_a,VK_XX_b,VK_XX_c,VK_XX_d", i), "ext VK_KHR_surface 25").API("1.1.0")
			own, _ := world.Bits()
			f.Set("library_arch", own)
			// more than fits into the memory that is allocated for the open drivers
			for k := 0; i == 0 && k < 200; k++ {
				f.Script(fmt.Sprintf("ext VK_XX_%s_%d", strings.Repeat("long", 40), k))
			}
		}
		w.DriverFile("wrong", world.DriverManifest(w.WrongClass("wrong"), "1.1.0"))
		direct := w.DirectDriver("direct", "api 1.1.0")
		words = append(words, "direct", direct.Library, "ext", "VK_LUNARG_direct_driver_loading", "ext", "VK_KHR_surface")
		for i := 0; i < 4; i++ {
			w.ImplicitLayer(fmt.Sprintf("VK_LAYER_%d", i))
		}
		var list []map[string]any
		for i := 0; i < 40; i++ {
			list = append(list, map[string]any{"name": fmt.Sprintf("VK_YY_%d", i), "spec_version": "1"})
		}
		w.ExplicitLayer("VK_LAYER_large").Set("device_extensions", list)
	}
	return w, words, devices
}

// holds: ALC-027..ALC-033 ALC-036 ALC-038..ALC-040 ALC-024 DRV-005
func TestEveryAllocationThatFails(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "malformed", "missing", "full"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, words, devices := surroundings(t, name)
			h := w.Start()
			for n := 0; ; n++ {
				if n > 10000 {
					t.Fatal("10000 allocations are not enough")
				}
				h.Do("allocator", "as", "a", "fail_from", strconv.Itoa(n), "fill", "0xff")
				a := h.Do("create_instance", words...)
				if a.Result() == 0 {
					break
				}
				if a.Result() != outOfMemory || a.Int("written") != 0 {
					t.Errorf("with %d allocations: %v", n, a)
				}
				balanced(t, h, "a", fmt.Sprintf("with %d allocations", n))
			}
			var list []int
			for n := 0; ; n++ {
				h.Do("allocator", "as", "a", "fail_from", strconv.Itoa(n))
				a := h.Do("physical_devices")
				if a.Result() == 0 {
					list = a.Ints("devices")
					break
				}
				if a.Result() != outOfMemory || n > 1000 {
					t.Fatalf("enumeration with %d allocations: %v", n, a)
				}
			}
			if len(list) != devices {
				t.Errorf("%d devices, want %d", len(list), devices)
			}
			h.Do("allocator", "as", "a")
			for n := 0; ; n++ {
				h.Do("allocator", "as", "b", "fail_from", strconv.Itoa(n), "fill", "0xff")
				a := h.Do("create_device", "pd", world.Ref(list[0]), "allocator", "b")
				if a.Result() == 0 {
					break
				}
				if a.Result() != outOfMemory || n > 1000 {
					t.Fatalf("a device with %d allocations: %v", n, a)
				}
				balanced(t, h, "b", fmt.Sprintf("a device with %d allocations", n))
			}
			h.Do("allocator", "as", "a", "fail_from", "0") // destruction works without memory
			h.Do("allocator", "as", "b", "fail_from", "0")
			h.Do("destroy_device", "allocator", "b")
			h.Do("destroy_instance", "allocator", "a")
			balanced(t, h, "a", "in the end")
			balanced(t, h, "b", "in the end")
			h.Quit()
		})
	}
}

// The same rules hold when malloc fails.
//
// holds: ALC-027 ALC-030 ALC-034 DRV-005 G-9 G-10
func TestEveryMallocThatFails(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the sanitizer has a malloc of its own")
	}
	for _, name := range []string{"plain", "malformed", "full"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, words, devices := surroundings(t, name)
			words = words[2:] // without callbacks
			h := w.Start()
			h.OK("create_instance", words...) // opens the core
			h.Do("destroy_instance")
			failed := map[string]int{}
			try := func(what string, least int, f func() world.Answer) world.Answer {
				t.Helper()
				for n, mode := 0, 0; n < 20000; n++ {
					h.Do("malloc_fail", modes[mode], strconv.Itoa(n))
					a := f()
					calls := h.Do("malloc_fail").Int("calls")
					if a.Result() != 0 {
						failed[what]++
						if a.Result() != outOfMemory {
							t.Errorf("%s with %d allocations (%s): result %d\n%s", what, n, modes[mode], a.Result(), strings.Join(h.Messages(), "\n"))
						}
						continue
					}
					if calls <= int64(n) { // no allocation was refused
						if failed[what] < least*(mode+1) {
							t.Errorf("%s: only %d allocations (%s)", what, failed[what], modes[mode])
						}
						if mode++; mode == len(modes) {
							return a
						}
						n = -1
					}
					// created although an allocation may have been refused: complete, and destroyed again
					switch what {
					case "instance":
						if list := h.Do("physical_devices"); list.Result() == 0 && len(list.Ints("devices")) != devices {
							t.Errorf("%s with %d allocations: %d devices", what, n, len(list.Ints("devices")))
						}
						h.Do("destroy_instance")
					case "device":
						h.Do("destroy_device")
					}
				}
				t.Fatalf("%s never succeeds", what)
				return nil
			}
			try("instance", 3, func() world.Answer { return h.Do("create_instance", words...) })
			list := try("devices", 0, func() world.Answer { return h.Do("physical_devices") }).Ints("devices")
			if len(list) != devices {
				t.Errorf("%d devices, want %d", len(list), devices)
			}
			try("device", 1, func() world.Answer { return h.Do("create_device", "pd", world.Ref(list[0])) })
			h.Do("malloc_fail", "from", "0")
			h.Do("destroy_device")
			h.Do("destroy_instance")
			h.Do("malloc_fail")
			try("extensions", 1, func() world.Answer { return h.Do("instance_extensions") })
			try("layers", 1, func() world.Answer { return h.Do("instance_layers") })
			h.Quit()
		})
	}
}

// The record of a driver that stays open needs memory, too; without it the driver is opened again.
//
// holds: ALC-040 INS-088
func TestEndsWithoutMemory(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the sanitizer has a malloc of its own")
	}
	w := world.New(t)
	w.Driver("one", "device name=a")
	w.Driver("two", "device name=b")
	h := w.Start()
	for mode, n := 0, 0; mode < len(modes); n++ {
		h.OK("instance_extensions")
		h.OK("create_instance")
		if got := len(h.OK("physical_devices").Ints("devices")); got != 2 {
			t.Errorf("%d devices after an end with %d allocations (%s)", got, n, modes[mode])
		}
		for _, name := range []string{"one", "two"} { // so that they must be recorded again
			file := w.Path("lib/" + name + ".so")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(file, string(text))
		}
		h.Do("malloc_fail", modes[mode], strconv.Itoa(n))
		h.Do("destroy_instance")
		if h.Do("malloc_fail").Int("calls") > int64(n) {
			continue
		}
		mode, n = mode+1, -1
	}
	h.Quit()
}
