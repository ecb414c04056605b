package debug

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: DBG-027 DBG-032
func TestWrappedCallbacks(t *testing.T) {
	t.Parallel()
	for _, s := range sorts {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one")
			w.ExplicitLayer("VK_LAYER_test_upper", "wrap "+s.made)
			w.ExplicitLayer("VK_LAYER_test_lower", "wrap instance "+s.made)
			h := w.Start()
			h.Do("allocator")
			instance(h, "layer", "VK_LAYER_test_upper", "layer", "VK_LAYER_test_lower", "allocator", "a")
			for range 3 {
				h.OK(s.create, "as", "x")
				h.OK(s.create, "as", "y", "allocator", "a")
				a := h.Do("submit_message", "text", "hello")
				if len(to(a, "x")) != 1 || len(to(a, "y")) != 1 {
					t.Errorf("received %v", a.Received())
				}
				h.Do(s.destroy, "name", "x")
				h.Do(s.destroy, "name", "y", "allocator", "a")
				if a := h.Do("submit_message", "text", "hello"); len(a.Received()) != 0 {
					t.Errorf("received %v", a.Received())
				}
			}
			h.Do("destroy_instance", "allocator", "a")
			if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
				t.Errorf("left %v", a)
			}
			h.Quit()
			gone := w.Log().By("one").Fn(s.destroyCommand)
			if len(gone) != 6 {
				t.Errorf("the driver destroyed %d", len(gone))
			}
			for _, e := range gone {
				if !strings.HasPrefix(e.Text("object"), s.made+":") || e.Text("instance") != "instance:1" {
					t.Errorf("the driver saw %v", e)
				}
			}
		})
	}
}

// holds: DBG-049 DBG-050 DBG-053 LAY-386 DEV-054
func TestNamesThroughWrappingLayers(t *testing.T) {
	t.Parallel()
	for _, n := range namings {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1").
				Replace("ext VK_EXT_debug_utils 2", "ext VK_EXT_debug_report 10", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1", "device name=one ext=VK_KHR_swapchain:70,VK_EXT_debug_marker:4")
			w.ExplicitLayer("VK_LAYER_test_upper", "wrap instance physdev device surface")
			w.ExplicitLayer("VK_LAYER_test_lower", "wrap instance physdev device surface")
			h := w.Start()
			instance(h, "layer", "VK_LAYER_test_upper", "layer", "VK_LAYER_test_lower", "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface")
			pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
			h.OK("create_surface")
			h.OK("create_device", "pd", pd, "ext", "VK_KHR_swapchain", "ext", "VK_EXT_debug_marker", "as", "d")
			for _, via := range []string{"gipa", "gdpa"} {
				for _, c := range []struct {
					objectType         int
					handle, want, seen string
				}{
					{n.instance, "i", "instance:1", "instance:1"}, {n.physicalDevice, pd, "physical_device:1", "physical_device:1"},
					{n.surface, "s", "surface:1", "surface:1"}, {n.device, "d", "device:1", "device:1"},
				} {
					w.ForgetLog()
					if r := n.call(t, h, "d", c.objectType, c.handle, "via", via); r != 0 {
						t.Errorf("result %d", r)
					}
					log := w.Log().Fn(n.name)
					if len(log) != 3 || log[0].Text("who") != "VK_LAYER_test_upper" || log[1].Text("who") != "VK_LAYER_test_lower" || log[2].Text("who") != "one" {
						t.Fatalf("%s: seen by %v", c.seen, log.Names())
					}
					for _, e := range log[:2] {
						if e.Text("object") != c.seen || e.Text("device") != "device:1" {
							t.Errorf("%s: %s saw %v", c.seen, e.Text("who"), e)
						}
					}
					if log[2].Strings("object")[0] != c.want || log[2].Text("device") != "device:1" {
						t.Errorf("%s: the driver saw %v", c.seen, log[2])
					}
				}
			}
			h.Quit()
		})
	}
}
