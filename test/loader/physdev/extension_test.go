package physdev

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: DEV-001 DEV-003 DEV-004 DEV-005 DEV-006 DEV-007 DRV-069 LAY-234 LAY-235 LAY-236 LAY-258 LAY-263
func TestDeviceExtensions(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("none", "device name=none")
	w.Driver("some", "device name=some ext=VK_B:3,VK_A:7,VK_B:9,VK_C:1")
	h := w.Start()
	h.OK("create_instance")
	devices := all(h)
	some, none := world.Ref(devices[0]), world.Ref(devices[1])
	want := []string{"VK_B", "VK_A", "VK_C"}
	for _, layer := range [][]string{nil, {"layer", ""}} {
		w.ForgetLog()
		a := h.OK("device_extensions", append([]string{"pd", some}, layer...)...)
		if !slices.Equal(a.Strings("extensions"), want) || !slices.Equal(a.Ints("versions"), []int{3, 7, 1}) {
			t.Errorf("%v: %v", layer, a)
		}
		for _, e := range w.Log().Fn("vkEnumerateDeviceExtensionProperties") {
			if !e.IsNull("layer") {
				t.Errorf("the driver got a layer's name: %v", e)
			}
		}
	}
	for _, before := range []string{"0", "1", "4294967295"} {
		if a := h.OK("device_extensions", "pd", some, "count", "only", "before", before); a.Int("count") != 3 {
			t.Errorf("counted: %v", a)
		}
	}
	for n := range 3 {
		a := h.Do("device_extensions", "pd", some, "count", fmt.Sprint(n))
		if a.Result() != incomplete || a.Int("count") != int64(n) || a.Int("written") != int64(n) || !slices.Equal(a.Strings("extensions"), want[:n]) {
			t.Errorf("room %d: %v", n, a)
		}
	}
	for _, n := range []string{"3", "4", "30"} {
		if a := h.OK("device_extensions", "pd", some, "count", n); a.Int("count") != 3 || a.Int("written") != 3 {
			t.Errorf("room %s: %v", n, a)
		}
	}
	for _, words := range [][]string{{"count", "only"}, {"count", "0"}, {"count", "5"}} {
		if a := h.OK("device_extensions", append([]string{"pd", none}, words...)...); a.Int("count") != 0 || a.Int("written") != 0 {
			t.Errorf("no extension, %v: %v", words, a)
		}
	}
	if got := h.Do("device_extensions", "pd", some, "count", "null").Result(); got != incomplete {
		t.Errorf("NULL count: result %d", got)
	}
	h.Quit()
}

// holds: DEV-010 LAY-264
func TestDeviceExtensionErrors(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"count", "fill"} {
		for _, code := range []int{-1, -2, -3} {
			w := world.New(t)
			w.Driver("a", "device name=a ext=VK_A", fmt.Sprintf("result vkEnumerateDeviceExtensionProperties %d %s", code, phase))
			h := w.Start()
			h.OK("create_instance")
			if got := h.Do("device_extensions", "pd", world.Ref(all(h)[0]), "count", "4").Result(); got != code {
				t.Errorf("%s: result %d, want %d", phase, got, code)
			}
			h.Quit()
		}
	}
}

// A driver whose list is incomplete is asked again, a limited number of times (DEV-010). The program gets VK_INCOMPLETE with the list.
// The loader itself uses the returned entries.
//
// holds: DEV-005 DEV-010 DEV-016 DEV-020 DEV-026
func TestDeviceExtensionsThatNeverFit(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a ext=VK_A,VK_B", "result vkEnumerateDeviceExtensionProperties 5 fill")
	h := w.Start()
	h.OK("create_instance")
	pd := world.Ref(all(h)[0])
	if a := h.Do("device_extensions", "pd", pd, "count", "9"); a.Result() != incomplete || !slices.Equal(a.Strings("extensions"), []string{"VK_A", "VK_B"}) {
		t.Errorf("%v", a)
	}
	if asked := w.Log().Fn("vkEnumerateDeviceExtensionProperties"); len(asked) != 18 {
		t.Errorf("the driver was asked %d times, want nine times two", len(asked))
	}
	if a := h.OK("device_extensions", "pd", pd, "count", "only"); a.Int("count") != 2 {
		t.Errorf("%v", a)
	}
	w.ForgetLog()
	h.OK("create_device", "pd", pd, "ext", "VK_B")
	if made := w.Log().Fn("vkCreateDevice"); len(made) != 1 || !slices.Equal(made[0].Strings("extensions"), []string{"VK_B"}) {
		t.Errorf("the driver received %v", made)
	}
	h.Quit()
}

