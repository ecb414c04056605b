package layers

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const initializationError = -3

// A layer that creates the object below, destroys it and creates it again within one call has created one device, or
// one instance.
//
// holds: LAY-360 DEV-041
func TestMadeAgainWithinOneCall(t *testing.T) {
	t.Parallel()
	for _, times := range []string{"1", "3"} {
		w := world.New(t)
		w.Driver("one", "device name=a ext=VK_KHR_swapchain", "device name=b")
		w.ExplicitLayer("VK_LAYER_again", "again vkCreateDevice "+times, "again vkCreateInstance "+times)
		h := w.Start()
		h.OK("create_instance", "layer", "VK_LAYER_again")
		pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
		h.OK("create_device", "pd", pd, "as", "first", "ext", "VK_KHR_swapchain")
		h.OK("create_device", "pd", pd, "as", "second")
		h.OK("call", "name", "vkDeviceWaitIdle", "arg", "first")
		// Every device of the instance is examined: for an unknown name, and when a device is destroyed.
		h.Do("gipa", "name", "vkUnknownNXT", "instance", "i")
		h.Do("gdpa", "name", "vkUnknownNXT", "device", "second")
		h.OK("create_device", "pd", pd, "as", "third")
		h.Do("destroy_device", "name", "first")
		h.Do("destroy_device", "name", "third")
		h.Do("destroy_device", "name", "second")
		h.Do("destroy_instance")
		h.Quit()
		made, gone := len(w.Log().By("one").Fn("vkCreateDevice")), len(w.Log().By("one").Fn("vkDestroyDevice"))
		if made != gone || made < 6 {
			t.Errorf("%s: %d devices made, %d destroyed", times, made, gone)
		}
		made, gone = len(w.Log().By("one").Fn("vkCreateInstance")), len(w.Log().By("one").Fn("vkDestroyInstance"))
		if made != gone || made < 2 {
			t.Errorf("%s: %d instances made, %d destroyed", times, made, gone)
		}
	}
}

// A layer that reports success without calling down: the call fails and names the possible layers, and nothing
// is called through NULL (LAY-361).
//
// holds: LAY-360 DEV-037 INS-078
func TestLayersThatCallNobody(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"", " own"} {
		for _, place := range []string{"alone", "top", "bottom"} {
			for _, command := range []string{"vkCreateInstance", "vkCreateDevice"} {
				t.Run(command+own+" "+place, func(t *testing.T) {
					t.Parallel()
					w := world.New(t)
					w.Env["VK_LOADER_DEBUG"] = "error"
					w.Driver("one", "device name=a")
					want := []string{"VK_LAYER_idle"}
					layers := []string{"layer", "VK_LAYER_idle"}
					if place == "top" {
						want, layers = append(want, "VK_LAYER_good"), append(layers, "layer", "VK_LAYER_good")
					}
					if place == "bottom" {
						want, layers = append([]string{"VK_LAYER_good"}, want...), append([]string{"layer", "VK_LAYER_good"}, layers...)
					}
					w.ExplicitLayer("VK_LAYER_good")
					w.ExplicitLayer("VK_LAYER_nogdpa", "negotiate_null gdpa").Kind(world.LayerNegOnly)
					idle := w.ExplicitLayer("VK_LAYER_idle", "skip "+command+own)
					h := w.Start()
					if command == "vkCreateInstance" {
						for range 2 {
							a := h.Do("create_instance", layers...)
							if a.Result() != initializationError || a.Int("written") != 0 {
								t.Errorf("got %v", a)
							}
						}
					} else {
						// A layer without device functions is not in the device chain.
						h.OK("create_instance", append(layers, "layer", "VK_LAYER_nogdpa")...)
						pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
						for range 2 {
							a := h.Do("create_device", "pd", pd)
							if a.Result() != initializationError || a.Int("written") != 0 {
								t.Errorf("got %v", a)
							}
						}
						idle.Replace()
						h.OK("create_device", "pd", pd)
						h.Do("destroy_device")
						h.Do("destroy_instance")
					}
					text := strings.Join(h.Quit().Messages(), "\n")
					line := command + ": a layer returned VK_SUCCESS without calling the next one; the layers between: " + strings.Join(want, ", ")
					if strings.Count(text+"\n", line+"\n") != 2 {
						t.Errorf("no %q in\n%s", line, text)
					}
				})
			}
		}
	}
}
