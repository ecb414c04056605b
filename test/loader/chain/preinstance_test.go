package chain

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	preVersion    = "vkEnumerateInstanceVersion"
	preLayers     = "vkEnumerateInstanceLayerProperties"
	preExtensions = "vkEnumerateInstanceExtensionProperties"
)

func preFunctions(names ...string) map[string]any {
	symbols := map[string]string{preVersion: "fakePreVersion", preLayers: "fakePreLayers", preExtensions: "fakePreExtensions"}
	out := map[string]any{}
	for _, name := range names {
		out[name] = symbols[name]
	}
	return out
}

func preLayer(w *world.World, name string, lines ...string) *world.Fake {
	return w.ImplicitLayer(name, lines...).Set("pre_instance_functions", preFunctions(preVersion, preLayers, preExtensions))
}

// holds: LAY-217 LAY-220 LAY-222 LAY-223 LAY-224 LAY-226 LAY-227 LAY-221
func TestPreInstanceChain(t *testing.T) {
	t.Parallel()
	size := int64(32) // LAY-222
	if world.Narrow() {
		size = 20
	}
	for verb, want := range map[string]struct {
		fn   string
		kind int64
	}{"instance_extensions": {"fakePreExtensions", 1}, "instance_layers": {"fakePreLayers", 2}, "instance_version": {"fakePreVersion", 3}} {
		for _, via := range []string{"export", "gipa"} {
			w := world.New(t)
			w.Driver("a")
			preLayer(w, "VK_LAYER_one")
			preLayer(w, "VK_LAYER_two")
			preLayer(w, "VK_LAYER_three")
			h := w.Start()
			a := h.OK(verb, "via", via)
			got := w.Log().Fn(want.fn)
			calls := 2
			if verb == "instance_version" {
				calls = 1
				if a.Text("text") != "0.1.4.363" {
					t.Errorf("version %s", a.Text("text"))
				}
			}
			order := []string{"VK_LAYER_three", "VK_LAYER_two", "VK_LAYER_one"}
			if calls == 2 {
				order = slices.Concat(order, order)
			}
			same(t, verb, got.Who(), order)
			for i, e := range got {
				if e.Int("type") != want.kind || e.Int("version") != 1 || e.Int("size") != size || e.Int("next") != 1 || (e.Int("link") == 0) != (i%3 == 2) {
					t.Errorf("%s: link %d is %v", verb, i, e)
				}
			}
			for _, m := range h.Do("maps", "match", "VK_LAYER").Strings("maps") {
				t.Errorf("%s: still mapped: %s", verb, m)
			}
			if verb == "instance_extensions" {
				for _, name := range []string{"", "VK_LAYER_one"} {
					w.ForgetLog()
					h.Do(verb, "layer", name, "count", "0")
					for _, e := range w.Log().Fn(want.fn) {
						if e.Text("layer") != name || e.IsNull("layer") {
							t.Errorf("layer name %q arrived as %v", name, e)
						}
					}
				}
			}
			h.Quit()
		}
	}
}

// holds: LAY-225 LAY-238 LAY-219
func TestPreInstanceAnswers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Accesses()
	w.Driver("a")
	preLayer(w, "VK_LAYER_below")
	w.ImplicitLayer("VK_LAYER_other")
	own := preLayer(w, "VK_LAYER_own", "pre_version 0x80401065", "pre_layers 17", "pre_extensions 9")
	h := w.Start()
	if got := h.OK("instance_layers", "count", "only").Int("count"); got != 17 {
		t.Errorf("%d layers, want 17", got)
	}
	if got := h.OK("instance_extensions", "count", "only").Int("count"); got != 9 {
		t.Errorf("%d extensions, want 9", got)
	}
	if got := h.OK("instance_version").Int("version"); got != 0x80401065 {
		t.Errorf("version %#x", got)
	}
	if len(w.Log().By("VK_LAYER_below")) != 0 {
		t.Errorf("the layer below was called: %v", w.Log())
	}
	own.Replace("pre_version 0x00404003 -5")
	if a := h.Do("instance_version"); a.Result() != -5 || a.Int("version") != 0x00404003 {
		t.Errorf("a layer's error: %v", a)
	}
	// A library is opened only for a function that the layer has.
	own.Replace().Set("pre_instance_functions", preFunctions(preVersion))
	before := len(w.AccessLog())
	h.OK("instance_layers")
	var opened []string
	for _, access := range w.AccessLog()[before:] {
		if strings.HasPrefix(access, "dlopen ") && strings.Contains(access, "/lib/") {
			opened = append(opened, filepath.Base(strings.Fields(access)[1]))
		}
	}
	same(t, "opened for vkEnumerateInstanceLayerProperties", opened, []string{"VK_LAYER_below.so", "VK_LAYER_below.so"})
	w.ForgetLog()
	h.OK("instance_layers")
	h.OK("instance_version")
	same(t, "calls", w.Log().Names(), []string{"VK_LAYER_below fakePreLayers", "VK_LAYER_below fakePreLayers", "VK_LAYER_own fakePreVersion", "VK_LAYER_below fakePreVersion"})
	h.Quit()
}