// As above, but the second attempt returns the whole list.
func TestDeviceExtensionsThatFitLater(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a ext=VK_A", "result vkEnumerateDeviceExtensionProperties 5 2")
	h := w.Start()
	h.OK("create_instance")
	h.OK("device_extensions", "pd", world.Ref(all(h)[0]), "count", "9")
	if asked := w.Log().Fn("vkEnumerateDeviceExtensionProperties"); len(asked) != 4 {
		t.Errorf("the driver was asked %d times", len(asked))
	}
	h.Quit()
}

// holds: DEV-003
func TestDeviceExtensionsMoreThanCounted(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a ext=VK_A,VK_B", "more vkEnumerateDeviceExtensionProperties 1000000")
	w.ImplicitLayer("VK_LAYER_i").Set("device_extensions", deviceExtensions("VK_I", "1"))
	h := w.Start()
	h.OK("create_instance")
	if a := h.OK("device_extensions", "pd", world.Ref(all(h)[0])); !slices.Equal(a.Strings("extensions"), []string{"VK_A", "VK_B", "VK_I"}) {
		t.Error(a)
	}
	h.OK("create_device", "pd", world.Ref(all(h)[0]), "ext", "VK_B", "ext", "VK_I")
	if a := h.Do("create_device", "pd", world.Ref(all(h)[0]), "ext", "VK_C"); a.Result() != extensionNotPresent {
		t.Error(a)
	}
	h.Quit()
}

func deviceExtensions(names ...string) []any {
	var list []any
	for i := 0; i < len(names); i += 2 {
		list = append(list, map[string]any{"name": names[i], "spec_version": names[i+1]})
	}
	return list
}

// holds: DEV-001 DEV-002 DEV-003 DEV-008 LAY-257..262 LAY-265
func TestDeviceExtensionsOfLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "error"
	w.Driver("a", "device name=a ext=VK_X:5")
	w.ImplicitLayer("VK_LAYER_i1").Set("device_extensions", deviceExtensions("VK_X", "1", "VK_Y", "2"))
	w.ImplicitLayer("VK_LAYER_i2").Set("device_extensions", deviceExtensions("VK_Y", "9", "VK_Z", "3"))
	w.ImplicitLayer("VK_LAYER_off").Set("device_extensions", deviceExtensions("VK_OFF", "4"))
	w.ExplicitLayer("VK_LAYER_e").Set("device_extensions", deviceExtensions("VK_E", "6", "VK_E2", "7"))
	w.ExplicitLayer("VK_LAYER_idle")
	w.Env["DISABLE_VK_LAYER_off"] = "1"
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_e")
	pd := world.Ref(all(h)[0])
	list := func(words ...string) string {
		a := h.OK("device_extensions", append([]string{"pd", pd}, words...)...)
		var out []string
		for i, name := range a.Strings("extensions") {
			out = append(out, fmt.Sprintf("%s:%d", name, a.Ints("versions")[i]))
		}
		return strings.Join(out, " ")
	}
	for layer, want := range map[string]string{
		"": "VK_X:5 VK_Y:2 VK_Z:3", "VK_LAYER_i1": "VK_X:1 VK_Y:2", "VK_LAYER_e": "VK_E:6 VK_E2:7", "VK_LAYER_off": "VK_OFF:4",
		"VK_LAYER_idle": "", "VK_LAYER_unknown": "",
	} {
		if got := list("layer", layer); got != want {
			t.Errorf("%q: %q, want %q", layer, got, want)
		}
	}
	if a := h.OK("device_extensions", "pd", pd, "count", "only"); a.Int("count") != 3 {
		t.Errorf("counted: %v", a)
	}
	if a := h.Do("device_extensions", "pd", pd, "layer", "VK_LAYER_e", "count", "1"); a.Result() != incomplete || a.Int("count") != 1 {
		t.Errorf("room for one: %v", a)
	}
	if a := h.OK("device_extensions", "pd", pd, "layer", "VK_LAYER_unknown", "count", "4"); a.Int("count") != 0 {
		t.Errorf("unknown layer: %v", a)
	}
	for _, good := range []string{"VK_LAYER_\u00e9", "\u20acx", "a\U0001f600", strings.Repeat("x", 255)} {
		if got := h.Do("device_extensions", "pd", pd, "layer", good, "count", "4"); got.Result() != 0 || got.Int("count") != 0 {
			t.Errorf("%q: %v", good, got)
		}
	}
	for i, bad := range []string{strings.Repeat("x", 257), "a\x01b", "a\x7fb", "a\xc3(", "\xff", "\x80", "a\xc3", "\xe2\x82", "\xe2\x82x", "\xf0\x9f\x98",
		strings.Repeat("x", 256)} {
		if got := h.Do("device_extensions", "pd", pd, "layer", bad, "count", "4").Result(); got != extensionNotPresent {
			t.Errorf("%q: result %d", bad, got)
		}
		said(t, h.Messages(), "vkEnumerateDeviceExtensionProperties:  pLayerName is too long or is badly formed", i+1)
	}
	saidLine(t, h, "ERROR", "vkEnumerateDeviceExtensionProperties:  pLayerName is too long or is badly formed")
	h.Quit()
}

