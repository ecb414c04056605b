package chain

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// created lists the layers and drivers whose vkCreateInstance was called, top to bottom.
func created(w *world.World) []string { return calls(w, "vkCreateInstance") }

// libraries lists the files in the world's lib directory that the loader opened, in order.
func libraries(accesses []string) []string {
	var out []string
	for _, a := range accesses {
		if path, ok := strings.CutPrefix(a, "dlopen "); ok {
			if i := strings.Index(path, "/lib/"); i >= 0 {
				out = append(out, strings.TrimSuffix(strings.Fields(path[i+5:])[0], ".so"))
			}
		}
	}
	return out
}

// holds: LAY-276 LAY-277 LAY-278 LAY-281 LAY-282 LAY-285 LAY-286 LAY-430
func TestLoadingOrder(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Accesses()
	w.Driver("a")
	w.ImplicitLayer("VK_LAYER_i1")
	w.ImplicitLayer("VK_LAYER_i2")
	w.ExplicitLayer("VK_LAYER_e1")
	w.ExplicitLayer("VK_LAYER_e2")
	w.ExplicitLayer("VK_LAYER_unused")
	names := []string{"VK_LAYER_i1", "VK_LAYER_i2", "VK_LAYER_e2", "VK_LAYER_e1"} // top to bottom
	upwards := slices.Clone(names)
	slices.Reverse(upwards)
	list := []string{"VK_LAYER_i1", "VK_LAYER_i2", "VK_LAYER_e1", "VK_LAYER_e2"}
	h := start(w)
	h.OK("instance_layers")
	h.OK("instance_extensions")
	for _, l := range libraries(w.AccessLog()) {
		if l != "a" {
			t.Errorf("opened while enumerating: %s", l)
		}
	}
	for i := range 2 {
		w.ForgetLog()
		before, said := len(w.AccessLog()), len(h.Stderr())
		h.OK("create_instance", "as", fmt.Sprint("i", i), "layer", "VK_LAYER_e2", "layer", "VK_LAYER_e1")
		opened := slices.DeleteFunc(libraries(w.AccessLog()[before:]), func(l string) bool { return l == "a" })
		same(t, "opened", opened, upwards)
		for _, access := range w.AccessLog()[before:] {
			if strings.HasPrefix(access, "dlopen ") && strings.Contains(access, "VK_LAYER") && !strings.HasSuffix(access, " 1") && len(strings.Fields(access)) > 2 {
				t.Errorf("mode is not RTLD_LAZY | RTLD_LOCAL: %s", access)
			}
		}
		negotiated := w.Log().Fn("vkNegotiateLoaderLayerInterfaceVersion")
		same(t, "negotiated", negotiated.Who(), upwards)
		for _, n := range negotiated {
			if n.Int("type") != 1 || !n.IsNull("next") || n.Int("version") != 2 || n.Int("pointers") != 0 {
				t.Errorf("negotiation with %v", n)
			}
		}
		for _, name := range names {
			if seen := w.Log().By(name); seen[0].Text("fn") != "vkNegotiateLoaderLayerInterfaceVersion" {
				t.Errorf("%s: first called is %s", name, seen[0].Text("fn"))
			}
		}
		same(t, "order of creation", created(w), append(slices.Clone(names), "a"))
		for _, e := range w.Log() { // nothing of the chain before the last negotiation
			if e.Text("fn") == "vkCreateInstance" && e.Int("at") < negotiated[3].Int("at") {
				t.Errorf("created before negotiation ended")
			}
		}
		var inserted, loading []string
		for _, m := range body(h.Stderr()[said:]) {
			if rest, ok := strings.CutPrefix(m, `Insert instance layer "`); ok {
				name, path, _ := strings.Cut(rest, `" (`)
				inserted = append(inserted, name)
				if path != w.Path("lib", name+".so")+")" {
					t.Errorf("inserted %s", m)
				}
			}
			if path, ok := strings.CutPrefix(m, "Loading layer library "); ok {
				loading = append(loading, strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".so"))
			}
		}
		same(t, "Insert instance layer", inserted, upwards)
		same(t, "Loading layer library", loading, upwards)
	}
	for i := range 2 {
		before := len(h.Stderr())
		h.Do("destroy_instance", "name", fmt.Sprint("i", i))
		var unloaded []string
		for _, m := range body(h.Stderr()[before:]) {
			if path, ok := strings.CutPrefix(m, "Unloading layer library "); ok {
				unloaded = append(unloaded, strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".so"))
			}
		}
		same(t, "Unloading layer library", unloaded, list)
		if left := h.Do("maps", "match", "VK_LAYER").Strings("maps"); (len(left) > 0) != (i == 0) {
			t.Errorf("mapped after destroying instance %d: %v", i, left)
		}
	}
	exit := h.Quit()
	said(t, exit.Stderr, 2, "DEBUG | LAYER", "Loading layer library "+w.Path("lib/VK_LAYER_i1.so"))
	said(t, exit.Stderr, 2, "DEBUG | LAYER", "Unloading layer library "+w.Path("lib/VK_LAYER_i1.so"))
	said(t, exit.Stderr, 2, "INFO | LAYER", fmt.Sprintf(`Insert instance layer "VK_LAYER_i1" (%s)`, w.Path("lib/VK_LAYER_i1.so")))
	silent(t, exit.Stderr, `Insert instance layer "VK_LAYER_unused`)
}

