package chain

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: LAY-406 LAY-407 LAY-408
func TestInstanceCommandsOfLayers(t *testing.T) {
	t.Parallel()
	bytes := make([]byte, 4)
	world.Order().PutUint32(bytes, 4711)
	number := hex.EncodeToString(bytes)
	for _, enabled := range [][]string{{}, {"VK_EXT_direct_mode_display"}, {"VK_EXT_display_surface_counter"}, {"VK_EXT_direct_mode_display", "VK_EXT_display_surface_counter"}} {
		for _, wrap := range []string{"", "wrap instance physdev"} {
			w := world.New(t)
			w.Driver("a", "device name=a", "ext VK_KHR_surface")
			w.ExplicitLayer("VK_LAYER_above")
			f := w.ExplicitLayer("VK_LAYER_x", "offer_with VK_EXT_direct_mode_display vkReleaseDisplayEXT", "terminal vkReleaseDisplayEXT",
				"offer_with VK_EXT_display_surface_counter vkGetPhysicalDeviceSurfaceCapabilities2EXT", "terminal vkGetPhysicalDeviceSurfaceCapabilities2EXT",
				"result vkReleaseDisplayEXT -1000000000", "write vkGetPhysicalDeviceSurfaceCapabilities2EXT 2 0 u32 4711", "return vkGetPhysicalDeviceSurfaceCapabilities2EXT -8").
				Set("instance_extensions", extensions("VK_EXT_direct_mode_display", "VK_EXT_display_surface_counter"))
			if wrap != "" {
				f.Script(wrap)
			}
			h := w.Start()
			words := []string{"layer", "VK_LAYER_above", "layer", "VK_LAYER_x", "ext", "VK_KHR_surface"}
			for _, e := range enabled {
				words = append(words, "ext", e)
			}
			h.OK("create_instance", words...)
			pd := device(h)
			for name, ext := range map[string]string{"vkReleaseDisplayEXT": enabled1, "vkGetPhysicalDeviceSurfaceCapabilities2EXT": enabled2} {
				p := pointer(h, "i", name)
				if (p != 0) != slices.Contains(enabled, ext) {
					t.Errorf("with %v: %s is %d", enabled, name, p)
				}
				if p == 0 {
					continue
				}
				w.ForgetLog()
				if name == "vkReleaseDisplayEXT" {
					if got := h.Do("call", "pointer", world.Ref(p), "arg", pd, "arg", "99").Result(); got != -1000000000 {
						t.Errorf("%s: result %d", name, got)
					}
				} else if a := h.Do("call", "pointer", world.Ref(p), "arg", pd, "arg", "null", "arg", "out:64"); a.Result() != -8 || !strings.HasPrefix(a.Strings("outs")[0], number) {
					t.Errorf("%s: %v", name, a)
				}
				same(t, name, w.Log().Names(), []string{"VK_LAYER_x " + name})
				if got := w.Log()[0].Strings("args")[0]; wrap != "" && !strings.HasPrefix(got, "physical_device:") {
					t.Errorf("%s: the layer got %s, not its own handle", name, got)
				}
			}
			h.Quit()
		}
	}
}

const (
	enabled1 = "VK_EXT_direct_mode_display"
	enabled2 = "VK_EXT_display_surface_counter"
)

// holds: LAY-409 LAY-410 LAY-411 LAY-412 LAY-413 GPA-053
func TestDeviceCommandsOfLayers(t *testing.T) {
	t.Parallel()
	functions := map[string]string{"vkTrimCommandPoolKHR": "VK_KHR_maintenance1", "vkSetDeviceMemoryPriorityEXT": "VK_EXT_pageable_device_local_memory",
		"vkGetSwapchainStatusKHR": "VK_KHR_shared_presentable_image"}
	for _, enabled := range []string{"", "VK_KHR_maintenance1", "VK_EXT_pageable_device_local_memory", "VK_KHR_shared_presentable_image"} {
		for _, wrap := range []string{"", "wrap device"} {
			w := world.New(t)
			w.Driver("a")
			f := w.ExplicitLayer("VK_LAYER_x").Set("device_extensions", extensions("VK_KHR_maintenance1", "VK_EXT_pageable_device_local_memory", "VK_KHR_shared_presentable_image"))
			for name, ext := range functions {
				f.Script("offer_with "+ext+" "+name, "terminal "+name, "return "+name+" -4")
			}
			if wrap != "" {
				f.Script(wrap)
			}
			h := w.Start()
			h.OK("create_instance", "layer", "VK_LAYER_x")
			pd := device(h)
			early := map[string]int{}
			for name := range functions {
				if early[name] = pointer(h, "i", name); early[name] == 0 {
					t.Errorf("%s not found before there is a device", name)
				}
			}
			words := []string{"pd", pd}
			if enabled != "" {
				words = append(words, "ext", enabled)
			}
			h.OK("create_device", words...)
			for name, ext := range functions {
				if p := pointer(h, "i", name); p != early[name] {
					t.Errorf("%s: pointer %d, before %d", name, p, early[name])
				}
				p := int(h.Do("gdpa", "device", "d", "name", name).Int("ptr"))
				if (p != 0) != (ext == enabled) {
					t.Errorf("with %q: GDPA(%s) is %d", enabled, name, p)
				}
				if ext != enabled {
					continue
				}
				w.ForgetLog()
				for _, pointer := range []int{p, early[name]} {
					if got := h.Do("call", "pointer", world.Ref(pointer), "arg", "d", "arg", "55").Result(); got != -4 {
						t.Errorf("%s: result %d", name, got)
					}
				}
				same(t, name, w.Log().Names(), []string{"VK_LAYER_x " + name, "VK_LAYER_x " + name})
			}
			if enabled != "VK_KHR_maintenance1" {
				if exit := h.Dies("call", "pointer", world.Ref(early["vkTrimCommandPoolKHR"]), "arg", "d"); exit.Signal == 0 {
					t.Errorf("without its extension vkTrimCommandPoolKHR ended with code %d", exit.Code)
				}
				continue
			}
			h.Quit()
		}
	}
}
