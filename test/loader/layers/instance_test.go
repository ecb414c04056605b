package layers

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

func enter(t *testing.T, w *world.World, who, fn string) world.Answer {
	t.Helper()
	for _, e := range w.Log().By(who).Fn(fn) {
		if e.Text("phase") == "enter" {
			return e
		}
	}
	t.Fatalf("%s never entered %s", who, fn)
	return nil
}

func functions(e world.Answer, loaderType int64) (functions []int64, own []int64) {
	for _, s := range e.Objects("chain") {
		if s.Int("type") == loaderType {
			functions = append(functions, s.Int("function"))
		} else {
			own = append(own, s.Int("type"))
		}
	}
	return functions, own
}

// holds: LAY-304..LAY-318 LAY-319 LAY-321 INS-063 INS-072 GPA-005 GPA-035 GPA-076
func TestWhatLayersReceive(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := w.Driver("one").API("1.3.0").Script("ext VK_KHR_surface 25", "ext VK_KHR_display 1")
	w.ImplicitLayer("VK_LAYER_top")
	w.ImplicitLayer("VK_LAYER_nogpdpa", "negotiate_null gpdpa")
	w.ExplicitLayer("VK_LAYER_bottom", "add_ext VK_KHR_display", "add_ext VK_EXT_nobody_has", "change_api 1.3.5", "log_lookups vkCreateInstance")
	h := w.Start()
	h.Do("memory", "as", "extra", "size", "32", "u32@0", "2147483000")
	h.Do("allocator", "as", "a")
	h.OK("create_instance", "api", "1.1.0", "layer", "VK_LAYER_bottom", "ext", "VK_KHR_surface", "flags", "4", "messenger", "m:0x1:7", "report", "r:1", "next", "extra",
		"allocator", "a", "readonly", "1")
	if gipaOf(h, "vkGetPhysicalDeviceDisplayPropertiesKHR") == 0 {
		t.Error("an extension that a layer added does not count as enabled")
	}
	if gipaOf(h, "vkEnumerateInstanceVersion") != 0 {
		t.Error("the version that a layer raised to 1.3 does not decide")
	}
	h.Do("destroy_instance", "allocator", "a")
	stats := h.Do("allocator_stats")
	if stats.Int("live") != 0 || stats.Int("faults") != 0 {
		t.Errorf("allocator: %v", stats)
	}
	h.Quit()
	wantOwn := []int64{1000128004, 1000011000, 2147483000}
	for i, name := range []string{"VK_LAYER_top", "VK_LAYER_nogpdpa", "VK_LAYER_bottom"} {
		e := enter(t, w, name, "vkCreateInstance")
		kinds, own := functions(e, 47)
		if !slices.Equal(kinds, []int64{3, 2, 1, 0}) {
			t.Errorf("%s got the loader's structures %v", name, kinds)
		}
		if !slices.Equal(own, wantOwn) {
			t.Errorf("%s got the program's structures %v", name, own)
		}
		if !slices.Equal(e.Strings("layers"), []string{"VK_LAYER_bottom"}) || !slices.Equal(e.Strings("extensions"), []string{"VK_KHR_surface"}) {
			t.Errorf("%s got layers %v, extensions %v", name, e.Strings("layers"), e.Strings("extensions"))
		}
		if e.Int("api") != 1<<22|1<<12 || e.Int("flags") != 4 || e.IsNull("handle") || e.IsNull("allocator") {
			t.Errorf("%s got %v", name, e)
		}
		var sorts int64
		if world.Windows() { // WIN-060
			sorts = 1
		}
		for _, s := range e.Objects("chain") {
			switch {
			case s.Int("type") != 47:
			case s.Int("function") == 3 && s.Int("features") != sorts, s.Int("function") == 1 && s.Int("set") != 1,
				s.Int("function") == 2 && (s.Int("create") != 1 || s.Int("destroy") != 1):
				t.Errorf("%s got %v", name, s)
			case s.Int("function") == 0:
				links := s.Objects("links")
				if len(links) != 3-i {
					t.Errorf("%s got %d links, want %d", name, len(links), 3-i)
				}
				for _, l := range links {
					if l.IsNull("gipa") || l.IsNull("gpdpa") {
						t.Errorf("%s: a link lacks something: %v", name, l)
					}
				}
			}
		}
	}
	// The link of the top layer skips the layer without GPDPA.
	links := enter(t, w, "VK_LAYER_top", "vkCreateInstance").Objects("chain")[3].Objects("links")
	if links[0].Text("gpdpa") != links[1].Text("gpdpa") {
		t.Errorf("GPDPA of the first link is %s, want that of the second, %s", links[0].Text("gpdpa"), links[1].Text("gpdpa"))
	}
	made := w.Log().By("one").Fn("vkCreateInstance")[0]
	if !slices.Equal(made.Strings("extensions"), []string{"VK_KHR_surface", "VK_KHR_display"}) || made.Int("layer_count") != 0 || !made.IsNull("layer_names") {
		t.Errorf("the driver got %v", made)
	}
	if made.Object("app").Int("api") != 1<<22|3<<12|5 {
		t.Errorf("the driver got version %d", made.Object("app").Int("api"))
	}
	if got := made.Strings("next"); !slices.Equal(got, []string{"47", "47", "47", "47", "1000128004", "1000011000", "2147483000"}) {
		t.Errorf("the driver got the chain %v", got)
	}
	lookups := w.Log().By("VK_LAYER_bottom").Fn("gipa")
	_ = one
	if len(lookups) == 0 {
		t.Error("the layer above did not ask for vkCreateInstance")
	}
}