// holds: LAY-281
func TestUnloadingAfterFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script string
		result int
	}{{"error vkCreateInstance -1000012000 before", invalidShader}, {"error vkCreateInstance -3 after", initializationError}} {
		w := world.New(t)
		w.Driver("a")
		w.ExplicitLayer("VK_LAYER_e1")
		w.ExplicitLayer("VK_LAYER_e2", c.script)
		h := start(w)
		if got := h.Do("create_instance", "layer", "VK_LAYER_e2", "layer", "VK_LAYER_e1"); got.Result() != c.result || got.Int("written") != 0 {
			t.Errorf("%v", got)
		}
		if left := h.Do("maps", "match", "VK_LAYER").Strings("maps"); len(left) != 0 {
			t.Errorf("still mapped: %v", left)
		}
		exit := h.Quit()
		var unloaded []string
		for _, m := range body(exit.Stderr) {
			if path, ok := strings.CutPrefix(m, "Unloading layer library "); ok {
				unloaded = append(unloaded, path)
			}
		}
		same(t, "unloaded", unloaded, []string{w.Path("lib/VK_LAYER_e1.so"), w.Path("lib/VK_LAYER_e2.so")})
	}
}

// holds: LAY-279 LAY-280
func TestSharedLibraries(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	one := w.ExplicitLayer("VK_LAYER_one", "error vkCreateInstance -3 before")
	w.ExplicitLayer("VK_LAYER_twin").Set("library_path", one.Library)
	three, four := w.Copy(world.Layer, "three"), w.Copy(world.Layer, "four")
	object := func(name, library string) map[string]any {
		w.Write("lib/"+name+".so.script", "log "+w.Path("log")+"\nname "+name+"\n")
		return map[string]any{"name": "VK_LAYER_" + name, "type": "INSTANCE", "library_path": library, "api_version": "1.3.0",
			"implementation_version": "1", "description": "d"}
	}
	f := w.ExplicitLayer("VK_LAYER_many")
	w.Write(f.ManifestPath, world.JSON(map[string]any{"file_format_version": "1.2.1",
		"layers": []any{object("three", three), object("four", four)}}))
	h := start(w)
	if got := h.Do("create_instance", "layer", "VK_LAYER_one", "layer", "VK_LAYER_twin").Result(); got != initializationError {
		t.Errorf("result %d", got)
	}
	if n := len(w.Log().Fn("vkNegotiateLoaderLayerInterfaceVersion")); n != 2 {
		t.Errorf("negotiated %d times, want 2", n)
	}
	if e := first(t, w, "VK_LAYER_one", "vkCreateInstance"); len(links(e)) != 2 {
		t.Errorf("%d links, want 2", len(links(e)))
	}
	w.ForgetLog()
	h.OK("create_instance", "layer", "VK_LAYER_three", "layer", "VK_LAYER_four")
	same(t, "layers of one manifest", created(w), []string{"three", "four", "a"})
	h.OK("create_device", "pd", device(h))
	same(t, "layers of one manifest", calls(w, "vkCreateDevice"), []string{"three", "four", "a"})
	h.Do("destroy_device")
	h.Do("destroy_instance")
	h.Quit()
}

