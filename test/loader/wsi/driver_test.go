package wsi

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: WSI-013 WSI-016
func TestOldDriverGetsTheLoadersObject(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"0", "1", "2"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "old", "VK_KHR_xcb_surface").Script("interface 0 " + version)
			h := w.Start()
			instance(h, "ext", "VK_KHR_xcb_surface")
			pd := devices(h)["old"]
			address := xcb(h, "s")
			support(h, pd, "s")
			capabilities(h, pd, "s")
			support(h, pd, "zeros") // a layer's handle
			h.OK("create_device", "pd", pd, "ext", "VK_KHR_swapchain")
			h.OK("create_swapchain", "surface", "s")
			h.Do("destroy_surface")
			h.Do("destroy_instance")
			h.Quit()
			log := w.Log()
			got := append(surfaces(log, "old", "vkGetPhysicalDeviceSurfaceSupportKHR"), surfaces(log, "old", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR")...)
			got = append(got, surfaces(log, "old", "vkCreateSwapchainKHR")...)
			if len(got) != 4 || got[0] != address || got[2] != address || got[3] != address {
				t.Errorf("the driver got %v, want %s", got, address)
			}
			if got[1] == address || !strings.HasPrefix(got[1], "foreign") {
				t.Errorf("a layer's surface arrived as %s", got[1])
			}
			if calls := log.Fn("vkCreateXcbSurfaceKHR", "vkDestroySurfaceKHR"); len(calls) != 0 {
				t.Errorf("the driver was asked for a surface: %s", calls)
			}
		})
	}
}

// Drivers create their own surfaces from interface version 3 on; a direct driver has a version, too.
//
// holds: WSI-013 DRV-095
func TestDriversOfVersionThree(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	direct := w.DirectDriver("brought", "device name=brought type=discrete ext=VK_KHR_swapchain:70", "api 1.1.0", "ext VK_KHR_surface 1",
		"ext VK_KHR_xcb_surface 1")
	driver(w, "three", "VK_KHR_xcb_surface").Script("interface 0 3")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_LUNARG_direct_driver_loading", "direct_mode", "inclusive", "direct", direct.Library)
	pd := devices(h)
	for _, name := range []string{"three", "brought"} {
		xcb(h, "s_"+name)
		h.OK("create_device", "as", "d_"+name, "pd", pd[name], "ext", "VK_KHR_swapchain")
		h.OK("create_swapchain", "as", "sc_"+name, "device", "d_"+name, "surface", "s_"+name)
		support(h, pd[name], "s_"+name)
	}
	h.Quit()
	for _, name := range []string{"three", "brought"} {
		got := append(surfaces(w.Log(), name, "vkCreateSwapchainKHR"), surfaces(w.Log(), name, "vkGetPhysicalDeviceSurfaceSupportKHR")...)
		if !slices.Equal(got, []string{"surface:1", "surface:1"}) {
			t.Errorf("%s got %v, want its own surface", name, got)
		}
	}
}

// holds: WSI-013
func TestSurfaceExtensionNotEnabledOnDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface")
	w.Driver("bare", "device name=bare", "offer vkGetPhysicalDeviceSurfaceSupportKHR", "offer vkCreateXcbSurfaceKHR").API("1.1.0")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["bare"]
	address := xcb(h, "s")
	support(h, pd, "s")
	h.Quit()
	if got := surfaces(w.Log(), "bare", "vkGetPhysicalDeviceSurfaceSupportKHR"); !slices.Equal(got, []string{address}) {
		t.Errorf("the driver got %v, want %s", got, address)
	}
}

