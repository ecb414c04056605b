package debug

import (
	"slices"
	"strconv"
	"testing"

	"vkloader/test/lib/world"
)

// naming is one of the four commands: the members with type and handle, and the numbers of the converted types.
type naming struct {
	name                              string
	sType                             string
	instance, physicalDevice, surface int
	buffer, device                    int
}

var namings = []naming{
	{"vkSetDebugUtilsObjectNameEXT", "1000128000", 1, 2, 1000000000, 9, 3},
	{"vkSetDebugUtilsObjectTagEXT", "1000128001", 1, 2, 1000000000, 9, 3},
	{"vkDebugMarkerSetObjectNameEXT", "1000022000", 1, 2, 26, 9, 3},
	{"vkDebugMarkerSetObjectTagEXT", "1000022001", 1, 2, 26, 9, 3},
}

func (n naming) marker() bool { return n.sType < "1000100000" }

// call names an object; the structure must not change.
func (n naming) call(t *testing.T, h *world.Host, device string, objectType int, handle string, via ...string) int {
	t.Helper()
	h.Do("memory", "as", "naming", "size", "72", "u32@0", n.sType, "u32@16", strconv.Itoa(objectType), "ptr@24", handle, "ptr@32", "zeros")
	before := h.Do("peek", "ref", "naming", "size", "72").Text("bytes")
	words := append([]string{"name", n.name, "instance", "i", "device", device, "arg", device, "arg", "naming"}, via...)
	result := h.Do("call", words...).Result()
	if after := h.Do("peek", "ref", "naming", "size", "72").Text("bytes"); after != before {
		t.Errorf("%s changed the program's structure", n.name)
	}
	return result
}

// named creates an instance with two drivers, devices d1 and d2 on each, a surface s and a queue.
func named(t *testing.T, lines ...string) (*world.World, *world.Host, map[string]string) {
	w := world.New(t)
	for _, name := range []string{"one", "two"} {
		driver(w, name, append([]string{"ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1"}, lines...)...).
			Script("device name=" + name + "2 ext=VK_KHR_swapchain:70,VK_EXT_debug_marker:4")
	}
	h := w.Start()
	instance(h, "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface")
	pd := map[string]string{}
	for _, n := range h.OK("physical_devices").Ints("devices") {
		pd[h.Do("properties", "pd", world.Ref(n)).Text("name")] = world.Ref(n)
	}
	h.OK("create_surface")
	h.OK("create_device", "pd", pd["one2"], "ext", "VK_KHR_swapchain", "ext", "VK_EXT_debug_marker", "as", "d1")
	h.OK("create_device", "pd", pd["two2"], "ext", "VK_KHR_swapchain", "ext", "VK_EXT_debug_marker", "as", "d2")
	h.OK("create_device", "pd", pd["one2"], "ext", "VK_EXT_debug_marker", "as", "d3") // without swapchains
	return w, h, pd
}

// holds: DBG-048 DBG-049 DBG-050 DBG-051 DBG-052 DBG-055 DEV-054 LAY-386
func TestNames(t *testing.T) {
	t.Parallel()
	for _, n := range namings {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			w, h, pd := named(t)
			h.Do("get_queue", "device", "d1")
			for _, via := range []string{"gipa", "gdpa"} {
				w.ForgetLog()
				n.call(t, h, "d1", n.instance, "i", "via", via)
				n.call(t, h, "d2", n.instance, "i", "via", via)
				n.call(t, h, "d1", n.physicalDevice, pd["one"], "via", via)
				n.call(t, h, "d2", n.physicalDevice, pd["two2"], "via", via)
				n.call(t, h, "d1", n.surface, "s", "via", via)
				n.call(t, h, "d2", n.surface, "s", "via", via)
				n.call(t, h, "d1", n.device, "d1", "via", via)
				n.call(t, h, "d1", 4, "q", "via", via)
				n.call(t, h, "d1", n.buffer, "0x1234", "via", via)
				var got []string
				for _, e := range w.Log().Fn(n.name) {
					got = append(got, e.Text("who")+" "+e.Text("device")+" "+e.Strings("object")[0])
				}
				want := []string{"one device:1 instance:1", "two device:1 instance:1", "one device:1 physical_device:1", "two device:1 physical_device:2",
					"one device:1 surface:1", "two device:1 surface:1", "one device:1 device:1", "one device:1 queue:1", "one device:1 4660"}
				// The drivers number physical devices in the order in which they reported them.
				if !slices.Equal(got, want) {
					t.Errorf("the drivers saw %q,\nwant %q", got, want)
				}
			}
			w.ForgetLog()
			n.call(t, h, "d3", n.surface, "s")
			if got := w.Log().Fn(n.name); len(got) != 1 || got[0].Text("who") != "one" || slices.Equal(got[0].Strings("object"), []string{"surface:1"}) {
				t.Errorf("without swapchains the driver saw %s", got)
			}
			// This driver has no handle for a physical device of the other driver.
			w.ForgetLog()
			if r := n.call(t, h, "d1", n.physicalDevice, pd["two"]); r != 0 || len(w.Log().Fn(n.name)) != 0 {
				t.Errorf("result %d, the drivers saw %s", r, w.Log())
			}
			h.Quit()
		})
	}
}

