package chain

import (
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// holds: LAY-365 LAY-366 LAY-367 LAY-368 LAY-370 LAY-371 LAY-372 LAY-373 LAY-374 DEV-044
func TestDevicesOfLayers(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"before", "after", "instead"} {
		for _, wrap := range []string{"", "wrap instance", "wrap instance physdev device"} {
			w := world.New(t)
			w.Driver("a", "device name=a ext=VK_KHR_swapchain")
			w.ExplicitLayer("VK_LAYER_1", "intercept vkCmdDraw")
			f := w.ExplicitLayer("VK_LAYER_2", "own_device "+how, "intercept vkCmdDraw")
			w.ExplicitLayer("VK_LAYER_3", "intercept vkCmdDraw")
			if wrap != "" {
				f.Script(wrap)
			}
			h := w.Start()
			h.OK("create_instance", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2", "layer", "VK_LAYER_3", "ext", "VK_EXT_debug_utils")
			pd := device(h)
			w.ForgetLog()
			h.OK("create_device", "pd", pd, "ext", "VK_KHR_swapchain", "unknown", "999123")
			label := how + ", " + wrap
			own := w.Log().Fn("own device")
			if len(own) != 1 || own[0].Result() != 0 || own[0].Int("gdpa") != 1 {
				t.Fatalf("%s: %v\n%s", label, own, h.Stderr())
			}
			want := []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3", "a", "VK_LAYER_3", "a"}
			if how == "instead" {
				want = want[:4]
			}
			same(t, label, calls(w, "vkCreateDevice"), want)
			for _, made := range entered(w.Log().By("VK_LAYER_3").Fn("vkCreateDevice")) {
				// The new structures come first. With "after", those of the first call follow, whose links are used
				// up.
				if c := made.Objects("chain"); c[0].Int("function") != 1 || c[1].Int("function") != 0 || len(c[1].Objects("links")) != 1 || made.Int("known") != 1 {
					t.Errorf("%s: chain %v", label, made)
				}
			}
			for _, made := range w.Log().By("a").Fn("vkCreateDevice") {
				same(t, label, made.Strings("extensions"), []string{"VK_KHR_swapchain"})
			}
			h.OK("command_buffers")
			w.ForgetLog()
			h.Do("call", "name", "vkCmdDraw", "arg", "c0")
			same(t, label, w.Log().Fn("vkCmdDraw").Who(), []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3", "a"})
			w.ForgetLog()
			h.Do("destroy_device")
			gone := w.Log().By("a").Fn("vkDestroyDevice")
			devices := []string{}
			for _, e := range gone {
				devices = append(devices, e.Text("device"))
			}
			slices.Sort(devices)
			same(t, label, devices, []string{"device:1", "device:2"}[:len(want)/2-1])
			h.Do("destroy_instance")
			h.Quit()
		}
	}
}

// holds: LAY-366 LAY-367 LAY-368 LAY-371 LAY-372 LAY-374 DEV-044
func TestDevicesOfLayersAtAnyTime(t *testing.T) {
	t.Parallel()
	for _, wrap := range []string{"", "wrap instance physdev device"} {
		for _, c := range []struct {
			script string
			chain  []string
			next   string // the layer whose GDPA is returned
		}{
			{"index 0", []string{"VK_LAYER_3", "b"}, "VK_LAYER_3"},
			{"index 1", []string{"VK_LAYER_3", "a"}, "VK_LAYER_3"},
			{"app", []string{"VK_LAYER_3", "b"}, "VK_LAYER_3"},
			{"whole", []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3", "b"}, "VK_LAYER_1"},
		} {
			w := world.New(t)
			w.Driver("a", "device name=a").API("1.1.0")
			w.Driver("b", "device name=b").API("1.1.0")
			w.ExplicitLayer("VK_LAYER_1", "intercept vkQueueWaitIdle")
			f := w.ExplicitLayer("VK_LAYER_2", "intercept vkQueueWaitIdle")
			w.ExplicitLayer("VK_LAYER_3", "intercept vkQueueWaitIdle")
			// a global command does not show that a layer in the middle wraps handles
			if wrap != "" && c.script != "app" {
				f.Script(wrap)
			}
			h := w.Start()
			h.OK("create_instance", "api", "1.1.0", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2", "layer", "VK_LAYER_3")
			devices := h.OK("physical_devices").Ints("devices")
			switch c.script {
			case "app":
				f.Script("own_now app " + address(t, h, world.Ref(devices[0])))
			case "whole":
				f.Script("own_now app " + address(t, h, world.Ref(devices[0])) + " whole")
			default:
				f.Script("own_now " + c.script)
			}
			w.ForgetLog()
			h.OK("physical_devices", "count", "only")
			label := c.script + ", " + wrap
			own := w.Log().Fn("own device")
			if len(own) != 1 || own[0].Result() != 0 {
				t.Fatalf("%s: %v\n%v", label, own, w.Log())
			}
			same(t, label, calls(w, "vkCreateDevice"), c.chain)
			if got := own[0].Text("gdpa"); got != first(t, w, c.next, "vkCreateDevice").Text("own gdpa") {
				t.Errorf("%s: GDPA %s is not that of %s", label, got, c.next)
			}
			same(t, label, w.Log().Fn("vkQueueWaitIdle").Who(), c.chain)
			same(t, label, calls(w, "vkDestroyDevice"), c.chain)
			h.Quit()
		}
	}
	// An invalid instance.
	w := world.New(t)
	w.Driver("a")
	w.ExplicitLayer("VK_LAYER_x", "own_now alien 0")
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_x")
	h.OK("physical_devices", "count", "only")
	if own := w.Log().Fn("own device"); len(own) != 1 || own[0].Result() != -3 {
		t.Errorf("of an instance that is none: %v", own)
	}
	h.Quit()
	// The bottom layer gets the loader's function.
	w = world.New(t)
	w.Driver("a")
	w.ExplicitLayer("VK_LAYER_x", "own_now index 0")
	h = w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_x")
	h.OK("physical_devices", "count", "only")
	h.OK("create_device", "pd", device(h))
	if got, want := w.Log().Fn("own device")[0].Text("gdpa"), links(first(t, w, "VK_LAYER_x", "vkCreateDevice"))[0].Text("gdpa"); got != want {
		t.Errorf("GDPA %s is not the loader's, %s", got, want)
	}
	h.Quit()
}

// holds: LAY-369
func TestExtensionsOfLayersDevices(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a ext=VK_KHR_swapchain")
	w.ExplicitLayer("VK_LAYER_1", "device_ext VK_XX_above")
	// Extensions that the layer itself reports count; those of a layer above do not.
	w.ExplicitLayer("VK_LAYER_2", "own_device after", "device_ext VK_XX_own")
	h := start(w)
	h.OK("create_instance", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2")
	pd := device(h)
	for ext, result := range map[string]int{"VK_XX_own": 0, "VK_KHR_swapchain": 0, "VK_XX_above": extensionNotPresent} {
		w.ForgetLog()
		h.OK("create_device", "as", ext, "pd", pd, "ext", ext)
		if own := w.Log().Fn("own device"); len(own) != 1 || own[0].Result() != result {
			t.Errorf("%s: %v", ext, own)
		}
	}
	exit := h.Quit()
	said(t, exit.Stderr, 1, "ERROR", "loader_validate_device_extensions: Device extension VK_XX_above not supported by selected physical device or enabled layers.")
}

// holds: LAY-375 LAY-377 LAY-378 LAY-379 LAY-380 GPA-075
func TestLoaderData(t *testing.T) {
	t.Parallel()
	for _, wrap := range []string{"", "wrap instance physdev device"} {
		w := world.New(t)
		w.Driver("a")
		names := []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3"}
		var words []string
		for _, name := range names {
			f := w.ExplicitLayer(name, "set_data", "own_buffer", "intercept vkCmdDraw")
			if wrap != "" {
				f.Script(wrap)
			}
			words = append(words, "layer", name)
		}
		h := w.Start()
		h.OK("create_instance", words...)
		h.OK("physical_devices", "count", "1")
		h.OK("create_device", "pd", device(h))
		w.ForgetLog()
		h.OK("create_device", "as", "again", "pd", device(h))
		h.Do("destroy_device", "name", "again")
		var at []string
		for _, e := range w.Log().Fn("data") {
			at = append(at, e.Text("who")+" "+e.Text("when"))
			if e.Result() != 0 || e.Int("same") != 1 || e.Int("beyond") != 0 || !slices.Equal(e.Ints("wrong"), []int{-3, -3, -3, -3}) {
				t.Errorf("%q: %v", wrap, e)
			}
		}
		if len(at) < 8 {
			t.Errorf("only at %v", at)
		}
		// A layer's own command buffer.
		own := w.Log().Fn("own buffer")
		same(t, "own buffer", own.Who(), []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3"})
		for _, e := range own {
			if e.Result() != 0 || e.Int("same") != 1 {
				t.Errorf("%q: %v", wrap, e)
			}
		}
		if e := own[2]; e.Int("word") != 0x01CDC0DE {
			t.Errorf("the terminator filled in the first word of an object that it did not hand out: %v", e)
		}
		draws := w.Log().By("a").Fn("vkCmdDraw")
		if len(draws) != 3 {
			t.Fatalf("%d draws in\n%v", len(draws), w.Log())
		}
		for _, e := range draws {
			if e.Strings("args")[1] != "51" {
				t.Errorf("%v", e)
			}
		}
		h.Quit()
	}
}

// holds: LAY-431
func TestLayersAreCalledInOrder(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a1", "device name=a2", "device name=a3", "result vkCreateFence -2", "result vkDeviceWaitIdle -4", "result vkGetFenceStatus 1").API("1.1.0")
	w.ExplicitLayer("VK_LAYER_1", "intercept *")
	w.ExplicitLayer("VK_LAYER_2", "intercept *", "wrap instance physdev device")
	w.ExplicitLayer("VK_LAYER_3", "intercept *", "remove_device 0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2", "layer", "VK_LAYER_3")
	devices := h.OK("physical_devices").Ints("devices")
	if len(devices) != 2 {
		t.Fatalf("%d devices, want 2", len(devices))
	}
	chain := []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3", "a"}
	for _, fn := range []string{"vkGetPhysicalDeviceFeatures", "vkGetPhysicalDeviceMemoryProperties", "vkGetPhysicalDeviceFeatures2"} {
		w.ForgetLog()
		h.Do("memory", "as", "features", "size", "4096", "u32@0", "1000059000")
		h.Do("call", "name", fn, "arg", world.Ref(devices[1]), "arg", "features")
		same(t, fn, w.Log().Fn(fn).Who(), chain)
	}
	h.OK("create_device", "pd", world.Ref(devices[0]))
	for fn, result := range map[string]int{"vkCreateFence": -2, "vkDeviceWaitIdle": -4, "vkGetFenceStatus": 1, "vkResetFences": 0} {
		w.ForgetLog()
		if got := h.Do("call", "name", fn, "arg", "d", "arg", "5", "arg", "null", "arg", "out").Result(); got != result {
			t.Errorf("%s: result %d, want %d", fn, got, result)
		}
		same(t, fn, w.Log().Fn(fn).Who(), chain)
	}
	h.Quit()
}
