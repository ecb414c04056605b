package discovery

import (
	"os"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// An instance that requests no explicit layer still has them when the program later names one, as they were when the instance was
// created.
//
// holds: LAY-4 LAY-100 LAY-260 LAY-261 DEV-008
func TestLayersThatNobodyAsksFor(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a")
	ext := func(names ...string) []map[string]string {
		var list []map[string]string
		for _, name := range names {
			list = append(list, map[string]string{"name": name, "spec_version": "7"})
		}
		return list
	}
	w.ImplicitLayer("VK_LAYER_i").Set("device_extensions", ext("VK_I"))
	one := w.ExplicitLayer("VK_LAYER_e").Set("device_extensions", ext("VK_E", "VK_E2"))
	two := w.ExplicitLayer("VK_LAYER_idle").Set("device_extensions", ext("VK_IDLE"))
	w.ExplicitLayer("VK_LAYER_i").Set("device_extensions", ext("VK_SECOND"))
	w.Accesses()
	h := w.Start()
	h.OK("create_instance")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	reads := func() (n int) {
		for _, line := range w.AccessLog() {
			if strings.HasPrefix(line, "fopen ") && (strings.HasSuffix(line, one.ManifestPath) || strings.HasSuffix(line, two.ManifestPath)) {
				n++
			}
		}
		return n
	}
	if reads() != 2 {
		t.Errorf("%d reads of explicit manifests, want one of each:\n%s", reads(), strings.Join(w.AccessLog(), "\n"))
	}
	one.Set("device_extensions", ext("VK_NEW"))
	if err := os.Remove(two.ManifestPath); err != nil {
		t.Fatal(err)
	}
	h.Do("setenv", "name", "VK_LAYER_PATH", "value", os.DevNull)
	before := len(w.AccessLog())
	for range 2 {
		for _, c := range [][2]string{{"VK_LAYER_i", "VK_I"}, {"VK_LAYER_e", "VK_E VK_E2"}, {"VK_LAYER_idle", "VK_IDLE"}, {"VK_LAYER_unknown", ""}} {
			got := h.OK("device_extensions", "pd", pd, "layer", c[0]).Strings("extensions")
			if text := strings.Join(got, " "); text != c[1] {
				t.Errorf("%s: %q, want %q", c[0], text, c[1])
			}
		}
	}
	if after := w.AccessLog(); len(after) != before {
		t.Errorf("the system is asked again: %q", after[before:])
	}
	h.Quit()
}
