package discovery

import (
	"strings"
	"testing"
)

// TestComputePolicy checks the compute policy of the settings file: each instance is decided by the extensions that
// it enables itself (docs/tool.md, policy).
func TestComputePolicy(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("card", "device name=card type=discrete", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1")
	w.ImplicitLayer("VK_LAYER_MANGOHUD_overlay_x86_64")
	w.ImplicitLayer("VK_LAYER_MESA_device_select")
	s := start(t, w)
	created := func(policy string, words ...string) string {
		settingsObject(w, `{"vkloader_compute_layers":"`+policy+`"}`)
		w.ForgetLog()
		if r := s.h.Do("create_instance", words...).Result(); r != success {
			t.Fatal(policy, words, r)
		}
		s.h.Do("destroy_instance")
		var who []string
		for _, name := range w.Log().Fn("vkCreateInstance").Who() {
			if len(who) == 0 || !strings.Contains(strings.Join(who, " "), name) {
				who = append(who, name)
			}
		}
		return strings.Join(who, " ")
	}
	const all = "VK_LAYER_MANGOHUD_overlay_x86_64 VK_LAYER_MESA_device_select card"
	same(t, "without a policy", created("all"), all)
	same(t, "a program that computes", created("no_overlays"), "VK_LAYER_MESA_device_select card")
	s.lines().has(t, "INFO | LAYER", `Layer "VK_LAYER_MANGOHUD_overlay_x86_64" left out because the program enables no surface extension (compute policy of `+settingsFile+")")
	same(t, "the same program with a surface", created("no_overlays", "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface"), all)
	same(t, "and again", created("no_overlays"), "VK_LAYER_MESA_device_select card")
	same(t, "a program that asks for it", created("no_overlays", "layer", "VK_LAYER_MANGOHUD_overlay_x86_64"),
		"VK_LAYER_MESA_device_select VK_LAYER_MANGOHUD_overlay_x86_64 card")
	s.end()
}