// holds: LAY-283
func TestOtherPathThanGiven(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	w.ExplicitLayer("VK_LAYER_plain", "error vkCreateInstance -3 before")
	linked := w.ExplicitLayer("VK_LAYER_linked")
	twin, link := w.Path("lib/twin.so"), w.Path("lib/link.so")
	if err := os.Link(w.Path("lib/VK_LAYER_plain.so"), twin); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(linked.Library, link); err != nil {
		t.Fatal(err)
	}
	linked.Set("library_path", link)
	w.ExplicitLayer("VK_LAYER_twin").Set("library_path", twin) // the same file: the dynamic linker keeps the first name
	h := start(w)
	h.Do("create_instance", "layer", "VK_LAYER_linked", "layer", "VK_LAYER_twin", "layer", "VK_LAYER_plain")
	exit := h.Quit()
	said(t, exit.Stderr, 1, "WARNING | LAYER", fmt.Sprintf("Path to given binary %s was found to differ from OS loaded path %s", twin, w.Path("lib/VK_LAYER_plain.so")))
	said(t, exit.Stderr, 1, "INFO | LAYER", fmt.Sprintf(`Insert instance layer "VK_LAYER_twin" (%s)`, w.Path("lib/VK_LAYER_plain.so")))
	said(t, exit.Stderr, 1, "INFO | LAYER", fmt.Sprintf(`Insert instance layer "VK_LAYER_linked" (%s)`, linked.Library))
}

// holds: LAY-284 LAY-287 LAY-288 LAY-289 LAY-290 LAY-291 LAY-294 LAY-295 LAY-344 LAY-340
func TestNegotiation(t *testing.T) {
	t.Parallel()
	const negotiate, exported = "vkNegotiateLoaderLayerInterfaceVersion", "exported gipa"
	for name, c := range map[string]struct {
		kind, format  string
		script        []string
		functions     map[string]any
		negotiated    string // the called symbol; "" for none
		exported      string // the export by which the GIPA was called
		withoutDevice bool
	}{
		"version 2":                          {negotiated: negotiate},
		"version 2, old file":                {format: "1.0.0", negotiated: negotiate},
		"version 2, only negotiation":        {kind: world.LayerNegOnly, negotiated: negotiate},
		"version 3":                          {script: []string{"negotiate 0 3"}, negotiated: negotiate},
		"version 400":                        {script: []string{"negotiate 0 400"}, negotiated: negotiate, kind: world.LayerNegOnly},
		"version 2 without GIPA":             {script: []string{"negotiate_null gipa"}, negotiated: negotiate, exported: exported},
		"version 2 without GIPA and GDPA":    {script: []string{"negotiate_null gipa", "negotiate_null gdpa"}, negotiated: negotiate, exported: exported, withoutDevice: true},
		"version 2 without GDPA":             {script: []string{"negotiate_null gdpa"}, negotiated: negotiate, withoutDevice: true},
		"version 2 without GPDPA":            {script: []string{"negotiate_null gpdpa"}, negotiated: negotiate},
		"version 1":                          {script: []string{"negotiate 0 1"}, negotiated: negotiate, exported: exported},
		"version 0":                          {script: []string{"negotiate 0 0"}, negotiated: negotiate, exported: exported},
		"fails":                              {script: []string{"negotiate -3 2"}, negotiated: negotiate, exported: exported},
		"incomplete":                         {script: []string{"negotiate 5 2"}, negotiated: negotiate, exported: exported},
		"no negotiation":                     {kind: world.LayerOld, exported: exported},
		"no negotiation, no GDPA":            {kind: world.LayerOldGIPA, exported: exported, withoutDevice: true},
		"renamed negotiation":                {kind: world.LayerRenamed, functions: map[string]any{negotiate: "fakeNegotiate"}, negotiated: "fakeNegotiate"},
		"renamed negotiation, others beside": {functions: map[string]any{negotiate: "fakeNegotiate"}, negotiated: "fakeNegotiate"},
		"renamed GIPA and GDPA": {kind: world.LayerRenamed, exported: "renamed gipa",
			functions: map[string]any{"vkGetInstanceProcAddr": "fakeGetInstanceProcAddr", "vkGetDeviceProcAddr": "fakeGetDeviceProcAddr"}},
	} {
		w := world.New(t)
		w.Driver("a")
		f := w.ExplicitLayer("VK_LAYER_x", append(c.script, "log_lookups vkCreateInstance")...)
		if c.kind != "" {
			f.Kind(c.kind)
		}
		if c.format != "" {
			f.Format(c.format)
		}
		if c.functions != nil {
			f.Set("functions", c.functions)
		}
		w.ExplicitLayer("VK_LAYER_y")
		h := start(w)
		h.OK("create_instance", "layer", "VK_LAYER_x", "layer", "VK_LAYER_y")
		h.OK("create_device", "pd", device(h))
		h.Do("destroy_device")
		h.Do("destroy_instance")
		same(t, name, created(w), []string{"VK_LAYER_x", "VK_LAYER_y", "a"})
		devices := []string{"VK_LAYER_x", "VK_LAYER_y", "a"}
		if c.withoutDevice {
			devices = devices[1:]
		}
		same(t, name, calls(w, "vkCreateDevice"), devices)
		log := w.Log().By("VK_LAYER_x")
		want := 1
		if c.negotiated == "" {
			want = 0
		}
		if got := len(log.Fn("vkNegotiateLoaderLayerInterfaceVersion")); got != want {
			t.Errorf("%s: negotiated %d times", name, got)
		}
		if c.negotiated == "fakeNegotiate" && len(log.Fn("fakeNegotiate")) != 1 {
			t.Errorf("%s: not by its renamed function", name)
		}
		for _, way := range []string{"exported gipa", "renamed gipa"} {
			if got := len(log.Fn(way)) > 0; got != (way == c.exported) {
				t.Errorf("%s: called through %s: %v", name, way, got)
			}
		}
		exit := h.Quit()
		left := 0
		if c.withoutDevice {
			left = 1
		}
		said(t, exit.Stderr, left, "INFO | LAYER", fmt.Sprintf(`Failed to find vkGetDeviceProcAddr in layer "%s"`, f.Library))
	}
}

