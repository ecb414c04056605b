package chain

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	loaderInstance = 47
	loaderDevice   = 48
)

// links returns the list of links of a recorded creation.
func links(e world.Answer) []world.Answer {
	for _, s := range e.Objects("chain") {
		if got := s.Objects("links"); len(got) > 0 {
			return got
		}
	}
	return nil
}

// shape formats a recorded chain: "47.3 47.2 12345".
func shape(e world.Answer) string {
	var out []string
	for _, s := range e.Objects("chain") {
		text := fmt.Sprint(s.Int("type"))
		if t := s.Int("type"); t == loaderInstance || t == loaderDevice {
			text += fmt.Sprintf(".%d", s.Int("function"))
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// address formats the pointer behind a reference like the fakes do.
func address(t *testing.T, h *world.Host, ref string) string {
	t.Helper()
	h.Do("memory", "as", "word", "ptr@0", ref)
	bytes, err := hex.DecodeString(h.Do("peek", "ref", "word").Text("bytes"))
	if err != nil || len(bytes) != 8 {
		t.Fatalf("peek: %v", err)
	}
	return fmt.Sprintf("%#x", world.Order().Uint64(bytes))
}

func leave(t *testing.T, w *world.World, who, fn string) world.Answer {
	t.Helper()
	for _, e := range w.Log().By(who).Fn(fn) {
		if e.Text("phase") == "leave" {
			return e
		}
	}
	t.Fatalf("%s did not leave %s", who, fn)
	return nil
}

// holds: LAY-304 LAY-306 LAY-307 LAY-308 LAY-309 LAY-311 LAY-312 LAY-313 LAY-315 LAY-316 LAY-321 LAY-325 HND-036 GPA-069
func TestInstanceStructures(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a", "ext VK_KHR_surface").API("1.1.0")
	names := []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3"}
	w.ImplicitLayer(names[0])
	w.ExplicitLayer(names[1]).Set("instance_extensions", extensions("VK_EXT_direct_mode_display"))
	w.ExplicitLayer(names[2])
	w.Env["VK_INSTANCE_LAYERS"] = names[1]
	h := w.Start()
	h.Do("allocator", "as", "a")
	h.Do("memory", "as", "tail", "u32@0", "999124")
	h.Do("memory", "as", "extra", "u32@0", "999123", "ptr@8", "tail")
	a := h.OK("create_instance", "api", "1.1.0", "layer", names[2], "ext", "VK_EXT_direct_mode_display", "ext", "VK_EXT_debug_utils",
		"ext", "VK_KHR_surface", "messenger", "m:0x1111:7", "report", "r:31", "next", "extra", "allocator", "a", "readonly", "1")
	if a.Int("unchanged") != 1 {
		t.Errorf("what the application passed was changed")
	}
	handle, allocator := address(t, h, "i"), address(t, h, "a")
	var sorts int64
	if world.Windows() { // WIN-060
		sorts = 1
	}
	var gipas []string
	for i, name := range names {
		e := first(t, w, name, "vkCreateInstance")
		if want := "47.3 47.2 47.1 47.0 1000128004 1000011000 999123 999124"; shape(e) != want {
			t.Errorf("%s: chain %s, want %s", name, shape(e), want)
		}
		c := e.Objects("chain")
		if c[0].Int("features") != sorts || c[1].Int("create") != 1 || c[1].Int("destroy") != 1 || c[2].Int("set") != 1 {
			t.Errorf("%s: chain %v", name, c)
		}
		if len(links(e)) != 3-i {
			t.Errorf("%s: %d links, want %d", name, len(links(e)), 3-i)
		}
		same(t, name+" layers", e.Strings("layers"), names[2:])
		same(t, name+" extensions", e.Strings("extensions"), []string{"VK_EXT_direct_mode_display", "VK_EXT_debug_utils", "VK_KHR_surface"})
		if e.Int("api") != 1<<22|1<<12 || e.Text("allocator") != allocator || e.Text("handle") != handle {
			t.Errorf("%s: %v, want handle %s, allocator %s", name, e, handle, allocator)
		}
		gipas = append(gipas, e.Text("own gipa"))
	}
	all := links(first(t, w, names[0], "vkCreateInstance"))
	if all[0].Text("gipa") != gipas[1] || all[1].Text("gipa") != gipas[2] || slices.Contains(gipas, all[2].Text("gipa")) || all[2].IsNull("gipa") {
		t.Errorf("links %v of layers with %v", all, gipas)
	}
	made := first(t, w, "a", "vkCreateInstance")
	if got := made.Ints("next"); !slices.Equal(got, []int{47, 47, 47, 47, 1000128004, 1000011000, 999123, 999124}) {
		t.Errorf("the driver's chain: %v", got)
	}
	same(t, "the driver's extensions", made.Strings("extensions"), []string{"VK_KHR_surface"})
	if made.Int("layer_count") != 0 || !made.IsNull("layer_names") {
		t.Errorf("the driver got layers: %v", made)
	}
	h.Do("destroy_instance", "allocator", "a")
	h.Quit()
}

// holds: LAY-305 LAY-304
func TestInstanceStructuresWithoutLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	h := w.Start()
	h.Do("memory", "as", "extra", "u32@0", "999123")
	h.OK("create_instance", "next", "extra")
	if got := first(t, w, "a", "vkCreateInstance").Ints("next"); !slices.Equal(got, []int{47, 47, 47, 999123}) {
		t.Errorf("the driver's chain: %v", got)
	}
	h.OK("create_device", "pd", device(h), "unknown", "999124")
	if got := first(t, w, "a", "vkCreateDevice").Ints("next"); !slices.Equal(got, []int{48, 999124}) {
		t.Errorf("the driver's chain: %v", got)
	}
	h.Quit()
}

// holds: LAY-314 LAY-287 LAY-289
func TestLinksToPhysicalDeviceLookup(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	names := []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3", "VK_LAYER_4", "VK_LAYER_5"}
	w.ExplicitLayer(names[0])
	w.ExplicitLayer(names[1], "negotiate_null gpdpa")
	w.ExplicitLayer(names[2], "negotiate 0 1")
	w.ExplicitLayer(names[3])
	w.ExplicitLayer(names[4]).Kind(world.LayerOld)
	h := w.Start()
	var words []string
	for _, name := range names {
		words = append(words, "layer", name)
	}
	h.OK("create_instance", words...)
	all := links(first(t, w, names[0], "vkCreateInstance"))
	fourth := first(t, w, names[3], "vkCreateInstance").Text("own gpdpa")
	for i := range 3 {
		if all[i].Text("gpdpa") != fourth {
			t.Errorf("link of %s has GPDPA %s, want that of %s, %s", names[i], all[i].Text("gpdpa"), names[3], fourth)
		}
	}
	for i := 3; i < 5; i++ {
		if all[i].IsNull("gpdpa") || all[i].Text("gpdpa") == fourth || all[i].Text("gpdpa") != all[4].Text("gpdpa") {
			t.Errorf("link of %s has GPDPA %s, want the loader's", names[i], all[i].Text("gpdpa"))
		}
	}
	h.Quit()
}

// holds: LAY-317 LAY-318 GPA-035
func TestLayersChangeWhatIsPassedDown(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a", "ext VK_KHR_surface").API("1.3.0")
	w.Driver("b", "device name=b").API("1.3.0")
	w.ExplicitLayer("VK_LAYER_x", "add_ext VK_KHR_surface", "add_ext VK_XX_invented", "change_api 1.3.0")
	h := w.Start()
	if h.OK("create_instance", "as", "plain"); h.Do("gipa", "instance", "plain", "name", "vkEnumerateInstanceVersion").Int("ptr") == 0 {
		t.Errorf("global command missing with 1.0")
	}
	w.ForgetLog()
	h.OK("create_instance", "layer", "VK_LAYER_x")
	same(t, "extensions of a", first(t, w, "a", "vkCreateInstance").Strings("extensions"), []string{"VK_KHR_surface"})
	same(t, "extensions of b", first(t, w, "b", "vkCreateInstance").Strings("extensions"), nil)
	for _, driver := range []string{"a", "b"} {
		if got := first(t, w, driver, "vkCreateInstance").Object("app").Int("api"); got != 1<<22|3<<12 {
			t.Errorf("%s was asked for version %#x", driver, got)
		}
	}
	if h.Do("gipa", "instance", "i", "name", "vkEnumerateInstanceVersion").Int("ptr") != 0 {
		t.Errorf("global command of an instance of version 1.3")
	}
	h.Quit()
}

// holds: LAY-319 LAY-320 LAY-330 GPA-076
func TestWhoOffersCreation(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	x := w.ExplicitLayer("VK_LAYER_x", "log_lookups vkCreateInstance")
	y := w.ExplicitLayer("VK_LAYER_y", "log_lookups vkCreateInstance")
	h := start(w)
	h.OK("create_instance", "layer", "VK_LAYER_x", "layer", "VK_LAYER_y")
	asked := w.Log().By("VK_LAYER_x").Fn("gipa")
	if len(asked) == 0 || asked[0].Text("handle") != address(t, h, "i") {
		t.Errorf("asked for vkCreateInstance with %v", asked)
	}
	same(t, "created", created(w), []string{"VK_LAYER_x", "VK_LAYER_y", "a"})
	h.Do("destroy_instance")
	w.ForgetLog()
	y.Script("gipa_null vkCreateInstance")
	if got := h.Do("create_instance", "layer", "VK_LAYER_x", "layer", "VK_LAYER_y"); got.Result() != initializationError || got.Int("written") != 0 {
		t.Errorf("nothing below: %v", got)
	}
	same(t, "created", created(w), []string{"VK_LAYER_x"})
	silent(t, h.Stderr(), "Failed to find 'vkCreateInstance'")
	x.Script("gipa_null vkCreateInstance")
	w.ForgetLog()
	if got := h.Do("create_instance", "layer", "VK_LAYER_x", "layer", "VK_LAYER_y"); got.Result() != initializationError || got.Int("written") != 0 {
		t.Errorf("nothing on top: %v", got)
	}
	same(t, "created", created(w), nil)
	said(t, h.Quit().Stderr, 1, "ERROR", "loader_create_instance_chain: Failed to find 'vkCreateInstance'")
}

// holds: LAY-322 LAY-323 HND-031 HND-032 HND-035 HND-036
func TestDamagedInstance(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"null", "other", "zero"} {
		for _, debug := range []string{"", "error"} {
			w := world.New(t)
			w.Driver("a")
			w.ExplicitLayer("VK_LAYER_x", "corrupt instance "+how)
			if debug != "" {
				w.Env["VK_LOADER_DEBUG"] = debug
			}
			h := w.Start()
			exit := h.Dies("create_instance", "layer", "VK_LAYER_x")
			aborted(t, exit)
			if got := created(w); !slices.Equal(got, []string{"VK_LAYER_x"}) {
				t.Errorf("%s: created %v", how, got)
			}
			handle := first(t, w, "VK_LAYER_x", "vkCreateInstance").Text("handle")
			switch how {
			case "null":
				said(t, exit.Stderr, 1, "ERROR", "terminator_CreateInstance: Loader instance pointer null encountered.  Possibly set by active layer. (Policy #LLP_LAYER_21)")
			case "zero":
				said(t, exit.Stderr, 1, "ERROR", "terminator_CreateInstance: Instance pointer ("+world.Pointer(handle)+") has invalid MAGIC value 0x00000000. Instance value possibly corrupted by active layer (Policy #LLP_LAYER_21).  ")
			default:
				if !strings.Contains(exit.Stderr, ") has invalid MAGIC value 0x00000000. Instance value possibly corrupted by active layer (Policy #LLP_LAYER_21).  \n") || strings.Contains(exit.Stderr, world.Pointer(handle)) {
					t.Errorf("%s: %s", how, exit.Stderr)
				}
			}
		}
	}
}

// holds: LAY-324 LAY-325 LAY-326 LAY-334 LAY-376
func TestWrappedInstance(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	w.ExplicitLayer("VK_LAYER_1")
	w.ExplicitLayer("VK_LAYER_2", "wrap instance")
	w.ExplicitLayer("VK_LAYER_3")
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2", "layer", "VK_LAYER_3")
	own := address(t, h, "i")
	wrapper := leave(t, w, "VK_LAYER_2", "vkCreateInstance").Text("handle")
	if wrapper == own || leave(t, w, "VK_LAYER_1", "vkCreateInstance").Text("handle") != wrapper || leave(t, w, "VK_LAYER_3", "vkCreateInstance").Text("handle") != own {
		t.Errorf("handles: wrapper %s, own %s, %v", wrapper, own, w.Log().Fn("vkCreateInstance"))
	}
	// A second instance with other layers.
	w.ForgetLog()
	h.OK("create_instance", "as", "j", "layer", "VK_LAYER_3")
	same(t, "created", created(w), []string{"VK_LAYER_3", "a"})
	w.ForgetLog()
	a := h.OK("physical_devices")
	same(t, "enumerated", w.Log().Fn("vkEnumeratePhysicalDevices").Who()[:4], []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3", "a"})
	w.ForgetLog()
	h.OK("physical_devices", "instance", "j")
	if got := w.Log().Fn("vkEnumeratePhysicalDevices").Who(); len(got) < 2 || got[0] != "VK_LAYER_3" || got[1] != "a" {
		t.Errorf("the other instance: %v", got)
	}
	word := func(ref string) int64 { return h.Do("peek", "ref", ref).Int("ptr") }
	if word("i") != word(world.Ref(a.Ints("devices")[0])) || word("i") == word("j") {
		t.Errorf("first words: %d, %d, %d", word("i"), word(world.Ref(a.Ints("devices")[0])), word("j"))
	}
	w.ForgetLog()
	h.Do("destroy_instance")
	for name, want := range map[string]string{"VK_LAYER_1": wrapper, "VK_LAYER_2": wrapper, "VK_LAYER_3": own} {
		if got := first(t, w, name, "vkDestroyInstance"); got.Text("handle") != want || got.Int("known") != 1 {
			t.Errorf("%s: destroyed %v, want %s", name, got, want)
		}
	}
	same(t, "destroyed", calls(w, "vkDestroyInstance"), []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3", "a"})
	w.ForgetLog()
	h.OK("physical_devices", "instance", "j")
	h.Do("destroy_instance", "name", "j")
	same(t, "destroyed", calls(w, "vkDestroyInstance"), []string{"VK_LAYER_3", "a"})
	h.Quit()
}

// holds: LAY-327 LAY-328 LAY-329 LAY-275
func TestErrorsOfLayers(t *testing.T) {
	t.Parallel()
	const warning = "vkCreateInstance: Layer returning invalid extension error not triggered by ICD/Loader (Policy #LLP_LAYER_17)."
	for _, when := range []string{"before", "after"} {
		for _, code := range []int{-1, initializationError, extensionNotPresent, incompatibleDriver, invalidShader} {
			w := world.New(t)
			w.Driver("a")
			w.Driver("b")
			w.ExplicitLayer("VK_LAYER_1")
			w.ExplicitLayer("VK_LAYER_2", fmt.Sprintf("error vkCreateInstance %d %s", code, when))
			w.ExplicitLayer("VK_LAYER_3")
			h := start(w)
			a := h.Do("create_instance", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2", "layer", "VK_LAYER_3")
			if a.Result() != code || a.Int("written") != 0 {
				t.Errorf("%d %s: %v", code, when, a)
			}
			destroyed := w.Log().Fn("vkDestroyInstance").Who()
			slices.Sort(destroyed)
			var want []string
			if when == "after" {
				want = []string{"a", "b"}
			}
			same(t, fmt.Sprintf("%d %s: destroyed", code, when), slices.DeleteFunc(destroyed, func(s string) bool { return strings.HasPrefix(s, "VK_") }), want)
			if left := h.Do("maps", "match", "VK_LAYER").Strings("maps"); len(left) != 0 {
				t.Errorf("still mapped: %v", left)
			}
			said(t, h.Quit().Stderr, map[bool]int{true: 1}[code == extensionNotPresent], "WARNING", warning)
		}
	}
	w := world.New(t)
	w.Driver("a")
	w.ExplicitLayer("VK_LAYER_1")
	h := start(w)
	if got := h.Do("create_instance", "layer", "VK_LAYER_1", "ext", "VK_KHR_surface").Result(); got != extensionNotPresent {
		t.Errorf("result %d", got)
	}
	said(t, h.Quit().Stderr, 0, "WARNING", warning)
}

// holds: LAY-331 LAY-333 LAY-332 GPA-082 LAY-433 LAY-434
func TestCallsInsideCreation(t *testing.T) {
	t.Parallel()
	const props2 = "VK_KHR_get_physical_device_properties2"
	for _, c := range []struct{ api, ext, suffix string }{{"1.1.0", "", ""}, {"1.0.0", props2, "KHR"}} {
		w := world.New(t)
		w.Driver("a", "device name=a1", "device name=a2", "ext "+props2).API(c.api)
		w.ImplicitLayer("VK_LAYER_0")
		w.ExplicitLayer("VK_LAYER_1", "use vkGetPhysicalDeviceProperties2"+c.suffix, "use vkGetPhysicalDeviceFeatures2"+c.suffix)
		w.ExplicitLayer("VK_LAYER_2", "use vkGetPhysicalDeviceProperties2"+c.suffix, "use vkGetPhysicalDeviceFeatures2"+c.suffix, "reenter")
		h := w.Start()
		words := []string{"api", c.api, "layer", "VK_LAYER_1", "layer", "VK_LAYER_2"}
		if c.ext != "" {
			words = append(words, "ext", c.ext)
		}
		h.OK("create_instance", words...)
		used := w.Log().Fn("used")
		same(t, "used", used.Who(), []string{"VK_LAYER_2", "VK_LAYER_2", "VK_LAYER_1", "VK_LAYER_1"})
		for _, u := range used {
			want := []string{"a1", "a2"}
			if strings.Contains(u.Text("name"), "Features2") {
				want = []string{"", ""}
			}
			if u.Result() != 0 || u.Int("there") != 1 || !slices.Equal(u.Strings("devices"), want) {
				t.Errorf("%s: %v", c.api, u)
			}
		}
		if inner := w.Log().Fn("reentered"); len(inner) != 1 || inner[0].Result() != 0 {
			t.Errorf("a further instance inside: %v", inner)
		}
		var entered []string // the further instance has no layers but implicit ones, and starts at the top
		for _, e := range w.Log().Fn("vkCreateInstance") {
			if e.Text("phase") != "leave" {
				entered = append(entered, e.Text("who"))
			}
		}
		same(t, "entered", entered, []string{"VK_LAYER_0", "VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_0", "a", "a"})
		h.OK("create_device", "pd", device(h))
		threads := map[int64]bool{}
		for _, e := range w.Log() {
			threads[e.Int("thread")] = true
		}
		if len(threads) != 1 {
			t.Errorf("called on %d threads", len(threads))
		}
		h.Quit()
	}
}