// holds: WSI-013 WSI-015 WSI-020 WSI-021
func TestDriverMakesItsOwn(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			for _, name := range []string{"a", "b", "c"} {
				driver(w, name, k.extension)
			}
			h := w.Start()
			h.Do("allocator", "as", "create")
			h.Do("allocator", "as", "destroy")
			instance(h, "ext", k.extension)
			pd := devices(h)
			h.OK("create_surface", "type", k.name, "allocator", "create")
			for range 3 {
				if yes, r := support(h, pd["a"], "s"); !yes || r != success {
					t.Errorf("supported %v, result %d", yes, r)
				}
				capabilities(h, pd["a"], "s")
			}
			h.OK("create_device", "pd", pd["b"], "ext", "VK_KHR_swapchain")
			h.OK("create_swapchain", "surface", "s")
			h.OK("create_swapchain", "surface", "s", "as", "sc2")
			h.Do("destroy_surface", "allocator", "destroy")
			h.Do("destroy_device")
			h.Do("destroy_instance")
			h.Quit()
			log := w.Log()
			for _, name := range []string{"a", "b"} {
				made := log.By(name).Fn(k.command)
				if len(made) != 1 || made[0].Text("instance") != "instance:1" || made[0].Int("type") != int64(k.sType) || made[0].Int("allocator_good") != 1 {
					t.Errorf("%s made %s", name, made)
				}
				gone := log.By(name).Fn("vkDestroySurfaceKHR")
				if len(gone) != 1 || gone[0].Text("surface") != "surface:1" || gone[0].Text("instance") != "instance:1" || gone[0].Int("allocator_good") != 1 {
					t.Errorf("%s destroyed %s", name, gone)
				}
			}
			if calls := log.By("c").Fn(k.command, "vkDestroySurfaceKHR"); len(calls) != 0 {
				t.Errorf("c was called: %s", calls)
			}
			if got := surfaces(log, "b", "vkCreateSwapchainKHR"); !slices.Equal(got, []string{"surface:1", "surface:1"}) {
				t.Errorf("swapchains of %v", got)
			}
			if got := surfaces(log, "a", "vkGetPhysicalDeviceSurfaceSupportKHR"); !slices.Equal(got, []string{"surface:1", "surface:1", "surface:1"}) {
				t.Errorf("queries of %v", got)
			}
		})
	}
}

// holds: WSI-013
func TestPlatformExtensionNotEnabledOnDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface")
	driver(w, "two").Script("offer vkCreateXcbSurfaceKHR")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["two"]
	xcb(h, "s")
	if yes, r := support(h, pd, "s"); yes || r != success {
		t.Errorf("supported %v, result %d", yes, r)
	}
	if r := capabilities(h, pd, "s"); r != extensionNotPresent {
		t.Errorf("result %d", r)
	}
	h.Quit()
	if calls := w.Log().By("two").Fn("vkCreateXcbSurfaceKHR"); len(calls) != 0 {
		t.Errorf("the driver was called: %s", calls)
	}
}

// holds: WSI-014 WSI-027 WSI-036
func TestFailedDriverSurfaceIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface").Script("result vkCreateXcbSurfaceKHR -1000000001 1", "result vkCreateXcbSurfaceKHR -2 2")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["one"]
	xcb(h, "s")
	if r := capabilities(h, pd, "s"); r != -1000000001 {
		t.Errorf("result %d", r)
	}
	if yes, r := support(h, pd, "s"); yes || r != success {
		t.Errorf("supported %v, result %d", yes, r)
	}
	if yes, r := support(h, pd, "s"); !yes || r != success {
		t.Errorf("supported %v, result %d", yes, r)
	}
	h.Do("destroy_surface")
	h.Quit()
	if n := len(w.Log().Fn("vkDestroySurfaceKHR")); n != 1 {
		t.Errorf("destroyed %d times", n)
	}
}

// holds: WSI-015
func TestThreadsShareOneDriverSurface(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface").Script("delay vkCreateXcbSurfaceKHR 200")
	driver(w, "two", "VK_KHR_xcb_surface").Script("delay vkCreateXcbSurfaceKHR 100")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)
	xcb(h, "s")
	script := []string{"as", "all"}
	for _, name := range []string{"one", "two"} {
		script = append(script, "line", world.Line("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", pd[name], "arg", "0", "arg", "s", "arg", "out:4"))
	}
	h.Do("script", script...)
	if bad := h.Do("run", "script", "all", "threads", "8").Int("bad"); bad != 0 {
		t.Errorf("%d threads failed", bad)
	}
	h.Do("destroy_surface")
	h.Quit()
	for _, name := range []string{"one", "two"} {
		log := w.Log().By(name)
		if n := len(log.Fn("vkCreateXcbSurfaceKHR")); n != 1 {
			t.Errorf("%s made %d surfaces", name, n)
		}
		got := surfaces(log, name, "vkGetPhysicalDeviceSurfaceSupportKHR")
		if len(got) != 8 || slices.ContainsFunc(got, func(s string) bool { return s != "surface:1" }) {
			t.Errorf("%s was asked about %v", name, got)
		}
	}
}