// holds: DBG-051
func TestNameOfSurfaceThatTheDriverCannotMake(t *testing.T) {
	t.Parallel()
	w, h, _ := named(t, "result vkCreateHeadlessSurfaceEXT -1")
	if r := namings[0].call(t, h, "d1", 1000000000, "s"); r != 0 {
		t.Errorf("result %d", r)
	}
	h.Quit()
	if got := w.Log().Fn("vkSetDebugUtilsObjectNameEXT"); len(got) != 1 || got[0].Strings("object")[0] == "surface:1" {
		t.Errorf("the driver saw %s", got)
	}
}

// holds: DBG-054 DEV-055 THR-005
func TestDriverLacksNaming(t *testing.T) {
	t.Parallel()
	for _, n := range namings {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			w, h, pd := named(t, "missing "+n.name)
			for objectType, handle := range map[int]string{n.instance: "i", n.physicalDevice: pd["one"], n.surface: "s", n.buffer: "77"} {
				if r := n.call(t, h, "d1", objectType, handle); r != 0 {
					t.Errorf("type %d: result %d", objectType, r)
				}
			}
			h.Quit()
			if calls := w.Log().Fn("vkCreateHeadlessSurfaceEXT"); len(calls) != 0 {
				t.Errorf("a surface was made for nothing: %s", calls)
			}
		})
	}
}

// holds: DBG-055
func TestResultOfNaming(t *testing.T) {
	t.Parallel()
	for _, n := range namings {
		_, h, _ := named(t, "result "+n.name+" -2")
		if r := n.call(t, h, "d1", n.buffer, "77"); r != -2 {
			t.Errorf("%s: result %d", n.name, r)
		}
		h.Quit()
	}
}

// holds: DBG-056 DBG-057
func TestMarkerNotEnabled(t *testing.T) {
	t.Parallel()
	for _, n := range namings {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("plain", "device name=plain ext=VK_EXT_debug_marker:4", "missing "+n.name)
			h := w.Start()
			instance(h)
			h.OK("create_device", "pd", world.Ref(h.OK("physical_devices").Ints("devices")[0]), "as", "d")
			there := h.Do("gdpa", "device", "d", "name", n.name).Int("ptr") != 0
			if there == n.marker() {
				t.Errorf("vkGetDeviceProcAddr: there %v", there)
			}
			if n.marker() {
				h.Do("memory", "as", "naming", "size", "72", "u32@0", n.sType)
				if exit := h.Dies("call", "name", n.name, "instance", "i", "via", "gipa", "arg", "d", "arg", "naming"); exit.Signal == 0 {
					t.Errorf("ended with code %d", exit.Code)
				}
				return
			}
			if r := n.call(t, h, "d", n.device, "d"); r != 0 {
				t.Errorf("result %d", r)
			}
			h.OK("create_instance", "as", "without")
			h.OK("create_device", "pd", world.Ref(h.OK("physical_devices", "instance", "without").Ints("devices")[0]), "as", "d_without")
			if h.Do("gdpa", "device", "d_without", "name", n.name).Int("ptr") != 0 {
				t.Error("there without the instance's extension")
			}
			h.Quit()
		})
	}
}

