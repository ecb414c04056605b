package layers

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	layerNotPresent = -6
	initFailed      = -3
)

// entered lists the layers whose vkCreateInstance was called, in order.
func entered(w *world.World) []string {
	var out []string
	for _, e := range w.Log().Fn("vkCreateInstance") {
		if e.Text("phase") == "enter" {
			out = append(out, e.Text("who"))
		}
	}
	return out
}

// holds: LAY-284..LAY-291 LAY-293 LAY-295 LAY-300 LAY-302 LAY-69 LAY-70
func TestNegotiation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		kind      string
		script    []string
		functions map[string]string
		active    bool
		byExport  string // the exported lookup that must be used; "": the one of the negotiation
		fn        string // negotiation function called
	}{
		{name: "version 2", active: true, fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "newer", script: []string{"negotiate 0 9"}, active: true, fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "only negotiation", kind: world.LayerNegOnly, active: true, fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "no gipa in the structure", script: []string{"negotiate_null gipa"}, active: true, byExport: "exported gipa", fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "no gdpa, no gpdpa", script: []string{"negotiate_null gdpa", "negotiate_null gpdpa"}, active: true, fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "version 1", script: []string{"negotiate 0 1"}, active: true, byExport: "exported gipa", fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "refused", script: []string{"negotiate -3 2"}, active: true, byExport: "exported gipa", fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "version 0", script: []string{"negotiate 0 0"}, active: true, byExport: "exported gipa", fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "no negotiation", kind: world.LayerOld, active: true, byExport: "exported gipa"},
		{name: "gipa alone", kind: world.LayerOldGIPA, active: true, byExport: "exported gipa"},
		{name: "version 1 without exports", kind: world.LayerNegOnly, script: []string{"negotiate 0 1"}, active: false, fn: "vkNegotiateLoaderLayerInterfaceVersion"},
		{name: "renamed negotiation", kind: world.LayerRenamed, functions: map[string]string{"vkNegotiateLoaderLayerInterfaceVersion": "fakeNegotiate"}, active: true, fn: "fakeNegotiate"},
		{name: "renamed gipa", kind: world.LayerRenamed, functions: map[string]string{"vkGetInstanceProcAddr": "fakeGetInstanceProcAddr", "vkGetDeviceProcAddr": "fakeGetDeviceProcAddr"}, active: true, byExport: "renamed gipa"},
		{name: "nothing", kind: world.LayerNothing, active: false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("one")
			f := w.ImplicitLayer("VK_LAYER_x", append(c.script, "log_lookups vkCreateInstance")...)
			w.ImplicitLayer("VK_LAYER_good")
			if c.kind != "" {
				f.Kind(c.kind)
			}
			if c.functions != nil {
				f.Set("functions", c.functions)
			}
			w.Env["VK_LOADER_DEBUG"] = "all"
			h := w.Start()
			h.OK("create_instance")
			h.Do("destroy_instance")
			exit := h.Quit()
			log := w.Log()
			want := []string{"VK_LAYER_good"}
			if c.active {
				want = []string{"VK_LAYER_x", "VK_LAYER_good"}
			}
			if got := entered(w); !slices.Equal(got, want) {
				t.Errorf("entered %v, want %v", got, want)
			}
			export := ""
			for _, e := range log.By("VK_LAYER_x").Fn("exported gipa", "renamed gipa") {
				export = e.Text("fn")
			}
			if export != c.byExport {
				t.Errorf("the layer was entered by %q, want %q", export, c.byExport)
			}
			asked := log.By("VK_LAYER_x").Fn("vkNegotiateLoaderLayerInterfaceVersion", "fakeNegotiate")
			if c.fn == "" && len(asked) > 0 {
				t.Errorf("negotiated: %v", asked)
			}
			if c.fn != "" && (len(asked) == 0 || asked[0].Text("fn") != c.fn) {
				t.Errorf("%s was not called first: %v", c.fn, asked)
			}
			calls := log.By("VK_LAYER_x").Fn("vkNegotiateLoaderLayerInterfaceVersion")
			if len(calls) > 0 {
				a := calls[0]
				if len(calls) != 1 || a.Int("type") != 1 || !a.IsNull("next") || a.Int("version") != 2 || a.Int("pointers") != 0 {
					t.Errorf("negotiation was asked %v", calls)
				}
				if log.By("VK_LAYER_x")[0].Text("fn") != c.fn {
					t.Errorf("the first call was %v", log.By("VK_LAYER_x")[0])
				}
			}
			if !c.active && !slices.ContainsFunc(exit.Messages(), func(m string) bool {
				return strings.Contains(m, "loader_create_instance_chain: Failed to find 'vkGetInstanceProcAddr' in layer")
			}) {
				t.Errorf("no message about the missing function in %q", exit.Messages())
			}
		})
	}
}

