package chain

import (
	"testing"

	"vkloader/test/lib/world"
)

// A meta-layer is not in the chain (LAY-258): its own manifest's offers are listed by its name, but cannot be enabled or called.
// The offers of its components can.
//
// holds: LAY-258 LAY-260 LAY-273 UNK-012
func TestMetaLayersOfferNothingThemselves(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a")
	const mode, counter = "VK_EXT_direct_mode_display", "VK_EXT_display_surface_counter"
	device := func(name, command string) []any {
		return []any{map[string]any{"name": name, "spec_version": "1", "entrypoints": []string{command}}}
	}
	w.ImplicitLayer("VK_LAYER_c").Set("instance_extensions", extensions(mode)).Set("device_extensions", device("VK_YY_c", "vkOfComponent"))
	w.ImplicitLayer("VK_LAYER_m").Set("library_path", nil).Set("component_layers", []string{"VK_LAYER_c"}).
		Set("instance_extensions", extensions(counter)).Set("device_extensions", device("VK_YY_m", "vkOfMeta"))
	h := w.Start()
	same(t, "listed by name", h.OK("instance_extensions", "layer", "VK_LAYER_m").Strings("extensions"), []string{counter, mode})
	if r := h.Do("create_instance", "ext", counter).Result(); r != -7 {
		t.Errorf("an extension of the meta-layer's own gives %d", r)
	}
	h.OK("create_instance", "ext", mode)
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	same(t, "active", h.OK("device_layers", "pd", pd).Strings("layers"), []string{"VK_LAYER_c", "VK_LAYER_m"})
	same(t, "device extensions", h.OK("device_extensions", "pd", pd).Strings("extensions"), []string{"VK_YY_c"})
	same(t, "device extensions by name", h.OK("device_extensions", "pd", pd, "layer", "VK_LAYER_m").Strings("extensions"), []string{"VK_YY_m", "VK_YY_c"})
	if r := h.Do("create_device", "pd", pd, "ext", "VK_YY_m").Result(); r != -7 {
		t.Errorf("a device extension of the meta-layer's own gives %d", r)
	}
	h.OK("create_device", "pd", pd, "ext", "VK_YY_c")
	for name, there := range map[string]bool{"vkOfComponent": true, "vkOfMeta": false} {
		if p := pointer(h, "i", name); (p != 0) != there {
			t.Errorf("%s is %d", name, p)
		}
	}
	h.Quit()
}

// Of implicit layers with one name, the first counts, also for the global commands, with pre-instance functions and
// extensions (LAY-109).
//
// holds: LAY-109 LAY-217 LAY-240
func TestSameNamedImplicitLayersBeforeInstances(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		layers int // of one name
		set    []int
		want   []string
		ext    bool
	}{
		{"two, the first disabled", 2, []int{0}, nil, false},
		{"two", 2, nil, []string{"l0"}, true},
		{"three", 3, nil, []string{"l0"}, true},
		{"three, the first disabled", 3, []int{0}, nil, false},
		{"three, all but the last disabled", 3, []int{0, 1}, nil, false},
	} {
		for _, settings := range []bool{false, true} {
			w := world.New(t)
			w.Driver("a")
			list := ""
			for i := range c.layers {
				name := "l" + string(rune('0'+i))
				f := preLayer(w, name).Set("name", "VK_LAYER_x").Set("disable_environment", map[string]any{"NO_" + name: "1"}).
					Set("instance_extensions", extensions("VK_XX_"+name))
				list += `,{"name":"VK_LAYER_x","control":"auto","treat_as_implicit_manifest":true,"path":"` + f.ManifestPath + `"}`
			}
			for _, i := range c.set {
				w.Env["NO_l"+string(rune('0'+i))] = ""
			}
			if settings {
				w.Write("home/.config/vulkan/loader_settings.d/vk_loader_settings.json",
					`{"file_format_version":"1.0.0","settings":{"layers":[`+list[1:]+`]}}`)
			}
			h := w.Start()
			h.OK("instance_version")
			same(t, c.name, w.Log().Fn("fakePreVersion").Who(), c.want)
			w.ForgetLog()
			h.OK("instance_layers", "count", "only")
			same(t, c.name, w.Log().Fn("fakePreLayers").Who(), c.want)
			w.ForgetLog()
			got := h.OK("instance_extensions", "count", "only").Int("count")
			same(t, c.name, w.Log().Fn("fakePreExtensions").Who(), c.want)
			want := int64(4)
			if c.ext {
				want = 5
			}
			if got != want {
				t.Errorf("%s, settings %v: %d extensions, not %d", c.name, settings, got, want)
			}
			h.Quit()
		}
	}
}