func gipaOf(h *world.Host, name string) int64 {
	return h.Do("gipa", "instance", "i", "name", name).Int("ptr")
}

// holds: LAY-304 LAY-305 LAY-315
func TestChainWithoutLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	h.OK("create_instance")
	h.Quit()
	if got := w.Log().Fn("vkCreateInstance")[0].Strings("next"); !slices.Equal(got, []string{"47", "47", "47"}) {
		t.Errorf("the driver got the chain %v, want three structures", got)
	}
}

// holds: LAY-327..LAY-330 LAY-320 LAY-38 INS-026 INS-057 INS-078 ALC-025 ALC-038
func TestLayersThatFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script string
		result int
		driver bool // the driver's instance was created
		text   string
	}{
		{"error vkCreateInstance -1000012000 before", -1000012000, false, ""},
		{"error vkCreateInstance -1000012000 after", -1000012000, true, ""},
		{"error vkCreateInstance -1 before", -1, false, ""},
		{"error vkCreateInstance -1 after", -1, true, ""},
		{"error vkCreateInstance 5 before", 5, false, ""}, // INS-026
		{"error vkCreateInstance 5 after", 5, true, ""},
		{"error vkCreateInstance 1000001003 after", 1000001003, true, ""},
		{"error vkCreateInstance -7 before", -7, false, "vkCreateInstance: Layer returning invalid extension error not triggered by ICD/Loader (Policy #LLP_LAYER_17)."},
		{"gipa_null vkCreateInstance", initFailed, false, "loader_create_instance_chain: Failed to find 'vkCreateInstance'"},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("one")
			w.Driver("two")
			w.ImplicitLayer("VK_LAYER_x", c.script)
			w.Env["VK_LOADER_DEBUG"] = "all"
			h := w.Start()
			h.Do("allocator")
			a := h.Do("create_instance", "allocator", "a")
			if a.Result() != c.result || a.Int("written") != 0 {
				t.Errorf("answer %v, want result %d and nothing written", a, c.result)
			}
			if stats := h.Do("allocator_stats"); stats.Int("live") != 0 || stats.Int("faults") != 0 {
				t.Errorf("allocator: %v", stats)
			}
			if maps := h.Do("maps", "match", w.Path("lib")).Strings("maps"); len(maps) != 0 {
				t.Errorf("still mapped: %v", maps)
			}
			exit := h.Quit()
			made, gone := 0, 0
			for _, e := range w.Log().Fn("vkCreateInstance", "vkDestroyInstance") {
				if e.Text("who") == "VK_LAYER_x" {
					continue
				}
				if e.Text("fn") == "vkCreateInstance" {
					made++
				} else {
					gone++
				}
			}
			if want := map[bool]int{true: 2, false: 0}[c.driver]; made != want || gone != want {
				t.Errorf("%d instances of drivers made, %d destroyed, want %d", made, gone, want)
			}
			if c.text != "" && !slices.Contains(exit.Messages(), c.text) {
				t.Errorf("no %q in %q", c.text, exit.Messages())
			}
		})
	}
	// A layer in the middle has no vkCreateInstance: the layer above gets NULL.
	w := world.New(t)
	w.Driver("one")
	w.ImplicitLayer("VK_LAYER_above")
	w.ImplicitLayer("VK_LAYER_below", "gipa_null vkCreateInstance")
	h := w.Start()
	if a := h.Do("create_instance"); a.Result() != initFailed {
		t.Errorf("result %d, want what the layer above returned", a.Result())
	}
	h.Quit()
}

