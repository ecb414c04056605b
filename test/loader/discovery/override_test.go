package discovery

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// Of listed layers with one name, the last one answers for device extensions, the first one for everything else.
//
// holds: LAY-108 LAY-260
func TestDeviceExtensionsOfOneName(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	library := w.ImplicitLayer("VK_LAYER_x").MoveManifest("unused").Library
	for file, change := range map[string]map[string]any{
		"empty": {"disable_environment": vars{"": ""}}, "i": {"disable_environment": vars{"NO": ""}}, "off": {"disable_environment": vars{"OFF": ""}},
		"e1": {}, "e2": {}, "e3": {}, "e4": {}, "m": {"library_path": nil, "component_layers": []string{}},
	} {
		content := map[string]any{"library_path": library, "device_extensions": []vars{{"name": "D" + file, "spec_version": "1"}},
			"instance_extensions": []vars{{"name": "I" + file, "spec_version": "1"}}}
		for k, v := range change {
			content[k] = v
		}
		w.Write("m/"+file+".json", blunt("1.2.0", "VK_LAYER_x", content))
	}
	w.Env["OFF"] = "1"
	s := start(t, w)
	for _, c := range []struct{ implicit, explicit, device, instance string }{
		{"empty", "", "Dempty", "Iempty"}, {"empty", "e1", "Dempty", "Iempty"}, {"empty", "e1 e2", "De2", "Iempty"}, {"i", "e1 e2", "De2", "Ii"},
		{"off", "e1 e2", "De2", "Ioff"}, {"empty i", "e1 e2", "De1", "Iempty"}, {"i", "e1 e2 e3 e4", "De4", "Ii"}, {"", "e1 e2 e3", "De3", "Ie1"},
		{"i empty off", "e1", "Doff", "Ii"}, {"i empty off", "", "Doff", "Ii"}, {"i", "m e1", "De1", "Ii"}, {"i", "e1 m", "Dm", "Ii"},
	} {
		paths := func(files string) string {
			list := []string{"/nowhere"}
			for _, file := range strings.Fields(files) {
				list = append(list, w.Path("m/"+file+".json"))
			}
			return strings.Join(list, world.Separated(":"))
		}
		s.set("VK_IMPLICIT_LAYER_PATH", paths(c.implicit)).set("VK_LAYER_PATH", paths(c.explicit))
		for _, level := range []string{"none", "all"} { // with and without a sink for messages
			s.set("VK_LOADER_DEBUG", level)
			s.h.OK("create_instance")
			pd := s.h.OK("physical_devices").Ints("devices")[0]
			for range 2 {
				got := s.h.OK("device_extensions", "pd", world.Ref(pd), "layer", "VK_LAYER_x").Strings("extensions")
				same(t, c.implicit+" | "+c.explicit, strings.Join(got, " "), c.device)
			}
			s.h.Do("destroy_instance")
			same(t, c.implicit+" | "+c.explicit, s.extensions("layer", "VK_LAYER_x"), c.instance)
		}
	}
	s.end()
}

// An override layer whose override_paths have nothing to search leaves the explicit search as it is.
//
// holds: LAY-204 LAY-206 OVR-10
func TestOverridePathsWithoutAPath(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	explicit(w, "VK_LAYER_d")
	w.ExplicitLayer("VK_LAYER_p").MoveManifest("p")
	s := start(t, w)
	for _, byVariable := range []bool{false, true} {
		usual := "VK_LAYER_d"
		if byVariable {
			usual = "VK_LAYER_p"
			s.set("VK_LAYER_PATH", w.Path("p"))
		}
		for text, none := range map[string]bool{
			`[]`: true, `[""]`: true, `["SEP"]`: true, `["SEPSEPSEP"]`: true, `[null, ""]`: true, `["", "SEP", ""]`: true, `[{}, [], 1, true]`: true,
			`null`: true, `{}`: true, `"/somewhere"`: true, `[["/somewhere"]]`: true,
			`["/somewhere"]`: false, `["", "SEP/somewhereSEP"]`: false, `[null, "/some.json"]`: false, `[" "]`: false,
		} {
			text = strings.ReplaceAll(text, "SEP", world.Separated(":"))
			w.Write("system"+implicitDirectory+"/o.json", strings.Replace(blunt("1.2.0", override, map[string]any{"library_path": nil, "component_layers": []string{},
				"override_paths": "PATHS"}), `"PATHS"`, text, 1))
			want := override
			if none {
				want += " " + usual
			}
			same(t, text, s.listed(), want)
			o := s.create()
			if none {
				o.log.lacks(t, "override path")
				o.log.lacks(t, "Ignoring VK_LAYER_PATH")
			}
			if r := s.create(layers(usual)...).result; (r == success) != none {
				t.Errorf("%s: %d", text, r)
			}
		}
	}
	s.end()
}