// severityOf returns the severity of the dynamic linker's text, and the text.
func severityOf(linker string) (tag, text string) {
	if world.OtherClass(linker) {
		return "INFO", linker
	}
	return "ERROR", linker
}

// broken lists faults of a library, with the message about the layer: if the application named it, and otherwise.
var broken = map[string]struct {
	make func(w *world.World, f *world.Fake)
	tag  string
	own  func(f *world.Fake) (tag, text string)
	text string
}{
	"no library": {func(w *world.World, f *world.Fake) { f.Set("library_path", w.Path("lib/absent.so")) }, "",
		func(f *world.Fake) (string, string) {
			return "ERROR", world.MissingError(strings.TrimSuffix(f.Library, "VK_LAYER_bad.so") + "absent.so")
		}, `Requested layer "VK_LAYER_bad" failed to load`},
	"no ELF file": {func(w *world.World, f *world.Fake) { w.BadBinary("VK_LAYER_bad") }, "",
		func(f *world.Fake) (string, string) { return severityOf(world.HeaderError(f.Library)) },
		`Requested layer "VK_LAYER_bad" ` + world.Failure(world.HeaderError(""))},
	"wrong class": {func(w *world.World, f *world.Fake) { w.WrongClass("VK_LAYER_bad") }, "",
		func(f *world.Fake) (string, string) { return severityOf(world.ClassError(f.Library)) },
		`Requested layer "VK_LAYER_bad" ` + world.Failure(world.ClassError(""))},
	"no GIPA": {func(w *world.World, f *world.Fake) { f.Kind(world.LayerNothing) }, "",
		func(f *world.Fake) (string, string) {
			return "ERROR | LAYER", fmt.Sprintf(`loader_create_instance_chain: Failed to find 'vkGetInstanceProcAddr' in layer "%s"`, f.Library)
		}, "Shouldn't reach this. A valid version of requested layer VK_LAYER_bad was loaded but was not found in the list of activated layers"},
	"scheme of the oldest interface": {func(w *world.World, f *world.Fake) {
		f.Kind(world.LayerRenamed).Set("functions", map[string]any{"vkGetInstanceProcAddr": "absentGIPA"})
	}, "",
		func(f *world.Fake) (string, string) {
			return "ERROR | LAYER", fmt.Sprintf(`loader_create_instance_chain: Failed to find 'absentGIPA' in layer "%s"`, f.Library)
		}, "Shouldn't reach this. A valid version of requested layer VK_LAYER_bad was loaded but was not found in the list of activated layers"},
}