// holds: LAY-322 LAY-323 LAY-357 LAY-358 HND-031..HND-036 INS-079 INS-080 DEV-042 DEV-043
func TestDamagedHandles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, text string }{
		{"corrupt instance null", "terminator_CreateInstance: Loader instance pointer null encountered.  Possibly set by active layer. (Policy #LLP_LAYER_21)"},
		{"corrupt instance other", "has invalid MAGIC value 0x00000000. Instance value possibly corrupted by active layer (Policy #LLP_LAYER_21).  "},
		{"corrupt instance zero", "has invalid MAGIC value 0x00000000. Instance value possibly corrupted by active layer (Policy #LLP_LAYER_21).  "},
		{"corrupt device null", "terminator_CreateDevice: Loader device pointer null encountered.  Possibly set by active layer. (Policy #LLP_LAYER_22)"},
		{"corrupt device other", "has invalid MAGIC value 0x00000000. The expected value is 0x10ADED040410ADED. Device value possibly corrupted by active layer (Policy #LLP_LAYER_22).  "},
		{"corrupt device zero", "has invalid MAGIC value 0x00000000. The expected value is 0x10ADED040410ADED. Device value possibly corrupted by active layer (Policy #LLP_LAYER_22).  "},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("one")
			w.ImplicitLayer("VK_LAYER_above")
			w.ImplicitLayer("VK_LAYER_x", c.script)
			h := w.Start()
			var exit world.Exit
			prefix := "terminator_CreateInstance: Instance pointer ("
			if strings.Contains(c.script, "device") {
				h.OK("create_instance")
				pd := h.OK("physical_devices").Ints("devices")[0]
				exit = h.Dies("create_device", "pd", world.Ref(pd))
				prefix = "terminator_CreateDevice: Device pointer ("
			} else {
				exit = h.Dies("create_instance")
			}
			if exit.Signal != syscall.SIGABRT {
				t.Errorf("died of %v", exit.Signal)
			}
			found := false
			for _, m := range exit.Messages() {
				found = found || m == c.text || strings.HasPrefix(m, prefix) && strings.HasSuffix(m, ") "+c.text)
			}
			if !found {
				t.Errorf("no %q in %q", c.text, exit.Messages())
			}
		})
	}
}