var labels = []struct{ name, handle string }{
	{"vkQueueBeginDebugUtilsLabelEXT", "q"}, {"vkQueueEndDebugUtilsLabelEXT", "q"}, {"vkQueueInsertDebugUtilsLabelEXT", "q"},
	{"vkCmdBeginDebugUtilsLabelEXT", "c0"}, {"vkCmdEndDebugUtilsLabelEXT", "c0"}, {"vkCmdInsertDebugUtilsLabelEXT", "c0"},
}

// holds: DBG-058
func TestLabels(t *testing.T) {
	t.Parallel()
	w, h, _ := named(t)
	h.Do("get_queue", "device", "d1")
	h.OK("command_buffers", "device", "d1", "instance", "i")
	h.Do("memory", "as", "label", "size", "48", "u32@0", "1000128002")
	for _, l := range labels {
		for _, via := range []string{"gipa", "gdpa"} {
			h.Do("call", "name", l.name, "instance", "i", "device", "d1", "via", via, "arg", l.handle, "arg", "label")
		}
	}
	h.Quit()
	for _, l := range labels {
		got := w.Log().Fn(l.name)
		want := map[string]string{"q": "queue:1", "c0": "command_buffer:1"}[l.handle]
		if len(got) != 2 || got[0].Strings("args")[0] != want || got[1].Strings("args")[0] != want {
			t.Errorf("%s: the driver saw %s", l.name, got)
		}
		if begins := l.name[len(l.name)-len("EndDebugUtilsLabelEXT"):] != "EndDebugUtilsLabelEXT"; begins && got[0].Strings("args")[1] != got[1].Strings("args")[1] {
			t.Errorf("%s: the label arrived as %v and %v", l.name, got[0].Strings("args")[1], got[1].Strings("args")[1])
		}
	}
}

// holds: DBG-059
func TestWrappedHandlesReachTheLowerEnd(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, n := range namings {
		want[n.name] = n.name[2:] + ": Invalid device handle"
	}
	for name, text := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, h, _ := named(t)
			h.Do("memory", "as", "wrapper", "size", "512", "ptr@0", world.Ref(int(h.Do("peek", "ref", "d1").Int("ptr"))))
			exit := h.Dies("call", "name", name, "instance", "i", "via", "gipa", "arg", "wrapper", "arg", "zeros")
			if exit.Signal.String() != "aborted" || !slices.Contains(exit.Messages(), text) {
				t.Errorf("signal %v, standard error %q", exit.Signal, exit.Stderr)
			}
		})
	}
}

// holds: HND-021
func TestDeviceOfNamingIsChecked(t *testing.T) {
	t.Parallel()
	for _, n := range namings {
		for _, bad := range []string{"null", "zeros", "garbage"} {
			t.Run(n.name+"/"+bad, func(t *testing.T) {
				t.Parallel()
				_, h, _ := named(t)
				exit := h.Dies("call", "name", n.name, "instance", "i", "via", "gipa", "arg", bad, "arg", "null")
				if text := n.name + ": Invalid device [VUID-" + n.name + "-device-parameter]"; exit.Signal.String() != "aborted" || !slices.Contains(exit.Messages(), text) {
					t.Errorf("signal %v, standard error %q", exit.Signal, exit.Stderr)
				}
			})
		}
	}
}

// holds: THR-004 THR-005
func TestThreadsNameObjects(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "quiet *")
	w.Driver("two", "device name=two")
	h := w.Start()
	instance(h)
	script := []string{"as", "life"}
	for i, n := range h.OK("physical_devices").Ints("devices") {
		d := "d%t_" + strconv.Itoa(i)
		script = append(script, "line", "create_device as="+d+" pd="+world.Ref(n))
		for range 50 {
			script = append(script, "line", "set_name instance=i via=gipa type=3 device="+d+" handle="+d+" name=x")
		}
		script = append(script, "line", "destroy_device name="+d)
	}
	h.Do("script", script...)
	if bad := h.Do("run", "script", "life", "threads", "4", "times", "20").Int("bad"); bad != 0 {
		t.Errorf("%d threads failed", bad)
	}
	h.Do("destroy_instance")
	h.Quit()
}
