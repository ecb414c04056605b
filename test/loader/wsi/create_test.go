package wsi

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: WSI-001 WSI-006 WSI-007 WSI-008
func TestSurfaceObject(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			w := world.New(t)
			driver(w, "new", k.extension)
			driver(w, "old", k.extension).Script("interface 0 2")
			h := w.Start()
			instance(h, "ext", k.extension)
			before := len(w.Log())
			h.OK("create_surface", "type", k.name)
			if log := w.Log()[before:]; len(log) != 0 {
				t.Errorf("a driver was called: %s", log)
			}
			object := words(h.Do("peek", "ref", "s", "size", "64").Text("bytes"))
			if object[0] != k.platform {
				t.Errorf("platform %d, want %d", object[0], k.platform)
			}
			var want []uint32
			switch k.name {
			case "xcb":
				want = []uint32{0x11110000, 0x11110000, 0x22220000}
				if world.MacOS() { // Metal's structure has one pointer
					want = want[:2]
				}
			case "xlib", "wayland":
				want = []uint32{0x11110000, 0x11110000, 0x22220000, 0}
			case "display": // mode, plane, stack, transform, alpha 1.0, alpha mode, extent
				want = []uint32{0x33330000, 0, 1, 2, 1, 0x3f800000, 1, 640, 480}
			}
			if world.Machine().BigEndian { // the upper half of a 64-bit number comes first
				switch k.name {
				case "xlib", "wayland":
					want[2], want[3] = want[3], want[2]
				case "display":
					want[0], want[1] = want[1], want[0]
				}
			}
			first, platformSize, largest, all := 2, k.platformSize, uint32(48), uint32(64)
			if world.Narrow() { // pointers have 32 bits, and handles of 64 bits are aligned to 32
				first, platformSize, largest, all = 1, map[uint32]uint32{4: 4, 24: 12, 48: 40}[k.platformSize], 40, 56
				if k.name != "display" {
					want = []uint32{0x11110000, 0x22220000}[:min(2, len(want))]
				}
				if world.Windows() || world.Machine().Name != "i386" { // where handles are aligned to their size
					largest, all = 48, 64
					if k.name == "display" {
						first, platformSize = 2, 48
					}
				}
			}
			if !slices.Equal(object[first:first+len(want)], want) {
				t.Errorf("members are %x, want %x", object[first:first+len(want)], want)
			}
			sizes := object[largest/4:] // after the largest structure, the display's
			if !slices.Equal(sizes[:3], []uint32{4, platformSize, largest}) || sizes[3] < all {
				t.Errorf("the four sizes are %v, want 4, %d, %d and at least %d", sizes[:4], platformSize, largest, all)
			}
			h.Do("destroy_surface")
			h.Do("destroy_instance")
			h.Quit()
		})
	}
}

// holds: WSI-002
func TestUnsupportedPlatform(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface")
	h := w.Start()
	if r := h.Do("create_instance", "ext", "VK_KHR_surface", "ext", "VK_KHR_wayland_surface").Result(); r != extensionNotPresent {
		t.Errorf("result %d", r)
	}
	instance(h, "ext", "VK_KHR_xcb_surface")
	for _, name := range []string{"vkCreateWaylandSurfaceKHR", "vkGetPhysicalDeviceWaylandPresentationSupportKHR", "vkCreateXlibSurfaceKHR"} {
		if h.Do("gipa", "instance", "i", "name", name).Int("ptr") != 0 {
			t.Errorf("%s is there", name)
		}
	}
	if h.Do("gipa", "instance", "i", "name", "vkCreateXcbSurfaceKHR").Int("ptr") == 0 {
		t.Error("vkCreateXcbSurfaceKHR is not there")
	}
	h.Quit()
}

// holds: WSI-003 WSI-027 WSI-036
func TestNoDriverSupportsTheSurface(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface").Script("missing vkCreateXcbSurfaceKHR")
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface")
	h.OK("create_surface", "type", "xcb")
	pd := devices(h)["one"]
	if yes, result := support(h, pd, "s"); yes || result != success {
		t.Errorf("supported %v, result %d", yes, result)
	}
	if r := capabilities(h, pd, "s"); r != extensionNotPresent {
		t.Errorf("capabilities: result %d", r)
	}
	for _, name := range []string{"vkGetPhysicalDeviceSurfaceFormatsKHR", "vkGetPhysicalDeviceSurfacePresentModesKHR"} {
		h.Do("memory", "as", "count", "size", "8", "u32@0", "77")
		if r := h.Do("call", "name", name, "arg", pd, "arg", "s", "arg", "count", "arg", "null").Result(); r != extensionNotPresent {
			t.Errorf("%s: result %d", name, r)
		}
		if count := words(h.Do("peek", "ref", "count", "size", "4").Text("bytes"))[0]; count != 77 {
			t.Errorf("%s: the count became %d", name, count)
		}
	}
	h.Do("destroy_surface")
	h.Do("destroy_instance")
	wantSilence(t, h.Quit())
	if calls := w.Log().Fn("vkGetPhysicalDeviceSurfaceSupportKHR", "vkDestroySurfaceKHR"); len(calls) != 0 {
		t.Errorf("the driver was called: %s", calls)
	}
}