// holds: LAY-324..LAY-326 LAY-333 LAY-334 LAY-375..LAY-377 LAY-380..LAY-386 GPA-069 GPA-070 GPA-073 GPA-075
func TestWrapping(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"w", "wp", "pw", "pwp", "ww", "wpw"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("one", "device name=a type=cpu", "device name=b type=cpu").API("1.1.0").Script("ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1", "ext VK_EXT_debug_utils 2")
			for i, kind := range order {
				name := fmt.Sprintf("VK_LAYER_%d%c", i, kind)
				if kind == 'w' {
					w.ImplicitLayer(name, "wrap instance physdev device")
				} else {
					w.ImplicitLayer(name)
				}
			}
			h := w.Start()
			h.OK("create_instance", "api", "1.1.0", "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface", "ext", "VK_EXT_debug_utils")
			devices := h.OK("physical_devices").Ints("devices")
			if again := h.OK("physical_devices").Ints("devices"); len(devices) != 2 || !slices.Equal(devices, again) {
				t.Errorf("devices %v, then %v", devices, again)
			}
			groups := h.OK("device_groups").Objects("groups")
			if len(groups) != 2 || groups[0].Ints("devices")[0] != devices[0] {
				t.Errorf("groups %v, devices %v", groups, devices)
			}
			if h.Do("properties2", "pd", world.Ref(devices[1])).Text("name") != "b" {
				t.Error("a query reached another device")
			}
			h.OK("create_surface", "type", "headless")
			h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", world.Ref(devices[0]), "arg", "0", "arg", "s", "arg", "out")
			h.OK("create_device", "pd", world.Ref(devices[0]), "group", world.Ref(devices[0]))
			if h.Do("get_queue").Int("same_word") != 1 || h.OK("command_buffers").Int("same_word") != 1 {
				t.Error("queue or command buffer has another first word than the device")
			}
			h.Do("call", "name", "vkCmdDraw", "arg", "c0", "arg", "1", "arg", "1", "arg", "0", "arg", "0")
			h.OK("call", "name", "vkQueueWaitIdle", "arg", "q")
			h.OK("call", "name", "vkDeviceWaitIdle", "arg", "d")
			h.Do("call", "via", "gdpa", "device", "d", "name", "vkDeviceWaitIdle", "arg", "d")
			for handle, kind := range map[string]string{"i": "1", world.Ref(devices[1]): "2", "d": "3", "s": "1000000000"} {
				h.OK("set_name", "instance", "i", "type", kind, "handle", handle, "name", "x")
			}
			h.Do("destroy_device")
			h.Do("destroy_surface")
			h.Do("destroy_instance")
			h.Quit()
			for _, e := range w.Log().By("one") {
				for key, value := range e {
					if text, ok := value.(string); ok && (strings.HasPrefix(text, "foreign") || strings.HasPrefix(text, "dead")) {
						t.Errorf("the driver's %s got %s = %s", e.Text("fn"), key, text)
					}
				}
			}
			for _, e := range w.Log() {
				if _, has := e["known"]; has && e.Int("known") != 1 {
					t.Errorf("%s got a handle that is not its own: %v", e.Text("who"), e)
				}
			}
			if n := len(w.Log().By("one").Fn("vkCmdDraw", "vkQueueWaitIdle", "vkDeviceWaitIdle")); n != 4 {
				t.Errorf("the driver saw %d of 4 calls", n)
			}
		})
	}
}

// holds: LAY-331..LAY-333 LAY-335 LAY-230 GPA-068 GPA-077 GPA-078 GPA-082 THR-011
func TestCallsInsideCreation(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "device name=b")
	names := []string{"vkGetInstanceProcAddr", "vk_layerGetPhysicalDeviceProcAddr", "vkCreateInstance", "vkCreateDevice", "vkEnumerateInstanceExtensionProperties",
		"vkEnumerateInstanceLayerProperties", "vkEnumerateInstanceVersion"}
	others := []string{"vkDestroyInstance", "vkEnumeratePhysicalDevices", "vkGetDeviceProcAddr", "vkCmdDraw", "vkNobodyKnowsThis"}
	script := []string{"query_globals", "enumerate_in_create", "reenter"}
	for _, name := range append(append([]string{}, names...), others...) {
		script = append(script, "query_null "+name)
	}
	w.ImplicitLayer("VK_LAYER_pre", "pre_version 1.9.0", "pre_layers 17").Set("pre_instance_functions", map[string]string{"vkEnumerateInstanceVersion": "fakePreVersion", "vkEnumerateInstanceLayerProperties": "fakePreLayers"})
	w.ImplicitLayer("VK_LAYER_x", script...)
	h := w.Start()
	own := h.Do("instance_version")
	if own.Text("text") != "0.1.9.0" {
		t.Errorf("the pre-instance function was not asked: %v", own)
	}
	h.OK("create_instance")
	h.Do("destroy_instance")
	h.Quit()
	found := w.Log().Fn("globals")
	if len(found) == 0 {
		t.Fatal("nothing asked")
	}
	g := found[0]
	if g.Int("version")>>12 == 1<<10|9 || g.Int("layers") != 2 || g.Int("extensions") != 4 {
		t.Errorf("inside, the global functions give %v", g)
	}
	for _, name := range names {
		if g.Object("null").Int(name) != 1 {
			t.Errorf("%s is NULL below the last layer", name)
		}
	}
	for _, name := range others {
		if g.Object("null").Int(name) != 0 {
			t.Errorf("%s is not NULL below the last layer for a NULL instance", name)
		}
	}
	if e := w.Log().Fn("enumerated"); len(e) == 0 || e[0].Int("result") != 0 || e[0].Int("count") != 2 {
		t.Errorf("inside, enumeration gives %v", e)
	}
	if e := w.Log().Fn("reentered"); len(e) != 1 || e[0].Int("result") != 0 {
		t.Errorf("another instance inside: %v", e)
	}
}