// holds: LAY-217 LAY-218 LAY-232
func TestPreInstanceOfWhom(t *testing.T) {
	t.Parallel()
	enable := func(f *world.Fake) { f.Set("enable_environment", map[string]any{"ENABLE_X": "1"}) }
	for name, c := range map[string]struct {
		explicit bool
		change   func(*world.Fake)
		env      string
		called   bool
	}{
		"default":                    {called: true},
		"disabled":                   {env: "DISABLE_VK_LAYER_x=1"},
		"enable variable not set":    {change: enable},
		"enable variable":            {change: enable, env: "ENABLE_X=1", called: true},
		"forced":                     {change: enable, env: "VK_LOADER_LAYERS_ENABLE=VK_LAYER_x", called: true},
		"filtered":                   {env: "VK_LOADER_LAYERS_DISABLE=~implicit~"},
		"explicit":                   {explicit: true},
		"explicit, VK_INSTANCE":      {explicit: true, env: "VK_INSTANCE_LAYERS=VK_LAYER_x"},
		"explicit, VK_LOADER_ENABLE": {explicit: true, env: "VK_LOADER_LAYERS_ENABLE=*"},
		"only VK_INSTANCE_LAYERS":    {change: enable, env: "VK_INSTANCE_LAYERS=VK_LAYER_x"},
	} {
		w := world.New(t)
		var f *world.Fake
		if c.explicit {
			f = w.ExplicitLayer("VK_LAYER_x").Set("pre_instance_functions", preFunctions(preVersion))
		} else {
			f = preLayer(w, "VK_LAYER_x")
		}
		if c.change != nil {
			c.change(f)
		}
		if key, value, ok := strings.Cut(c.env, "="); ok {
			w.Env[key] = value
		}
		h := w.Start()
		h.OK("instance_version")
		if called := len(w.Log().Fn("fakePreVersion")) == 1; called != c.called {
			t.Errorf("%s: called %v, want %v", name, called, c.called)
		}
		h.Quit()
	}
	// A component of the override layer.
	w := world.New(t)
	f := preLayer(w, "VK_LAYER_x")
	enable(f)
	w.Write("home/.local/share/vulkan/implicit_layer.d/override.json", world.JSON(map[string]any{"file_format_version": "1.1.2",
		"layer": map[string]any{"name": "VK_LAYER_LUNARG_override", "type": "GLOBAL", "api_version": "1.3.0", "implementation_version": "1",
			"description": "override", "component_layers": []string{"VK_LAYER_x"}, "disable_environment": map[string]any{"DISABLE_OVERRIDE": "1"}}}))
	w.Driver("a")
	h := w.Start()
	h.OK("instance_version")
	if len(w.Log()) != 0 {
		t.Errorf("called as a component of the override layer: %v", w.Log())
	}
	h.Quit()
}

// holds: LAY-228 LAY-229
func TestPreInstanceFailures(t *testing.T) {
	t.Parallel()
	for verb, name := range map[string]string{"instance_version": preVersion, "instance_layers": preLayers, "instance_extensions": preExtensions} {
		w := world.New(t)
		w.Driver("a")
		preLayer(w, "VK_LAYER_good")
		w.BadBinary("bad")
		preLayer(w, "VK_LAYER_bad").Set("library_path", w.Path("lib/bad.so"))
		lost := w.ImplicitLayer("VK_LAYER_lost").Set("pre_instance_functions", map[string]any{name: "fakeMissing"})
		h := start(w)
		h.OK(verb)
		want := []string{"VK_LAYER_good", "VK_LAYER_good"}
		if name == preVersion {
			want = want[:1]
		}
		same(t, name, w.Log().Fn("fakePreVersion", "fakePreLayers", "fakePreExtensions").Who(), want)
		exit := h.Quit()
		tag := "WARNING"
		if name == preExtensions {
			tag = "WARNING | LAYER"
		}
		said(t, exit.Stderr, len(want), tag, fmt.Sprintf(`%s: Unable to resolve symbol "fakeMissing" in implicit layer library "%s"`, name, lost.Library))
	}
}