// holds: WSI-009 WSI-011 WSI-015 THR-009
func TestThreadsCreateAndDestroySurfaces(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface")
	h := w.Start()
	h.Do("allocator")
	instance(h, "ext", "VK_KHR_xcb_surface", "allocator", "a")
	pd := devices(h)["one"]
	script := []string{"as", "life"}
	for i := range 12 {
		name := "s%t_" + string(rune('a'+i))
		script = append(script, "line", "create_surface type=xcb as="+name,
			"line", "call name=vkGetPhysicalDeviceSurfaceSupportKHR arg="+pd+" arg=0 arg="+name+" arg=out:4")
	}
	for i := range 12 {
		script = append(script, "line", "destroy_surface name=s%t_"+string(rune('a'+i)))
	}
	h.Do("script", script...)
	if bad := h.Do("run", "script", "life", "threads", "8", "times", "5").Int("bad"); bad != 0 {
		t.Errorf("%d threads failed", bad)
	}
	h.Do("destroy_instance", "allocator", "a")
	if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
		t.Errorf("left: %v", a)
	}
	h.Quit()
	if c, d := len(w.Log().Fn("vkCreateXcbSurfaceKHR")), len(w.Log().Fn("vkDestroySurfaceKHR")); c != 480 || d != 480 {
		t.Errorf("made %d, destroyed %d, want 480", c, d)
	}
	for _, e := range w.Log().Fn("vkDestroySurfaceKHR") {
		if strings.HasPrefix(e.Text("surface"), "dead") || strings.HasPrefix(e.Text("surface"), "foreign") {
			t.Fatalf("destroyed %s", e.Text("surface"))
		}
	}
}

// holds: WSI-017 WSI-018
func TestSurfaceFunctionsAreAskedForAtCreation(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "new").Script("log_lookups")
	old := driver(w, "old", "VK_KHR_xcb_surface").Script("interface 0 2")
	h := saying(w)
	instance(h)
	var asked []string
	for _, e := range w.Log().By("new").Fn("vk_icdGetInstanceProcAddr") {
		if e.Text("handle") == "instance:1" {
			asked = append(asked, e.Text("name"))
		}
	}
	for _, k := range kinds {
		if !slices.Contains(asked, k.command) {
			t.Errorf("%s was not asked for", k.command)
		}
	}
	text := "terminator_CreateInstance: Driver " + old.Library + " supports interface version 2 but still exposes VkSurfaceKHR create/destroy entrypoints (Policy #LDP_DRIVER_8)"
	if exit := h.Quit(); count(exit.Messages(), text) != 1 || strings.Contains(exit.Stderr, "new.so supports interface") {
		t.Errorf("said: %s", exit.Stderr)
	}
}

// holds: WSI-019 WSI-022 WSI-023 DBG-033
func TestSurfacesLeftAlive(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface")
	driver(w, "two", "VK_KHR_xcb_surface")
	h := w.Start()
	h.Do("allocator", "as", "own")
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["one"]
	h.OK("create_surface", "type", "xcb", "as", "s1", "allocator", "own")
	h.OK("create_surface", "type", "xcb", "as", "s2")
	h.OK("create_surface", "type", "xcb", "as", "s3")
	h.Do("call", "name", "vkDestroySurfaceKHR", "arg", "i", "arg", "null", "arg", "null")
	support(h, pd, "s1")
	support(h, pd, "s2")
	h.Do("destroy_instance")
	h.Quit()
	log := w.Log().By("one").Fn("vkDestroySurfaceKHR", "vkDestroyInstance")
	if got := log.Names(); !slices.Equal(got, []string{"one vkDestroySurfaceKHR", "one vkDestroySurfaceKHR", "one vkDestroyInstance"}) {
		t.Fatalf("the driver saw %v", got)
	}
	if log[0].Int("allocator_good") != 1 || !log[1].IsNull("allocator") || log[2].Int("surfaces") != 0 {
		t.Errorf("the driver saw %s", log)
	}
	if n := len(w.Log().By("two").Fn("vkDestroySurfaceKHR")); n != 0 {
		t.Errorf("the other driver destroyed %d", n)
	}
}

