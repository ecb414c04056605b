package scale

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// manifests fills the world's directories with n unused manifests of each kind: explicit layers, implicit layers that are not enabled, and
// drivers that the filter excludes.
func manifests(w *world.World, n int) {
	for i := range n {
		layer := map[string]any{"name": fmt.Sprintf("VK_LAYER_unused_%d", i), "type": "INSTANCE", "api_version": "1.3.0",
			"implementation_version": "1", "description": "d", "library_path": "./gone.so",
			"disable_environment": map[string]any{"DISABLE_IT": "1"}, "enable_environment": map[string]any{"ENABLE_IT": "1"}}
		text := world.JSON(map[string]any{"file_format_version": "1.2.1", "layer": layer})
		file := fmt.Sprintf("/%04d.json", i)
		w.Write(w.SystemPath("/usr/share/vulkan/explicit_layer.d")+file, text)
		w.Write(w.SystemPath("/usr/share/vulkan/implicit_layer.d")+file, strings.Replace(text, "unused", "implicit", 1))
		w.Write(w.SystemPath("/usr/share/vulkan/icd.d")+"/unused"+file[1:], world.DriverManifest("./gone.so", "1.3.0"))
	}
	w.Env["VK_LOADER_DRIVERS_DISABLE"] = "unused*"
}

// opened counts the opened and requested files while an instance is created with n manifests of each kind.
func opened(t *testing.T, n int) int {
	w := world.New(t)
	manifests(w, n)
	w.Driver("acme").MoveManifest(w.SystemPath("/usr/share/vulkan/icd.d"))
	w.ExplicitLayer("VK_LAYER_wanted").MoveManifest(w.SystemPath("/usr/share/vulkan/explicit_layer.d"))
	w.Accesses()
	h := w.Start()
	before := len(w.AccessLog())
	h.OK("create_instance", "layer", "VK_LAYER_wanted")
	count := len(w.AccessLog()) - before
	if who := w.Log().Fn("vkCreateInstance").Who(); !slices.Contains(who, "VK_LAYER_wanted") || !slices.Contains(who, "acme") {
		t.Errorf("%d manifests: %v made an instance", n, who)
	}
	if listed := len(h.OK("instance_layers").Strings("layers")); listed != 2*n+1 {
		t.Errorf("%d manifests of each kind: %d layers are listed", n, listed)
	}
	h.Quit()
	return count
}

// TestThousandManifests has a thousand manifests of each kind: they work, and no file is read more often than with a
// hundred.
func TestThousandManifests(t *testing.T) {
	t.Parallel()
	small, large := opened(t, 100), opened(t, 1000)
	t.Logf("%d, %d accesses", small, large)
	if large > growth*small || small < 300 {
		t.Errorf("%d accesses with 1000 manifests of each kind, %d with 100", large, small)
	}
}

// TestSixtyFourLayers has 64 layers in one chain, half of them implicit: all are in the order of the statements, for the instance, the
// device and the commands, and each passes its arguments down.
//
// holds: LAY-144
func TestSixtyFourLayers(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"wrap instance physdev device", ""} {
		t.Run("layers "+script, func(t *testing.T) { sixtyFour(t, script) })
	}
}

func sixtyFour(t *testing.T, script string) {
	w := world.New(t)
	w.Driver("acme")
	var order, words []string
	for i := range 64 {
		name := fmt.Sprintf("VK_LAYER_test_%02d", i)
		order = append(order, name)
		if i < 32 {
			w.ImplicitLayer(name, script, "intercept vkCreateFence")
		} else {
			w.ExplicitLayer(name, script, "intercept vkCreateFence")
			words = append(words, "layer", name)
		}
	}
	order = append(order, "acme")
	h := w.Start()
	h.OK("create_instance", words...)
	pd := h.OK("physical_devices").Ints("devices")[0]
	h.OK("create_device", "pd", world.Ref(pd))
	h.Do("call", "name", "vkCreateFence", "arg", "d", "arg", "zeros", "arg", "null", "arg", "out")
	for _, fn := range []string{"vkCreateInstance", "vkCreateDevice", "vkCreateFence"} {
		var who []string
		for _, e := range w.Log().Fn(fn) {
			if e.Text("phase") != "leave" {
				who = append(who, e.Text("who"))
			}
		}
		if !slices.Equal(who, order) {
			t.Errorf("%s: the chain was %v", fn, who)
		}
	}
	h.Do("destroy_device")
	h.Do("destroy_instance")
	h.Quit()
}