// holds: WSI-004 WSI-005
func TestExtensionNotEnabled(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	var all []string
	for _, k := range kinds {
		all = append(all, k.extension)
	}
	driver(w, "one", all...)
	h := saying(w)
	instance(h)
	var said []string
	for _, k := range kinds {
		a := h.Do("create_surface", "type", k.name, "via", "export")
		wantResult, text := extensionNotPresent, k.extension+" extension not enabled. "+k.command+" not executed!"
		if k.name == "headless" {
			wantResult, text = success, k.extension+" extension not enabled.  "+k.command+" not executed!"
		}
		if a.Result() != wantResult || a.Int("written") != 0 {
			t.Errorf("%s: result %d, written %d", k.name, a.Result(), a.Int("written"))
		}
		said = append(said, text)
	}
	h.Do("destroy_instance")
	wantSaid(t, h.Quit(), said...)
}

// holds: HND-009 HND-011
func TestSurfaceCreationChecksTheInstanceFirst(t *testing.T) {
	t.Parallel()
	for _, k := range append(slices.Clone(kinds), kind{command: "vkDestroySurfaceKHR"}) {
		for _, bad := range []string{"null", "garbage"} {
			t.Run(strings.TrimPrefix(k.command, "vk")+"/"+bad, func(t *testing.T) {
				t.Parallel()
				w := world.New(t)
				driver(w, "one")
				h := w.Start()
				instance(h)
				exit := h.Dies("call", "name", k.command, "via", "export", "arg", bad, "arg", "null", "arg", "null", "arg", "null")
				wantAbort(t, exit, fmt.Sprintf("%[1]s: Invalid instance [VUID-%[1]s-instance-parameter]", k.command))
			})
		}
	}
}

// holds: WSI-009
func TestCreateInfoIsCopied(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface", "VK_KHR_display")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_KHR_display")
	pd := devices(h)["one"]
	xcb(h, "s")
	h.Do("memory", "as", "info_s", "u32@0", "99", "ptr@8", "zeros", "u64@24", "0", "u32@32", "0")
	h.Do("memory", "as", "stereo", "size", "32", "u32@0", "1000551000", "u32@16", "2")
	h.Do("memory", "as", "plane", "size", "80", "u32@0", "1000002001", "ptr@8", "stereo", "u64@24", "0x55")
	h.OK("call", "name", "vkCreateDisplayPlaneSurfaceKHR", "arg", "i", "arg", "plane", "arg", "null", "arg", "out", "as", "p")
	h.Do("memory", "as", "plane", "u32@0", "99", "ptr@8", "null", "u64@24", "0")
	h.Do("memory", "as", "stereo", "u32@0", "99")
	support(h, pd, "s")
	support(h, pd, "p")
	h.Do("destroy_instance")
	h.Quit()
	made := w.Log().Fn("vkCreateXcbSurfaceKHR")
	connection, window, mode := make([]byte, 8), make([]byte, 4), make([]byte, 8)
	world.Order().PutUint64(connection, 0x1234567812345678)
	if world.Narrow() {
		world.Order().PutUint64(connection, 0x12345678)
	}
	world.Order().PutUint32(window, 0x4321)
	if world.MacOS() { // Metal's structure has one pointer
		window = nil
	}
	world.Order().PutUint64(mode, 0x55)
	if len(made) != 1 || made[0].Int("type") != 1000005000 || !strings.HasPrefix(made[0].Text("bytes"), "0000000000000000"+hex.EncodeToString(append(connection, window...))) {
		t.Errorf("the driver got %s", made)
	}
	plane := w.Log().Fn("vkCreateDisplayPlaneSurfaceKHR")
	if len(plane) != 1 || plane[0].Int("type") != 1000002001 || !slices.Equal(plane[0].Ints("next"), []int{1000551000}) || !strings.HasPrefix(plane[0].Text("bytes"), "0000000000000000"+hex.EncodeToString(mode)) {
		t.Errorf("the driver got %s", plane)
	}
}