// holds: WSI-029
func TestEveryPairingOfSurfaceTypes(t *testing.T) {
	t.Parallel()
	for _, first := range kinds {
		t.Run(first.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "first", first.extension)
			var names []string
			ext := []string{"ext", first.extension}
			for _, k := range kinds {
				if k.name != first.name {
					driver(w, k.name, k.extension)
					names = append(names, k.name)
					ext = append(ext, "ext", k.extension)
				}
			}
			w.Driver("none", "device name=none").API("1.1.0")
			h := w.Start()
			instance(h, ext...)
			pd := devices(h)
			h.OK("create_surface", "type", first.name)
			if yes, r := support(h, pd["first"], "s"); !yes || r != success {
				t.Errorf("first: supported %v, result %d", yes, r)
			}
			for _, name := range append(names, "none") {
				if yes, r := support(h, pd[name], "s"); yes || r != success {
					t.Errorf("%s: supported %v, result %d", name, yes, r)
				}
			}
			h.Quit()
		})
	}
}

// holds: WSI-056 WSI-071
func TestOneSurfaceForDevicesOfSeveralDrivers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "a", "VK_KHR_xcb_surface")
	driver(w, "b", "VK_KHR_xcb_surface")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)
	xcb(h, "unused")
	xcb(h, "s")
	support(h, pd["a"], "unused")
	for _, name := range []string{"a", "b"} {
		h.OK("create_device", "pd", pd[name], "ext", "VK_KHR_swapchain", "as", "d"+name)
		h.OK("create_swapchain", "device", "d"+name, "surface", "s", "as", "sc"+name)
	}
	h.Quit()
	if a, b := surfaces(w.Log(), "a", "vkCreateSwapchainKHR"), surfaces(w.Log(), "b", "vkCreateSwapchainKHR"); !slices.Equal(a, []string{"surface:2"}) || !slices.Equal(b, []string{"surface:1"}) {
		t.Errorf("a got %v, b got %v", a, b)
	}
}

// The loader has created surfaces, but not this handle: no driver receives it.
//
// holds: WSI-013 WSI-016 WSI-027 WSI-036
func TestSurfaceOfNobody(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["one"]
	xcb(h, "s")
	for range 2 { // before and after the driver has created a surface
		if yes, r := support(h, pd, "zeros"); yes || r != success {
			t.Errorf("supported %v, result %d", yes, r)
		}
		if r := capabilities(h, pd, "zeros"); r != extensionNotPresent {
			t.Errorf("result %d", r)
		}
		support(h, pd, "s")
	}
	h.Do("destroy_surface")
	if r := capabilities(h, pd, "zeros"); r != extensionNotPresent {
		t.Errorf("no surface any more: result %d", r)
	}
	h.Quit()
	if got := surfaces(w.Log(), "one", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR"); len(got) != 0 {
		t.Errorf("the driver was asked about %v", got)
	}
}

// A child forked while a driver creates a surface waits for no thread: its driver creates another surface.
//
// holds: WSI-015
func TestForkInsideADriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface").Script("perform vkCreateXcbSurfaceKHR parent 1")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["one"]
	xcb(h, "s")
	ask := world.Line("call", "name", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "arg", pd, "arg", "s", "arg", "out:52")
	h.Do("script", "as", "child", "line", ask, "line", "destroy_surface name=s")
	h.Do("script", "as", "parent", "line", "fork script=child")
	if r := capabilities(h, pd, "s"); r != success {
		t.Errorf("result %d", r)
	}
	forked := h.Do("performed")["scripts"].([]any)
	if len(forked) != 1 {
		t.Fatalf("performed: %v", forked)
	}
	if a := world.Answer(forked[0].([]any)[0].(map[string]any)); a.Int("exit") != 0 || a.Int("late") != 0 {
		t.Errorf("the child: %v", a)
	}
	h.Do("destroy_surface")
	h.Quit()
	made, gone := w.Log().Fn("vkCreateXcbSurfaceKHR"), w.Log().Fn("vkDestroySurfaceKHR")
	if len(made) != 2 || len(gone) != 2 || made[0].Int("pid") == made[1].Int("pid") {
		t.Errorf("made %s, destroyed %s", made, gone)
	}
}