// holds: LAY-293 LAY-296 LAY-297 LAY-298 LAY-299 LAY-300 LAY-302 LAY-303 LAY-255 LAY-180
func TestLayersThatFail(t *testing.T) {
	t.Parallel()
	for name, b := range broken {
		for _, how := range []string{"application", "implicit", "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE", "implicit and application", "component"} {
			w := world.New(t)
			w.Driver("a")
			w.ImplicitLayer("VK_LAYER_above")
			w.ExplicitLayer("VK_LAYER_below")
			var f *world.Fake
			if strings.HasPrefix(how, "implicit") {
				f = w.ImplicitLayer("VK_LAYER_bad")
			} else {
				f = w.ExplicitLayer("VK_LAYER_bad")
			}
			f.Set("instance_extensions", extensions("VK_EXT_direct_mode_display"))
			b.make(w, f)
			words := []string{"layer", "VK_LAYER_below", "ext", "VK_EXT_direct_mode_display"}
			named := false
			active := []string{"VK_LAYER_above", "VK_LAYER_bad", "VK_LAYER_below"}
			switch how {
			case "application", "implicit and application":
				words, named = append([]string{"layer", "VK_LAYER_bad"}, words...), true
			case "component":
				w.ExplicitLayer("VK_LAYER_meta").Set("library_path", nil).Set("component_layers", []string{"VK_LAYER_bad"})
				words = append([]string{"layer", "VK_LAYER_meta"}, words...)
				active = []string{"VK_LAYER_above", "VK_LAYER_bad", "VK_LAYER_meta", "VK_LAYER_below"}
			case "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE":
				w.Env[how] = "VK_LAYER_bad"
			}
			h := start(w)
			before := h.OK("instance_layers").Strings("layers")
			extensionsBefore := h.OK("instance_extensions").Strings("extensions")
			if strings.HasPrefix(how, "implicit") && !slices.Contains(extensionsBefore, "VK_EXT_direct_mode_display") {
				t.Errorf("%s, %s: extensions %v", name, how, extensionsBefore)
			}
			a := h.Do("create_instance", words...)
			tag, end := "INFO | LAYER", "."
			if named {
				tag, end = "ERROR | LAYER", "!"
				if a.Result() != layerNotPresent || a.Int("written") != 0 {
					t.Errorf("%s, %s: %v", name, how, a)
				}
				if got := created(w); len(got) != 0 {
					t.Errorf("%s, %s: created %v", name, how, got)
				}
				silent(t, h.Stderr(), "callstack")
			} else {
				if a.Result() != 0 {
					t.Fatalf("%s, %s: %v\n%s", name, how, a, h.Stderr())
				}
				same(t, name+", "+how, created(w), []string{"VK_LAYER_above", "VK_LAYER_below", "a"})
				same(t, name+", "+how, h.OK("device_layers", "pd", device(h)).Strings("layers"), active)
			}
			same(t, name+", "+how, h.OK("instance_layers").Strings("layers"), before)
			same(t, name+", "+how, h.OK("instance_extensions").Strings("extensions"), extensionsBefore)
			exit := h.Quit()
			said(t, exit.Stderr, 1, tag, b.text+end)
			ownTag, ownText := b.own(f)
			said(t, exit.Stderr, 1, ownTag, ownText)
			silent(t, exit.Stderr, `Insert instance layer "VK_LAYER_bad`)
		}
	}
}

// holds: LAY-301
func TestSeveralThatFail(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	for _, name := range []string{"VK_LAYER_i", "VK_LAYER_e", "VK_LAYER_n1", "VK_LAYER_n2"} {
		if name == "VK_LAYER_i" {
			w.ImplicitLayer(name)
		} else {
			w.ExplicitLayer(name)
		}
		w.BadBinary(name)
	}
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_e"
	h := start(w)
	if got := h.Do("create_instance", "layer", "VK_LAYER_n1", "layer", "VK_LAYER_n2").Result(); got != layerNotPresent {
		t.Errorf("result %d", got)
	}
	exit := h.Quit()
	var reported []string
	for _, l := range strings.Split(exit.Stderr, "\n") {
		if i := strings.Index(l, "Requested layer "); i >= 0 {
			reported = append(reported, l[i:])
		}
	}
	failure := world.Failure(world.HeaderError(""))
	same(t, "reported", reported, []string{`Requested layer "VK_LAYER_i" ` + failure + ".", `Requested layer "VK_LAYER_e" ` + failure + ".",
		`Requested layer "VK_LAYER_n1" ` + failure + "!"})
}

// holds: LAY-292
func TestOldestScheme(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	// Under the oldest interface, a layer named "fake" must export fakeGetInstanceProcAddr, ... .
	f := w.ExplicitLayer("fake").Kind(world.LayerRenamed)
	h := start(w)
	if got := h.Do("create_instance", "layer", "fake").Result(); got != layerNotPresent {
		t.Errorf("result %d", got)
	}
	exit := h.Quit()
	said(t, exit.Stderr, 1, "ERROR | LAYER", fmt.Sprintf(`loader_create_instance_chain: Failed to find 'vkGetInstanceProcAddr' in layer "%s"`, f.Library))
}
