package world

import (
	"fmt"
	"slices"
	"testing"
)

// The fake layer works on the distribution's loader, also if it wraps every function.
func TestFakeLayer(t *testing.T) {
	t.Parallel()
	t.Run("control", func(t *testing.T) { fakeLayer(t, NewSystem) })
	t.Run("built", func(t *testing.T) { fakeLayer(t, New) })
}

func fakeLayer(t *testing.T, make func(testing.TB) *World) {
	for _, script := range []string{"intercept vkCmdDraw", "wrap instance physdev device", "intercept *"} {
		w := make(t)
		w.Driver("one", "device name=a type=cpu", "device name=b type=integrated").API("1.1.0")
		w.ExplicitLayer("VK_LAYER_x", script)
		w.ImplicitLayer("VK_LAYER_y")
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0", "layer", "VK_LAYER_x")
		devices := h.OK("physical_devices").Ints("devices")
		h.OK("device_groups")
		h.Do("properties2", "pd", Ref(devices[0]))
		h.OK("create_device", "pd", Ref(devices[0]))
		h.Do("get_queue")
		h.OK("command_buffers")
		h.Do("call", "name", "vkCmdDraw", "arg", "c0", "arg", "3", "arg", "1")
		h.Do("destroy_device")
		h.Do("destroy_instance")
		h.Quit()
		order := w.Log().Fn("vkCreateDevice").Who()
		if want := []string{"VK_LAYER_y", "VK_LAYER_x", "one", "VK_LAYER_x", "VK_LAYER_y"}; !slices.Equal(order, want) {
			t.Errorf("%s: vkCreateDevice went %v, want %v", script, order, want)
		}
		draws := w.Log().Fn("vkCmdDraw")
		if want := []string{"VK_LAYER_x", "one"}; !slices.Equal(draws.Who(), want) {
			t.Errorf("%s: vkCmdDraw went %v, want %v", script, draws.Who(), want)
		}
	}
}

// In a chain of fake layers each asks the next one once for a name: the last one of a long chain is asked as
// often as that of a short one.
func TestFakeLayersAskOnce(t *testing.T) {
	t.Parallel()
	asked := func(layers int) int {
		w := New(t)
		w.Driver("one")
		var words []string
		for i := range layers {
			name := fmt.Sprintf("VK_LAYER_%02d", i)
			w.ExplicitLayer(name, "intercept vkCmdDraw", "log_lookups vkGetPhysicalDeviceFeatures")
			words = append(words, "layer", name)
		}
		h := w.Start()
		h.OK("create_instance", words...)
		h.Do("destroy_instance")
		h.Quit()
		return len(w.Log().By(words[len(words)-1]).Fn("gipa"))
	}
	if short, long := asked(1), asked(12); short == 0 || long > short {
		t.Errorf("the last of 12 layers was asked %d times, a single one %d times", long, short)
	}
}