// An enumeration finds that a driver has lost its devices while a surface is destroyed in it: the driver stays
// (PHY-048).
//
// holds: PHY-048 WSI-020 THR-009
func TestSurfaceDestroyedInALostDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := driver(w, "one", "VK_KHR_xcb_surface")
	driver(w, "two", "VK_KHR_xcb_surface")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)
	xcb(h, "s")
	for _, d := range pd {
		support(h, d, "s")
	}
	h.EnumerateInside()
	one.Replace("api 1.1.0", "ext VK_KHR_surface 1", "ext VK_KHR_xcb_surface 1", "perform vkDestroySurfaceKHR inside")
	h.Do("destroy_surface")
	h.Joined()
	if got := w.Log().By("one").Fn("vkDestroySurfaceKHR", "vkDestroyInstance").Names(); !slices.Equal(got, []string{"one vkDestroySurfaceKHR"}) {
		t.Errorf("the driver saw %s", got)
	}
	h.Do("destroy_instance")
	h.Quit()
}

// A driver queries the loader about a surface while it creates it: the surface does not exist yet, and there is no
// thread to wait for.
//
// holds: WSI-015
func TestDriverAsksAboutItsSurface(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface").Script("perform vkCreateXcbSurfaceKHR inside 1")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["one"]
	xcb(h, "s")
	h.Do("script", "as", "inside", "line", world.Line("call", "name", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "arg", pd, "arg", "s", "arg", "out:52"))
	if r := capabilities(h, pd, "s"); r != success {
		t.Errorf("result %d", r)
	}
	performed := h.Do("performed").Lists("scripts")
	if len(performed) != 1 || len(performed[0]) != 1 || performed[0][0].Result() != initFailed {
		t.Errorf("the driver got %v", performed)
	}
	h.Do("destroy_surface")
	h.Do("destroy_instance")
	h.Quit()
}

// A thread waits for another thread, which creates a driver's surface and fails. The thread then creates the surface itself, also if an
// enumeration has changed the devices meanwhile.
//
// holds: PHY-048 WSI-015 THR-009
func TestDriverLosesItsDeviceWhileAThreadWaits(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := driver(w, "one", "VK_KHR_xcb_surface")
	driver(w, "two", "VK_KHR_xcb_surface")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)
	xcb(h, "s")
	h.Do("script", "as", "wait", "line", world.Line("call", "name", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "arg", pd["one"], "arg", "s", "arg", "out:52"))
	h.Do("script", "as", "enumerate", "line", "physical_devices")
	h.Do("script", "as", "inside", "line", "spawn script=wait", "line", "settle", "line", "spawn script=enumerate", "line", "settle")
	one.Replace("api 1.1.0", "ext VK_KHR_surface 1", "ext VK_KHR_xcb_surface 1", "result vkCreateXcbSurfaceKHR -2 1", "perform vkCreateXcbSurfaceKHR inside 1")
	if r := capabilities(h, pd["one"], "s"); r != -2 {
		t.Errorf("result %d", r)
	}
	if a := h.Do("join"); len(a.Objects("answers")) != 1 || a.Objects("answers")[0].Result() != success {
		t.Errorf("the thread that waited: %v", a)
	}
	h.Joined()
	h.Do("destroy_surface")
	if got := w.Log().By("one").Fn("vkCreateXcbSurfaceKHR", "vkDestroySurfaceKHR", "vkDestroyInstance").Names(); !slices.Equal(got,
		[]string{"one vkCreateXcbSurfaceKHR", "one vkCreateXcbSurfaceKHR", "one vkDestroySurfaceKHR"}) {
		t.Errorf("the driver saw %v", got)
	}
	h.Do("destroy_instance")
	h.Quit()
}