// holds: WSI-009
func TestUnknownStructures(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	var all, words []string
	for _, k := range kinds {
		all, words = append(all, k.extension), append(words, "ext", k.extension)
	}
	driver(w, "one", all...)
	h := saying(w)
	h.Do("allocator")
	h.OK("create_instance", append([]string{"api", "1.1.0", "ext", "VK_KHR_surface", "allocator", "a"}, words...)...)
	live := h.Do("allocator_stats").Int("live")
	for _, k := range kinds {
		h.Do("memory", "as", "other_"+k.name, "size", "32", "u32@0", "1000011000")
		h.Do("memory", "as", "chained_"+k.name, "size", "80", "u32@0", strconv.Itoa(int(k.sType)), "ptr@8", "other_"+k.name)
		h.Do("memory", "as", "stereo", "size", "32", "u32@0", "1000551000")
		h.Do("memory", "as", "stereo_"+k.name, "size", "80", "u32@0", strconv.Itoa(int(k.sType)), "ptr@8", "stereo")
		infos := []string{"other_" + k.name, "chained_" + k.name}
		if k.name != "display" {
			infos = append(infos, "stereo_"+k.name)
		}
		for _, info := range infos {
			a := h.Do("call", "name", k.command, "arg", "i", "arg", info, "arg", "null", "arg", "out")
			if a.Result() != extensionNotPresent || a.Ints("words")[0] != 0 {
				t.Errorf("%s: result %d, handle %v", info, a.Result(), a.Ints("words"))
			}
		}
	}
	if now := h.Do("allocator_stats").Int("live"); now != live {
		t.Errorf("%d blocks alive, before %d", now, live)
	}
	h.Do("destroy_instance", "allocator", "a")
	exit := h.Quit()
	for _, k := range kinds {
		want := 3
		if k.name == "display" {
			want = 2
		}
		if n := count(exit.Messages(), "Unsupported extension structure in "+k.info+" pNext chain."); n != want {
			t.Errorf("%s: said %d times, want %d", k.name, n, want)
		}
	}
}

func count(list []string, text string) (n int) {
	for _, s := range list {
		if s == text {
			n++
		}
	}
	return n
}

// holds: WSI-010 WSI-011 ALC-013 ALC-037
func TestSurfaceMemory(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one", k.extension)
			driver(w, "two", k.extension)
			h := w.Start()
			h.Do("allocator", "as", "a", "fill", "0xff")
			h.Do("allocator", "as", "other")
			instance(h, "ext", k.extension, "allocator", "a")
			pd := devices(h)
			live := func() int64 { return h.Do("allocator_stats", "name", "a").Int("live") }
			empty := live()
			failures := 0
			for n := 0; ; n++ { // every allocation of the first surface, then of the 33rd, fails once
				h.Do("allocator", "as", "a", "fail_once", strconv.Itoa(n))
				a := h.Do("create_surface", "type", k.name, "allocator", "other", "as", "s0")
				if a.Result() == success {
					break
				}
				if a.Result() != outOfHostMemory {
					t.Fatalf("allocation %d: result %d", n, a.Result())
				}
				failures++
			}
			h.Do("allocator", "as", "a")
			if failures == 0 {
				t.Error("the surface takes no memory from the instance's callbacks")
			}
			for i := 1; i < 32; i++ {
				h.OK("create_surface", "type", k.name, "as", fmt.Sprint("s", i))
			}
			if n := h.Do("allocator_stats", "name", "a").Int("reallocations"); n != 0 {
				t.Errorf("%d growths for 32 surfaces", n)
			}
			full, grown := live(), int64(0)
			for n := 0; ; n++ {
				h.Do("allocator", "as", "a", "fail_once", strconv.Itoa(n))
				if a := h.Do("create_surface", "type", k.name, "as", "s32"); a.Result() == success {
					break
				} else if a.Result() != outOfHostMemory {
					t.Fatalf("33rd, allocation %d: result %d", n, a.Result())
				}
				if now := live(); now != full {
					t.Fatalf("33rd, allocation %d: %d blocks alive, before %d", n, now, full)
				}
			}
			h.Do("allocator", "as", "a")
			if grown = h.Do("allocator_stats", "name", "a").Int("reallocations"); grown < 3 {
				t.Errorf("%d growths; want one of the instance and one of each driver", grown)
			}
			for i := 33; i < 100; i++ {
				h.OK("create_surface", "type", k.name, "as", fmt.Sprint("s", i))
			}
			for i := 0; i < 100; i += 3 {
				if yes, _ := support(h, pd["one"], fmt.Sprint("s", i)); !yes {
					t.Fatalf("surface %d is not supported", i)
				}
			}
			h.Do("allocator", "as", "a", "fail_from", "0") // ALC-040
			for i := 0; i < 100; i++ {
				h.Do("destroy_surface", "name", fmt.Sprint("s", i))
			}
			h.Do("allocator", "as", "a")
			if now := live(); now < empty || now > empty+3 { // the lists may stay allocated
				t.Errorf("%d blocks alive, before %d", now, empty)
			}
			h.Do("destroy_instance", "allocator", "a")
			a, other := h.Do("allocator_stats", "name", "a"), h.Do("allocator_stats", "name", "other")
			if a.Int("live") != 0 || a.Int("faults") != 0 || other.Int("calls") != 0 {
				t.Errorf("left: %v, the surface's own: %v", a, other)
			}
			h.Quit()
			log := w.Log()
			if c, d := len(log.By("one").Fn(k.command)), len(log.By("one").Fn("vkDestroySurfaceKHR")); c != 34 || d != 34 {
				t.Errorf("the driver made %d and destroyed %d, want 34", c, d)
			}
			if n := len(log.By("two").Fn(k.command)); n != 0 {
				t.Errorf("the driver that nobody used made %d surfaces", n)
			}
		})
	}
}