// holds: DEV-012 DEV-013 LAY-253 DRV-070
func TestNoDeviceLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	h := w.Start()
	h.OK("create_instance")
	pd := world.Ref(all(h)[0])
	w.ForgetLog()
	for _, count := range []string{"only", "0", "5"} {
		if a := h.OK("device_layers", "pd", pd, "count", count); a.Int("count") != 0 || a.Int("written") != 0 {
			t.Errorf("count %s: %v", count, a)
		}
	}
	if log := w.Log(); len(log) != 0 {
		t.Errorf("the driver saw %v", log)
	}
	h.Quit()
}

// holds: DEV-011 DEV-012 DEV-013 LAY-252 LAY-254
func TestDeviceLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a0", "device name=a1")
	w.ImplicitLayer("VK_LAYER_implicit").Set("implementation_version", "42")
	w.ExplicitLayer("VK_LAYER_one")
	w.ExplicitLayer("VK_LAYER_idle")
	w.ExplicitLayer("VK_LAYER_two")
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_two", "layer", "VK_LAYER_one")
	w.ForgetLog()
	want := []string{"VK_LAYER_implicit", "VK_LAYER_two", "VK_LAYER_one"}
	for _, d := range all(h) {
		pd := world.Ref(d)
		w.ForgetLog()
		a := h.OK("device_layers", "pd", pd)
		if !slices.Equal(a.Strings("layers"), want) {
			t.Errorf("%v, want %v", a.Strings("layers"), want)
		}
		first := a.Objects("properties")[0]
		if first.Int("implementation") != 42 || first.Text("description") != "fake VK_LAYER_implicit" || first.Int("spec") != 1<<22|3<<12 {
			t.Errorf("%v", first)
		}
		if log := w.Log(); len(log) != 0 {
			t.Errorf("somebody saw %v", log)
		}
		for n := range 3 {
			if a := h.Do("device_layers", "pd", pd, "count", fmt.Sprint(n)); a.Result() != incomplete || a.Int("count") != int64(n) || a.Int("written") != int64(n) {
				t.Errorf("room %d: %v", n, a)
			}
		}
		if a := h.OK("device_layers", "pd", pd, "count", "9"); a.Int("count") != 3 || a.Int("written") != 3 {
			t.Errorf("room 9: %v", a)
		}
	}
	h.Quit()
}

// holds: LAY-255
func TestBrokenLayerIsStillListed(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	w.ImplicitLayer("VK_LAYER_broken").Set("library_path", w.Path("lib", "there_is_none.so"))
	w.ImplicitLayer("VK_LAYER_good")
	h := w.Start()
	h.OK("create_instance")
	if got := h.OK("device_layers", "pd", world.Ref(all(h)[0])).Strings("layers"); !slices.Equal(got, []string{"VK_LAYER_broken", "VK_LAYER_good"}) {
		t.Errorf("%v", got)
	}
	h.Quit()
}
