package plan

import (
	"strings"
	"testing"

	"vkloader/internal/core/manifest"
)

// The compute policy of the settings (docs/tool.md): a program that shows nothing gets no overlay that it did not ask for.
func TestComputePolicy(t *testing.T) {
	t.Parallel()
	const on = `{"vkloader_compute_layers":"no_overlays"}`
	const (
		hud     = "VK_LAYER_MANGOHUD_overlay_x86_64"
		presets = "VK_LAYER_someone" // known by its manifest alone
		record  = "VK_LAYER_record"
		choose  = "VK_LAYER_MESA_device_select"
		all     = hud + " " + presets + " " + record + " " + choose
	)
	begin := func(settings string) *world {
		return newWorld().settings(settings).driver("d.json", "").
			implicit("a.json", hud, "").
			implicit("b.json", presets, `,"device_extensions":[{"name":"VK_KHR_swapchain","spec_version":"70","entrypoints":["vkQueuePresentKHR"]}],
				"instance_extensions":[{"name":"VK_EXT_surface_maintenance1","spec_version":"1"}]`).
			implicit("c.json", record, `,"device_extensions":[{"name":"VK_KHR_swapchain","spec_version":"70","entrypoints":[]},{"name":"VK_EXT_debug_marker","spec_version":"4","entrypoints":[]}]`).
			implicit("d.json", choose, "")
	}
	for _, c := range []struct {
		name, settings, want string
		change               func(w *world)
	}{
		{"off", `{"vkloader_compute_layers":"all"}`, all, nil},
		{"no word of it", `{"vkloader_compute_layers":true}`, all, nil},
		{"on", on, record + " " + choose, nil},
		{"a window", on, all, func(w *world) { w.enables("VK_KHR_surface", "VK_KHR_wayland_surface") }},
		{"another extension", on, record + " " + choose, func(w *world) { w.enables("VK_EXT_debug_utils") }},
		{"a game runtime", on, all, func(w *world) { w.Program = "/usr/lib/wine/wine64-preloader" }},
		{"asked for by the program", on, record + " " + choose + " " + hud, func(w *world) { w.wants(hud) }},
		{"asked for by a variable", on, record + " " + choose + " " + hud, func(w *world) { w.Vars["VK_INSTANCE_LAYERS"] = hud }},
		{"asked for by a filter", on, hud + " " + record + " " + choose, func(w *world) { w.Vars["VK_LOADER_LAYERS_ENABLE"] = "*MANGOHUD*" }},
		{"its extension is enabled", on, presets + " " + record + " " + choose, func(w *world) { w.enables("VK_EXT_surface_maintenance1") }},
		{"on in the settings", `{"vkloader_compute_layers":"no_overlays","layers":[` + entry("on", hud, implicitDirectory+"a.json", `,"treat_as_implicit_manifest":true`) +
			"," + unordered + `]}`, hud + " " + record + " " + choose, nil},
		{"auto in the settings", `{"vkloader_compute_layers":"no_overlays","layers":[` + entry("auto", hud, implicitDirectory+"a.json", `,"treat_as_implicit_manifest":true`) +
			"," + unordered + `]}`, record + " " + choose, nil},
	} {
		w := begin(c.settings)
		if c.change != nil {
			c.change(w)
		}
		a := w.ask(t, Instance, Name{})
		expect(t, c.name, active(a), c.want)
		if a.Result != Success {
			t.Errorf("%s: result %d", c.name, a.Result)
		}
	}
	a := begin(on).ask(t, Instance, Name{})
	expect(t, "why", foundOf(a, hud), "layer-compute|"+implicitDirectory+"a.json|the program enables no surface extension (compute policy of "+settingsPath+")")
	w := begin(on)
	w.drivers = []Driver{{Usable: true}}
	if text := logText(w.ask(t, InstanceDrivers, Name{})); strings.Count(text, "(compute policy of "+settingsPath+")") != 2 {
		t.Errorf("log:\n%s", text)
	}
}

// TestIsOverlay checks that an overlay is known by its name, or by a manifest with presentation extensions only.
func TestIsOverlay(t *testing.T) {
	t.Parallel()
	list := func(names ...string) (list []manifest.Extension) {
		for _, name := range names {
			list = append(list, manifest.Extension{Name: name})
		}
		return list
	}
	for _, c := range []struct {
		layer manifest.Layer
		want  bool
	}{
		{manifest.Layer{Name: "VK_LAYER_VALVE_steam_overlay_32"}, true},
		{manifest.Layer{Name: "VK_LAYER_VALVE_steam_fossilize_64"}, false},
		{manifest.Layer{Name: "VK_LAYER_OBS_vkcapture_64"}, false},
		{manifest.Layer{Name: "VK_LAYER_KHRONOS_validation", Instance: list("VK_EXT_debug_report"), Device: list("VK_EXT_debug_marker")}, false},
		{manifest.Layer{Name: "VK_LAYER_RENDERDOC_Capture", Instance: list("VK_EXT_debug_utils")}, false},
		{manifest.Layer{Name: "VK_LAYER_wsi", Instance: list("VK_KHR_surface", "VK_KHR_get_surface_capabilities2")}, true},
		{manifest.Layer{Name: "VK_LAYER_wsi", Device: list("VK_KHR_swapchain", "VK_KHR_incremental_present")}, true},
		{manifest.Layer{Name: "VK_LAYER_wsi", Device: list("VK_KHR_swapchain", "VK_EXT_debug_marker")}, false},
		{manifest.Layer{Name: "VK_LAYER_plain"}, false},
	} {
		if got := IsOverlay(&c.layer); got != c.want {
			t.Errorf("%+v: %v", c.layer, got)
		}
	}
}