// The components of an enabled override layer are enabled at their own places, for every location of the override
// layer.
//
// holds: LAY-134 LAY-184 LAY-185 LAY-198 LAY-199 LAY-202 LAY-213 OVR-2 OVR-6 OVR-7 OVR-8
func TestComponentsOfAnOverrideLayer(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	w.Env["OFF"] = "1"
	off, no := vars{"OFF": ""}, vars{"NO": ""}
	layer := func(file, name string, change map[string]any) {
		w.Write("m/"+file+".json", blunt("1.2.0", name, change))
	}
	library := func(name string) string { return w.ImplicitLayer(name).MoveManifest("unused").Library }
	r, x, y, e := library("VK_LAYER_r"), library("VK_LAYER_x"), library("VK_LAYER_y"), library("VK_LAYER_e")
	layer("r", "VK_LAYER_r", map[string]any{"library_path": r, "disable_environment": no})
	layer("x", "VK_LAYER_x", map[string]any{"library_path": x, "disable_environment": off})
	layer("y", "VK_LAYER_y", map[string]any{"library_path": y, "disable_environment": no, "enable_environment": vars{"WISH": "1"}})
	layer("e", "VK_LAYER_e", map[string]any{"library_path": e})
	over := func(file string, change map[string]any, components ...string) {
		content := map[string]any{"library_path": nil, "component_layers": components, "disable_environment": no}
		for k, v := range change {
			content[k] = v
		}
		layer(file, override, content)
	}
	over("o.x", nil, "VK_LAYER_x")
	over("o.xy", nil, "VK_LAYER_x", "VK_LAYER_y")
	over("o.off", map[string]any{"disable_environment": off}, "VK_LAYER_x")
	over("o.m", nil, "VK_LAYER_m")
	over("o.gone", nil, "VK_LAYER_x", "VK_LAYER_gone")
	over("o.black", map[string]any{"blacklisted_layers": []string{"VK_LAYER_r", "VK_LAYER_e"}}, "VK_LAYER_x")
	over("o.keys", map[string]any{"app_keys": []string{"/no"}}, "VK_LAYER_x")
	layer("m", "VK_LAYER_m", map[string]any{"library_path": nil, "component_layers": []string{"VK_LAYER_x"}, "disable_environment": no})
	s := start(t, w)
	short := strings.NewReplacer(override, "o", "VK_LAYER_", "")
	for _, c := range []struct{ implicit, explicit, ask, active string }{
		// An implicit override layer: components are called in the order of their own places, unless it precedes
		// them.
		{"r x o.x", "", "", "r x o"},
		{"x r o.x", "", "", "x r o"},
		{"o.x r x", "", "", "x o r"},
		{"r o.x x", "", "", "r x o"},
		{"y r x o.xy", "", "", "y r x o"},
		{"o.xy y r x", "", "", "x y o r"},
		{"r x o.x", "", "VK_LAYER_x", "r x o"},
		{"x r o.off", "", "", "r"},
		{"x r o.off", "", override, "r o"},
		{"x r o.gone", "", "", "r"},
		{"x r o.keys", "", "", "r"},
		// A meta-layer that shares a component.
		{"x m r o.x", "", "", "x m r o"},
		// An explicit override layer.
		{"x r", "o.x", "", "x r"},
		{"x r", "o.x", override, "x r o"},
		{"r x y", "e o.xy", "VK_LAYER_e", "r x y e"},
		{"r x", "o.gone", "", "r"},
		{"r x", "o.keys", "", "r x"},
		{"r x", "o.off", "", "r x"},
		{"m r x", "o.x", "", "x m r"},
		{"x r", "o.black e", "", "x"},
		// Of two override layers, the first one has the components; either may be enabled.
		{"r x o.off", "o.m m", "", "r x"},
		{"r y o.off", "o.xy", "", "r"},
		{"r y x o.x", "o.xy", "", "r x o"},
	} {
		paths := func(files string) string {
			var list []string
			for _, file := range strings.Fields(files) {
				list = append(list, w.Path("m/"+file+".json"))
			}
			return strings.Join(append(list, "/nowhere"), world.Separated(":"))
		}
		s.set("VK_IMPLICIT_LAYER_PATH", paths(c.implicit)).set("VK_LAYER_PATH", paths(c.explicit))
		for _, level := range []string{"none", "all"} { // with and without a sink for messages
			s.set("VK_LOADER_DEBUG", level)
			var words []string
			if c.ask != "" {
				words = layers(c.ask)
			}
			same(t, c.implicit+" | "+c.explicit+" | "+c.ask, short.Replace(s.create(words...).active), c.active)
		}
	}
	// Filters treat an explicit override layer as an implicit layer; if they remove it, it has no effect.
	s.set("VK_IMPLICIT_LAYER_PATH", w.Path("m/x.json")).set("VK_LAYER_PATH", w.Path("m/o.x.json"))
	for value, want := range map[string]string{"VK_LAYER_r": "x", "*override": "", "~explicit~": "", "VK_LAYER_x": "", "~all~": ""} {
		s.with(vars{disableFilter: value}, func() { same(t, value, short.Replace(s.create().active), want) })
	}
	s.with(vars{disableFilter: "~implicit~", "VK_LOADER_LAYERS_ALLOW": "VK_LAYER_x"}, func() {
		same(t, "without implicit layers", s.create().active, "")
	})
	s.with(vars{disableFilter: "~implicit~", "VK_LOADER_LAYERS_ALLOW": "VK_LAYER_x,*override"}, func() {
		same(t, "with both allowed", short.Replace(s.create().active), "x")
	})
	s.end()
}