// holds: LAY-276..LAY-282 LAY-286 LAY-430
func TestLoadingOrder(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	for _, name := range []string{"VK_LAYER_a", "VK_LAYER_b"} {
		w.ImplicitLayer(name)
	}
	w.ExplicitLayer("VK_LAYER_c")
	w.Accesses()
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.Do("instance_layers")
	h.Do("instance_extensions")
	if n := len(w.Log().By("VK_LAYER_a")); n != 0 {
		t.Errorf("listing called a layer %d times", n)
	}
	for _, access := range w.AccessLog() {
		if strings.HasPrefix(access, "dlopen") && strings.Contains(access, "VK_LAYER_") {
			t.Errorf("listing opened %q", access)
		}
	}
	h.OK("create_instance", "layer", "VK_LAYER_c")
	h.OK("create_instance", "as", "j", "layer", "VK_LAYER_c")
	h.Do("destroy_instance", "name", "j")
	h.Do("destroy_instance")
	exit := h.Quit()
	var opened []string
	for _, access := range w.AccessLog() {
		if words := strings.Fields(access); words[0] == "dlopen" && strings.Contains(words[1], "VK_LAYER_") {
			opened = append(opened, words[1][strings.LastIndex(words[1], "_")+1:]+" "+words[2])
		}
	}
	if want := []string{"c.so 1", "b.so 1", "a.so 1", "c.so 1", "b.so 1", "a.so 1"}; !slices.Equal(opened, want) {
		t.Errorf("opened %v, want %v: bottom to top, RTLD_LAZY | RTLD_LOCAL", opened, want)
	}
	if got := w.Log().Fn("vkNegotiateLoaderLayerInterfaceVersion").Who(); !slices.Equal(got, []string{"VK_LAYER_c", "VK_LAYER_b", "VK_LAYER_a", "VK_LAYER_c", "VK_LAYER_b", "VK_LAYER_a"}) {
		t.Errorf("negotiated %v", got)
	}
	var inserted, unloaded []string
	for _, m := range exit.Messages() {
		if rest, ok := strings.CutPrefix(m, "Insert instance layer \""); ok {
			name, _, _ := strings.Cut(rest, "\"")
			inserted = append(inserted, name)
		}
		if rest, ok := strings.CutPrefix(m, "Unloading layer library "); ok {
			unloaded = append(unloaded, strings.TrimSuffix(rest[strings.LastIndex(rest, "/")+1:], ".so"))
		}
	}
	if want := []string{"VK_LAYER_c", "VK_LAYER_b", "VK_LAYER_a", "VK_LAYER_c", "VK_LAYER_b", "VK_LAYER_a"}; !slices.Equal(inserted, want) {
		t.Errorf("inserted %v, want %v", inserted, want)
	}
	if want := []string{"VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_c", "VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_c"}; !slices.Equal(unloaded, want) {
		t.Errorf("unloaded %v, want %v: in the order of the list", unloaded, want)
	}
}