// holds: LAY-230 LAY-332 LAY-251
func TestPreInstanceNotInCreation(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a", "ext VK_KHR_surface")
	preLayer(w, "VK_LAYER_x", "query_globals", "pre_version 1.0.5", "pre_layers 17", "pre_extensions 9")
	preLayer(w, "VK_LAYER_y", "pre_version 1.0.5", "pre_layers 17", "pre_extensions 9")
	w.Env["DISABLE_VK_LAYER_y"] = "1"
	h := w.Start()
	h.OK("create_instance")
	globals := w.Log().Fn("globals")
	same(t, "asked before and after calling down", globals.Who(), []string{"VK_LAYER_x", "VK_LAYER_x"})
	for _, g := range globals {
		if g.Int("version") != 4<<12|1<<22|363 || g.Int("extensions") != 5 || g.Int("layers") != 2 {
			t.Errorf("%v", g)
		}
	}
	for _, fn := range []string{"fakePreVersion", "fakePreLayers", "fakePreExtensions"} {
		if n := len(w.Log().Fn(fn)); n != 0 {
			t.Errorf("%s called %d times", fn, n)
		}
	}
	h.Quit()
}

// holds: LAY-231 LAY-233 LAY-239 LAY-241 LAY-242 LAY-243 LAY-250
func TestGlobalsAlone(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_DRIVER_FILES"] = w.Path("none.json")
	h := start(w)
	if a := h.OK("instance_version"); a.Text("text") != "0.1.4.363" {
		t.Errorf("version %v", a)
	}
	if a := h.OK("instance_layers"); a.Int("count") != 0 || a.Int("written") != 0 {
		t.Errorf("layers %v", a)
	}
	if a := h.OK("instance_layers", "count", "3"); a.Int("count") != 0 || a.Int("written") != 0 {
		t.Errorf("layers %v", a)
	}
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), ownExtensions)
	h.Quit()
	w = world.New(t)
	f := preLayer(w, "VK_LAYER_x").Set("instance_extensions", extensions("VK_EXT_direct_mode_display", "VK_XX_thing"))
	h = start(w)
	if a := h.Do("instance_version", "arg", "null"); a.Result() != outOfMemory || len(w.Log()) != 0 {
		t.Errorf("NULL version: %v, %v", a, w.Log())
	}
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), append(slices.Clone(ownExtensions), "VK_EXT_direct_mode_display", "VK_XX_thing"))
	f.Set("enable_environment", map[string]any{"ENABLE_X": "1"})
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), ownExtensions)
	exit := h.Quit()
	if !strings.Contains(exit.Stderr, "vkEnumerateInstanceVersion: 'pApiVersion' must not be NULL (VUID-vkEnumerateInstanceVersion-pApiVersion-parameter\n") {
		t.Errorf("no message in\n%s", exit.Stderr)
	}
}

// holds: LAY-234 LAY-235 LAY-236
func TestGlobalCounts(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	names := []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3"}
	for _, name := range names {
		w.ExplicitLayer(name).Set("device_extensions", extensions("VK_A", "VK_B", "VK_C", "VK_D"))
	}
	w.Driver("a", "device name=a")
	h := w.Start()
	h.OK("create_instance", "layer", names[0], "layer", names[1], "layer", names[2])
	pd := device(h)
	for _, c := range []struct {
		verb, list string
		words      []string
		want       []string
	}{
		{"instance_layers", "layers", nil, names},
		{"instance_extensions", "extensions", nil, ownExtensions},
		{"device_layers", "layers", []string{"pd", pd}, names},
		{"device_extensions", "extensions", []string{"pd", pd, "layer", names[0]}, []string{"VK_A", "VK_B", "VK_C", "VK_D"}},
	} {
		if a := h.OK(c.verb, append(c.words, "count", "only")...); a.Int("count") != int64(len(c.want)) {
			t.Errorf("%s: %v", c.verb, a)
		}
		for n := range len(c.want) + 3 {
			a := h.Do(c.verb, append(c.words, "count", fmt.Sprint(n))...)
			written, result := min(n, len(c.want)), 0
			if n < len(c.want) {
				result = incomplete
			}
			if a.Result() != result || a.Int("count") != int64(written) || a.Int("written") != int64(written) || !slices.Equal(a.Strings(c.list), c.want[:written]) {
				t.Errorf("%s with room for %d: %v", c.verb, n, a)
			}
		}
	}
	h.Quit()
}
