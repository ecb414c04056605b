package wsi

import (
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// holds: WSI-012
func TestWrappedSurfaces(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one", k.extension, "VK_KHR_get_surface_capabilities2")
			w.ExplicitLayer("VK_LAYER_test_upper", "wrap instance physdev device surface")
			w.ExplicitLayer("VK_LAYER_test_lower", "wrap surface")
			h := saying(w)
			instance(h, "layer", "VK_LAYER_test_upper", "layer", "VK_LAYER_test_lower", "ext", k.extension, "ext", "VK_KHR_get_surface_capabilities2")
			pd := devices(h)["one"]
			h.OK("create_surface", "type", k.name)
			if yes, r := support(h, pd, "s"); !yes || r != success {
				t.Errorf("supported %v, result %d", yes, r)
			}
			if r := capabilities(h, pd, "s"); r != success {
				t.Errorf("result %d", r)
			}
			h.Do("memory", "as", "count", "size", "8", "u32@0", "0")
			h.OK("call", "name", "vkGetPhysicalDeviceSurfaceFormatsKHR", "arg", pd, "arg", "s", "arg", "count", "arg", "null")
			h.OK("call", "name", "vkGetPhysicalDeviceSurfacePresentModesKHR", "arg", pd, "arg", "s", "arg", "count", "arg", "null")
			asked(h, false, "modes")
			h.OK("call", "name", capabilities2, "arg", pd, "arg", "info", "arg", "caps")
			h.OK("create_device", "pd", pd, "ext", "VK_KHR_swapchain")
			for _, via := range []string{"export", "gdpa"} {
				h.OK("create_swapchain", "surface", "s", "via", via, "as", via)
			}
			h.Do("destroy_surface")
			h.Do("destroy_device")
			h.Do("destroy_instance")
			wantSilence(t, h.Quit())
			log := w.Log().By("one")
			n := 0
			for _, e := range log {
				if e.Text("surface") != "" {
					n++
					if e.Text("surface") != "surface:1" {
						t.Errorf("the driver saw %v", e)
					}
				}
			}
			if n != 8 || len(log.Fn("vkDestroySurfaceKHR")) != 1 || !slices.Equal(surfaces(log, "one", "vkCreateSwapchainKHR"), []string{"surface:1", "surface:1"}) {
				t.Errorf("the driver saw %s", log)
			}
		})
	}
}
