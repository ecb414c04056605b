package drivers

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

const nothingMade = "null_handle "

// A driver that returns VK_SUCCESS without an instance is skipped, and one that returns no device makes the call fail. The other
// drivers work.
//
// holds: INS-075
func TestDriversThatGiveNothing(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("good", "device name=good")
	bad := w.Driver("bad", nothingMade+"vkCreateInstance", "device name=bad")
	l := live(t, w)
	l.wants(t, success, "good")
	says(t, l.exit, fmt.Sprintf("[WARN] terminator_CreateInstance: ICD %s returned VK_SUCCESS from vkCreateInstance, but no instance. Skipping this driver.",
		bad.Library))

	w = loud(t)
	w.Driver("good", "device name=good")
	bad = w.Driver("bad", nothingMade+"vkCreateDevice", "device name=bad")
	h := w.Start()
	h.OK("create_instance")
	for _, pd := range h.OK("physical_devices").Ints("devices") {
		name := h.Do("properties", "pd", world.Ref(pd)).Text("name")
		want := map[string]int{"good": success, "bad": initializationError}[name]
		if got := h.Do("create_device", "pd", world.Ref(pd), "as", name).Result(); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	h.Do("destroy_device", "name", "good")
	h.Do("destroy_instance")
	says(t, h.Quit(), fmt.Sprintf("[ERROR|DRIVER] terminator_CreateDevice: ICD %s returned VK_SUCCESS from vkCreateDevice, but no device", bad.Library),
		"[ERROR] vkCreateDevice:  Failed to create device chain.")
}

// If a layer does that, the call fails, and the objects below are destroyed.
//
// holds: INS-078 DEV-038
func TestLayersThatGiveNothing(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one", "device name=one")
	w.ExplicitLayer("VK_LAYER_it", nothingMade+"vkCreateInstance")
	h := w.Start()
	if got := h.Do("create_instance", "layer", "VK_LAYER_it").Result(); got != initializationError {
		t.Errorf("instance: %d", got)
	}
	says(t, h.Quit(), "[ERROR|LAYER] vkCreateInstance: A layer returned VK_SUCCESS, but no instance")
	same(t, "ended", w.Log().Fn("vkDestroyInstance").Who(), []string{"one"})

	w = loud(t)
	w.Driver("one", "device name=one")
	w.ExplicitLayer("VK_LAYER_it", nothingMade+"vkCreateDevice")
	h = w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_it")
	device := h.OK("physical_devices").Ints("devices")[0]
	if got := h.Do("create_device", "pd", world.Ref(device)).Result(); got != initializationError {
		t.Errorf("device: %d", got)
	}
	h.Do("destroy_instance")
	says(t, h.Quit(), "[ERROR|LAYER] vkCreateDevice: A layer returned VK_SUCCESS, but no device")
}

// A pipe in place of a driver's or layer's library is refused without waiting for its other end.
//
// holds: DRV-042 LAY-296
func TestPipesAsLibraries(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("good", "device name=good")
	bad := w.Driver("bad", "device name=bad")
	layer := w.ExplicitLayer("VK_LAYER_it")
	for _, library := range []string{bad.Library, layer.Library} {
		if err := os.Remove(library); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(library, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := live(t, w)
	l.wants(t, success, "good")
	says(t, l.exit, "[ERROR] "+bad.Library+": cannot open shared object file: Not a regular file",
		"[ERROR|DRIVER] loader_icd_scan: Failed loading library associated with ICD JSON "+bad.Library+". Ignoring this JSON")
	if got := live(t, w, "layer", "VK_LAYER_it"); got.result != layerNotPresent {
		t.Errorf("with the layer: %d", got.result)
	}
}