// holds: LAY-296..LAY-299 LAY-301 LAY-303 LAY-255 LAY-180 BIN-012..BIN-014 BIN-016..BIN-020 BIN-022 INS-025
func TestLayersThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name   string
		linker func(path string) string
	}{{"class", world.ClassError}, {"bad", world.HeaderError}, {"missing", world.MissingError}} {
		text := world.Failure(fault.linker(""))
		for _, how := range []string{"app", "implicit", "variable", "enable", "both", "app names implicit"} {
			t.Run(fault.name+" "+how, func(t *testing.T) {
				t.Parallel()
				w := world.New(t)
				w.Driver("one")
				library := map[string]string{"class": w.WrongClass("broken"), "bad": w.BadBinary("wrong"), "missing": w.Path("lib/nowhere.so")}[fault.name]
				const name = "VK_LAYER_broken"
				isImplicit := how == "implicit" || how == "both" || how == "app names implicit"
				if isImplicit {
					w.ImplicitLayer(name).Set("library_path", library)
				} else {
					w.ExplicitLayer(name).Set("library_path", library)
				}
				if how == "both" {
					w.ExplicitLayer("VK_LAYER_app").Set("library_path", library)
				}
				w.ImplicitLayer("VK_LAYER_good")
				w.Env["VK_LOADER_DEBUG"] = "all"
				words := []string{"messenger", "m:0x1000:7", "messenger", "info:0x1111:7"}
				fails := false
				switch how {
				case "app", "app names implicit":
					words = append(words, "layer", name)
					fails = true
				case "both":
					words = append(words, "layer", "VK_LAYER_app")
					fails = true
				case "variable":
					w.Env["VK_INSTANCE_LAYERS"] = name
				case "enable":
					w.Env["VK_LOADER_LAYERS_ENABLE"] = name
				}
				h := w.Start()
				if layers := h.OK("instance_layers").Strings("layers"); !slices.Contains(layers, name) {
					t.Errorf("not listed: %v", layers)
				}
				a := h.Do("create_instance", words...)
				if want := map[bool]int{true: layerNotPresent, false: 0}[fails]; a.Result() != want {
					t.Fatalf("result %d, want %d", a.Result(), want)
				}
				if !a.HasText("info", fault.linker(library)) {
					t.Errorf("the linker's text %q is not among %q", fault.linker(library), a.Texts("info"))
				}
				soft, hard := "Requested layer \""+name+"\" "+text+".", "Requested layer \""+name+"\" "+text+"!"
				if how == "both" {
					hard = "Requested layer \"VK_LAYER_app\" " + text + "!"
				}
				if a.HasText("m", soft) {
					t.Error("the soft message has severity ERROR")
				}
				if a.HasText("m", hard) != fails {
					t.Errorf("severity ERROR got %q", a.Texts("m"))
				}
				if softly := !fails || how == "both"; a.HasText("info", soft) != softly {
					t.Errorf("severity INFO got %q", a.Texts("info"))
				}
				if fails {
					if n := len(w.Log().Fn("vkCreateInstance")); n != 0 {
						t.Errorf("%d calls of vkCreateInstance", n)
					}
					if maps := h.Do("maps", "match", w.Path("lib")).Strings("maps"); len(maps) != 0 {
						t.Errorf("still mapped: %v", maps)
					}
					w.Env["X"] = ""
					if how == "app" {
						h.OK("create_instance")
					}
				} else {
					pd := h.OK("physical_devices").Ints("devices")[0]
					if active := h.OK("device_layers", "pd", world.Ref(pd)).Strings("layers"); !slices.Contains(active, name) {
						t.Errorf("active are %v", active)
					}
					if got := entered(w); !slices.Equal(got, []string{"VK_LAYER_good"}) {
						t.Errorf("entered %v", got)
					}
				}
				h.Quit()
			})
		}
	}
}

// holds: LAY-23 LAY-89
func TestKnownFileVersions(t *testing.T) {
	t.Parallel()
	known := []string{"1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.1.2", "1.2.0", "1.2.1"}
	w := world.New(t)
	w.Driver("one")
	f := w.ExplicitLayer("VK_LAYER_x")
	w.Env["VK_LOADER_DEBUG"] = "info"
	h := w.Start()
	for _, version := range append(known, "1.0.2", "1.1.3", "1.2.2", "1.3.0", "0.9.0", "2.0.0", "2.5.7", "1.3.1", "") {
		f.Format(version)
		before := len(h.Messages())
		if layers := h.OK("instance_layers").Strings("layers"); !slices.Equal(layers, []string{"VK_LAYER_x"}) {
			t.Errorf("version %q: layers %v", version, layers)
		}
		unknown := strings.Contains(strings.Join(h.Messages()[before:], "\n"), " has unknown layer manifest file version ")
		if unknown == slices.Contains(known, version) {
			t.Errorf("version %q: said to be unknown: %v", version, unknown)
		}
	}
	h.Quit()
}