// holds: LAY-423..LAY-427 DEV-035 DEV-036
func TestCallStackLines(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := w.Driver("one")
	i := w.ImplicitLayer("VK_LAYER_i").Set("enable_environment", map[string]string{"SWITCH_I": "on"})
	v := w.ExplicitLayer("VK_LAYER_v")
	e := w.ExplicitLayer("VK_LAYER_e")
	a := w.ExplicitLayer("VK_LAYER_a")
	w.Env["SWITCH_I"] = "on"
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_v"
	w.Env["VK_LOADER_LAYERS_ENABLE"] = "*_e"
	w.Env["VK_LOADER_DEBUG"] = "layer"
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_a")
	pd := h.OK("physical_devices").Ints("devices")[0]
	h.OK("create_device", "pd", world.Ref(pd))
	exit := h.Quit()
	block := func(f *world.Fake, kind, by string, more ...string) []string {
		out := []string{"   " + f.Name, "           Type: " + kind, "           Enabled By: " + by}
		out = append(out, more...)
		return append(out, "           Manifest: "+f.ManifestPath, "           Library:  "+f.Library, "     ||")
	}
	head := []string{"   <Application>", "     ||", "   <Loader>", "     ||"}
	lines := func(instance bool) []string {
		out := append([]string{"vkCreateInstance layer callstack setup to:"}, head...)
		more := []string{"               Disable Env Var:  DISABLE_VK_LAYER_i"}
		if instance {
			more = append(more, "               This layer was enabled because Env Var SWITCH_I was set to Value on")
		} else {
			out[0] = "vkCreateDevice layer callstack setup to:"
		}
		out = append(out, block(i, "Implicit", "Implicit Layer", more...)...)
		out = append(out, block(v, "Explicit", "Environment Variable VK_INSTANCE_LAYERS")...)
		out = append(out, block(e, "Explicit", "Environment Variable VK_LOADER_LAYERS_ENABLE")...)
		out = append(out, block(a, "Explicit", "By the Application")...)
		if instance {
			return append(out, "   <Drivers>")
		}
		return append(out, "   <Device>", "       Using \"one\" with driver: \""+one.Library+"\"")
	}
	got := strings.Join(exit.Messages(), "\n")
	for _, instance := range []bool{true, false} {
		if want := strings.Join(lines(instance), "\n"); !strings.Contains(got, want) {
			t.Errorf("instance %v: want\n%s\nin\n%s", instance, want, got)
		}
	}
	if !strings.Contains(exit.Stderr, "[Vulkan Loader] LAYER:             <Application>") {
		t.Errorf("header of the instance's lines:\n%s", exit.Stderr)
	}
	if !strings.Contains(exit.Stderr, "[Vulkan Loader] DRIVER | LAYER:    <Application>") && !strings.Contains(exit.Stderr, "[Vulkan Loader] DRIVER:            <Application>") {
		t.Errorf("header of the device's lines:\n%s", exit.Stderr)
	}
}
