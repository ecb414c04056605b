package discovery

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const override = "VK_LAYER_LUNARG_override"

func ext(names ...string) map[string]any {
	var list []vars
	for _, n := range names {
		list = append(list, vars{"name": n, "spec_version": "1"})
	}
	return map[string]any{"instance_extensions": list}
}

// holds: LAY-57 LAY-152 LAY-153 LAY-154 LAY-155 LAY-156 LAY-157 LAY-158 LAY-159 LAY-160 LAY-161 LAY-162 LAY-163 LAY-164 LAY-165 LAY-166 LAY-168 LAY-169 LAY-170 LAY-171 LAY-172 LAY-173 LAY-174 LAY-175 LAY-176 LAY-177 LAY-178 LAY-179 LAY-181 LAY-182 LAY-183 LAY-151 FUZ-033 ENV-63
func TestMetaLayers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	directory := w.Path("explicit")
	var order []string
	file := func(name string) { order = append(order, directory+"/"+name+".json") }
	add := func(name, api string, more map[string]any, components ...string) {
		content := map[string]any{"name": name, "type": "INSTANCE", "api_version": api, "implementation_version": "1", "description": "", "component_layers": components}
		for k, v := range more {
			content[k] = v
		}
		w.Write(directory+"/"+name+".json", world.JSON(map[string]any{"file_format_version": "1.2.0", "layer": content}))
		file(name)
	}
	for _, name := range []string{"A", "B", "C"} {
		f := w.ExplicitLayer(name)
		if name != "B" {
			f.Set("instance_extensions", []vars{{"name": "X" + name, "spec_version": "1"}})
		}
		file(name)
	}
	w.ImplicitLayer("I").Set("enable_environment", vars{"YES": "1"})
	add("early", "1.3.0", nil, "inner")
	add("inner", "1.3.9", ext("XM"), "A")
	add("outer", "1.3.0", ext("XO", "XC"), "inner", "C")
	add("withI", "1.3.0", nil, "I", "B", "B")
	add("self", "1.3.0", nil, "self")
	add("loop1", "1.3.0", nil, "loop2")
	add("loop2", "1.3.0", nil, "loop1")
	add("gone", "1.3.0", nil, "A", "nothing")
	add("diamond", "1.3.0", nil, "inner", "outer")
	add("newer", "1.4.0", nil, "B", "A")
	add("onlyB", "1.2.0", nil, "B")
	w.Env["VK_LAYER_PATH"] = strings.Join(order, ":")
	s := start(t, w)
	same(t, "listed", s.listed(), "I A B C early inner outer withI onlyB")
	same(t, "outer", s.extensions("layer", "outer"), "XO XC XM XA")
	same(t, "early", s.extensions("layer", "early"), "XM")
	same(t, "onlyB", s.extensions("layer", "onlyB"), "")
	o := s.create(layers("outer", "inner")...)
	same(t, "active", o.active, "A inner C outer")
	const verify = "verify_meta_layer_component_layers: "
	for _, line := range []string{
		verify + "Meta-layer self lists itself in its component layer list at index 0.  Skipping this layer.",
		verify + "Meta-layer gone can't find component layer nothing at index 1.  Skipping this layer.",
		verify + "Meta-layer uses API version 1.4, but component layer 0 has API version 1.3 that is lower.  Skipping this layer.",
		verify + "Recursive dependency between Meta-layer loop2 and  Meta-layer loop1.  Skipping this layer.",
		"Meta-layer loop1 component layer loop2 can not find all component layers.  Skipping this layer.",
	} {
		o.log.has(t, "WARNING", line)
	}
	o.log.has(t, "INFO", verify+"Adding meta-layer outer which also contains meta-layer inner")
	o.log.has(t, "INFO | LAYER", `Encountered meta-layer "outer"`)
	o.log.has(t, "DEBUG", "Meta-layer outer component layer C adding instance extension XC")
	for _, name := range []string{"self", "gone", "newer", "loop1", "loop2", "diamond"} {
		o.log.has(t, "DEBUG", "Removing meta-layer "+name+" from instance layer list since it appears invalid.")
	}
	o.log.block(t, tagged("INFO | LAYER", `Meta-layer "outer" all 2 component layers appear to be valid.`), tagged("LAYER", "  [0] inner"), tagged("LAYER", "  [1] C"))
	o.log.lacks(t, `Insert instance layer "outer"`)
	same(t, "created", strings.Join(w.Log().Fn("vkCreateInstance").Who(), " "), "A C one C A")
	for _, c := range []struct{ app, want string }{
		{"", ""}, {"inner outer", "A inner inner C outer"}, {"C outer A", "C A inner outer"}, {"withI", "B withI"}, {"withI I", "B withI I"}, {"I withI", "I B withI"},
	} {
		same(t, "active with "+c.app, s.create(layers(strings.Fields(c.app)...)...).active, c.want)
	}
	for _, name := range []string{byName, enableFilter} {
		s.with(vars{name: "onlyB"}, func() { same(t, name, s.create().active, "B onlyB") })
	}
	if r := s.create(layers("gone")...).result; r != layerNotPresent {
		t.Error(r)
	}
	s.with(vars{disableFilter: "B"}, func() {
		o := s.create(layers("withI", "C")...)
		same(t, "active", o.active, "C")
		o.log.has(t, "WARNING | LAYER", `Failed to find layer name "B" component layer "B" to activate (Policy #LLP_LAYER_7)`)
	})
	s.end()
}

// Later meta-layers do not find an invalid meta-layer: they lack a component. Earlier ones find it incomplete.
//
// holds: LAY-156 LAY-157 LAY-159 LAY-161 LAY-162 LAY-165
func TestReasonsOfMetaLayers(t *testing.T) {
	t.Parallel()
	const verify = "verify_meta_layer_component_layers: "
	lacks := func(name, component string) string {
		return verify + "Meta-layer " + name + " can't find component layer " + component + " at index 0.  Skipping this layer."
	}
	incomplete := func(name, component string) string {
		return "Meta-layer " + name + " component layer " + component + " can not find all component layers.  Skipping this layer."
	}
	type manifest struct{ name, component, api string }
	for _, c := range []struct {
		manifests []manifest
		listed    string
		reasons   []string
	}{
		{[]manifest{{"a", "gone", ""}, {"b", "a", ""}, {"c", "b", ""}}, "", []string{lacks("a", "gone"), lacks("b", "a"), lacks("c", "b")}},
		{[]manifest{{"c", "b", ""}, {"b", "a", ""}, {"a", "gone", ""}}, "", []string{
			lacks("a", "gone"), incomplete("b", "a"), incomplete("c", "b"), lacks("a", "gone"), incomplete("b", "a"), lacks("a", "gone")}},
		{[]manifest{{"a", "b", ""}, {"b", "a", ""}}, "", []string{
			verify + "Recursive dependency between Meta-layer b and  Meta-layer a.  Skipping this layer.", incomplete("a", "b"), lacks("b", "a")}},
		{[]manifest{{"a", "a", ""}, {"b", "a", ""}}, "", []string{
			verify + "Meta-layer a lists itself in its component layer list at index 0.  Skipping this layer.", lacks("b", "a")}},
		{[]manifest{{"a", "b", "1.0.0"}, {"b", "a", "1.1.0"}}, "", []string{
			verify + "Meta-layer uses API version 1.1, but component layer 0 has API version 1.0 that is lower.  Skipping this layer.",
			incomplete("a", "b"), lacks("b", "a")}},
		// another of its name takes its place
		{[]manifest{{"a", "gone", ""}, {"a", "E", ""}, {"b", "a", ""}}, "a b", []string{lacks("a", "gone")}},
		{[]manifest{{"b", "a", ""}, {"a", "gone", ""}, {"a", "E", ""}}, "a", []string{lacks("a", "gone"), incomplete("b", "a"), lacks("a", "gone")}},
	} {
		w := loud(t)
		w.ExplicitLayer("E")
		order := w.Path("explicit/E.json")
		name := ""
		for i, m := range c.manifests {
			file := w.Path("work/" + string(rune('0'+i)) + ".json")
			more := map[string]any{"library_path": nil, "component_layers": []string{m.component}}
			if m.api != "" {
				more["api_version"] = m.api
			}
			w.Write(file, blunt("1.2.0", m.name, more))
			order += ":" + file
			name += m.name + "=" + m.component + " "
		}
		w.Env["VK_LAYER_PATH"] = order
		s := start(t, w)
		s.h.OK("instance_layers", "count", "only")
		var reasons []string
		for _, line := range s.lines() {
			if text, ok := strings.CutPrefix(line, tagged("WARNING", "")); ok && strings.Contains(text, "Skipping this layer") {
				reasons = append(reasons, text)
			}
		}
		same(t, name, strings.Join(reasons, "\n"), strings.Join(c.reasons, "\n"))
		same(t, name, s.listed(), strings.TrimSpace("E "+c.listed))
		s.end()
	}
}

// holds: LAY-167 LAY-245 LAY-246 LAY-64
func TestImplicitMetaLayers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	explicit(w, "VK_LAYER_c").Set("instance_extensions", []vars{{"name": "XC", "spec_version": "1"}})
	explicit(w, "VK_LAYER_d").Set("instance_extensions", []vars{{"name": "XD", "spec_version": "1"}})
	meta(w, implicitDirectory, "VK_LAYER_m", []string{"VK_LAYER_c"}, ext("XM"))
	meta(w, implicitDirectory, "VK_LAYER_bad", []string{"VK_LAYER_c", "VK_LAYER_gone"}, nil)
	w.Write("system"+implicitDirectory+"/n.json", strings.ReplaceAll(blunt("1.2.0", "VK_LAYER_n", map[string]any{"library_path": nil, "component_layers": []string{"VK_LAYER_d"}}), "disable_", "not_"))
	s := start(t, w)
	same(t, "listed", strings.Join(sorted(s.listed()), " "), "VK_LAYER_c VK_LAYER_d VK_LAYER_m")
	same(t, "extensions", s.extensions(), own+" XM XC")
	same(t, "active", s.create().active, "VK_LAYER_c VK_LAYER_m")
	s.set(world.Disable("VK_LAYER_m"), "1")
	same(t, "extensions of a component all the same", s.extensions(), own+" XC")
	same(t, "active", s.create().active, "")
	s.end()
}

// holds: OVR-1 OVR-2 OVR-3 OVR-6 OVR-7 OVR-8 OVR-9 OVR-15 OVR-16 ENV-62 LAY-84 LAY-124 LAY-134 LAY-184 LAY-185 LAY-193 LAY-195 LAY-196 LAY-197 LAY-198 LAY-199 LAY-200 LAY-201 LAY-202 LAY-213 LAY-214 LAY-215 LAY-216
func TestOverrideLayer(t *testing.T) {
	t.Parallel()
	build := func(components []string, more map[string]any) *session {
		w := loud(t)
		w.Driver("one")
		explicit(w, "VK_LAYER_c")
		explicit(w, "VK_LAYER_d")
		w.ImplicitLayer("VK_LAYER_i").Set("enable_environment", vars{"YES": "1"}).Set("instance_extensions", []vars{{"name": "XI", "spec_version": "1"}}).
			MoveManifest("work/i")
		meta(w, implicitDirectory, override, components, more)
		w.Env["VK_ADD_IMPLICIT_LAYER_PATH"] = w.Path("work/i")
		return start(t, w)
	}
	s := build([]string{"VK_LAYER_i", "VK_LAYER_c"}, nil)
	o := s.create()
	same(t, "active", o.active, "VK_LAYER_i VK_LAYER_c "+override)
	o.log.has(t, "INFO | LAYER", "Using the global override layer")
	same(t, "the override layer has those of its components (LAY-245)", s.extensions(), own+" XI")
	same(t, "requested, too", s.create(layers("VK_LAYER_c", "VK_LAYER_d")...).active, "VK_LAYER_i VK_LAYER_c "+override+" VK_LAYER_d")
	s.with(vars{world.Disable(override): ""}, func() {
		same(t, "listed", strings.Join(sorted(s.listed()), " "), override+" VK_LAYER_c VK_LAYER_d VK_LAYER_i")
		same(t, "active", s.create(layers("VK_LAYER_c")...).active, "VK_LAYER_c")
	})
	s.with(vars{disableFilter: "*override"}, func() {
		same(t, "listed", strings.Join(sorted(s.listed()), " "), "VK_LAYER_c VK_LAYER_d VK_LAYER_i")
		o := s.create(layers("VK_LAYER_c")...)
		same(t, "active", o.active, "VK_LAYER_c")
		o.log.has(t, "WARNING | LAYER", removed(override))
	})
	s.with(vars{disableFilter: "VK_LAYER_c"}, func() {
		same(t, "listed", strings.Join(sorted(s.listed()), " "), override+" VK_LAYER_d VK_LAYER_i")
		same(t, "active", s.create().active, "VK_LAYER_i")
		if r := s.create(layers("VK_LAYER_c")...).result; r != layerNotPresent {
			t.Error(r)
		}
	})
	s.end()

	s = build([]string{"VK_LAYER_c"}, map[string]any{"blacklisted_layers": []string{"VK_LAYER_d", "VK_LAYER_i", override}})
	same(t, "listed", s.listed(), override+" VK_LAYER_c")
	s.with(vars{byName: "VK_LAYER_d", enableFilter: "VK_LAYER_d", "YES": "1"}, func() {
		o := s.create()
		same(t, "active", o.active, "VK_LAYER_c "+override)
		for _, name := range []string{"VK_LAYER_d", "VK_LAYER_i"} {
			o.log.has(t, "DEBUG", "loader_remove_layers_in_blacklist: Override layer is active and layer "+name+" is in the blacklist inside of it. Removing that layer from current layer list.")
		}
		same(t, "extensions know no black list", s.extensions(), own+" XI")
	})
	if r := s.create(layers("VK_LAYER_d")...).result; r != layerNotPresent {
		t.Error(r)
	}
	s.end()

	s = build([]string{"VK_LAYER_c", "VK_LAYER_d"}, map[string]any{"blacklisted_layers": []string{"VK_LAYER_d"}})
	same(t, "black-listed component", s.create().active, "VK_LAYER_c")
	s.end()

	s = build([]string{"VK_LAYER_c"}, map[string]any{"api_version": "1.4.0", "blacklisted_layers": []string{"VK_LAYER_d"}})
	o = s.create()
	if o.result != success || o.active != "" {
		t.Error(o.result, o.active)
	}
	o.log.has(t, "WARNING", "verify_meta_layer_component_layers: Meta-layer uses API version 1.4, but component layer 0 has API version 1.3 that is lower.  Skipping this layer.")
	o.log.has(t, "DEBUG", "Removing meta-layer "+override+" from instance layer list since it appears invalid.")
	same(t, "listed", strings.Join(sorted(s.listed()), " "), "VK_LAYER_c VK_LAYER_d VK_LAYER_i")
	s.end()
}

// holds: OVR-4 OVR-5 LAY-186 LAY-187 LAY-188 LAY-189 LAY-190 LAY-191 LAY-193 LAY-194 GEN-13
func TestOverrideKeys(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	w.ExplicitLayer("VK_LAYER_c")
	w.ExplicitLayer("VK_LAYER_d")
	w.Env["VK_ADD_IMPLICIT_LAYER_PATH"] = w.Path("o1.json") + ":" + w.Path("o2.json") + ":" + w.Path("o3.json")
	write := func(file, component string, keys ...string) {
		more := map[string]any{"component_layers": []string{component}, "library_path": nil, "expiration": "1999-01-01"}
		if keys != nil {
			more["app_keys"] = keys
		}
		w.Write(file, blunt("1.2.0", override, more))
	}
	s := start(t, w)
	exe := s.exe()
	write("o1.json", "VK_LAYER_c", "/bin/other", "/bin/more")
	o := s.create()
	same(t, "other", o.active, "")
	o.log.has(t, "INFO | LAYER", "--Override layer found but not used because app '"+exe+"' is not in 'app_keys' list!")
	same(t, "listed", s.listed(), "VK_LAYER_c VK_LAYER_d")
	write("o2.json", "VK_LAYER_d", "/x", exe)
	write("o3.json", "VK_LAYER_c", []string{}...)
	o = s.create()
	same(t, "mine", o.active, "VK_LAYER_d "+override)
	o.log.has(t, "INFO | LAYER", "Using the override layer for app key "+exe)
	write("o1.json", "VK_LAYER_c")
	o = s.create()
	same(t, "mine before global", o.active, "VK_LAYER_d "+override)
	o.log.has(t, "WARNING | LAYER", "remove_all_non_valid_override_layers: Multiple global override layers found. Using the first global layer found")
	write("o3.json", "VK_LAYER_c", exe)
	o = s.create()
	same(t, "the first of mine", o.active, "VK_LAYER_d "+override)
	o.log.has(t, "WARNING | LAYER", "remove_all_non_valid_override_layers: Multiple override layers where the same path in app_keys was found. Using the first layer found")
	write("o2.json", "VK_LAYER_d", "/x")
	write("o3.json", "VK_LAYER_d", exe+"/")
	same(t, "global", s.create().active, "VK_LAYER_c "+override)
	s.end()
}

// holds: OVR-10 OVR-11 OVR-12 OVR-13 OVR-14 OVR-17 ENV-33 LAY-85 LAY-86 LAY-204 LAY-205 LAY-206 LAY-207 LAY-208 LAY-209 LAY-210 LAY-211 LAY-212
func TestOverridePaths(t *testing.T) {
	t.Parallel()
	for _, elevated := range []bool{false, true} {
		if elevated && world.Windows() { // an elevated process of Windows ignores variables; other tests check that
			continue
		}
		w := loud(t)
		list := w.Path("p") + world.Separated("::") + w.Path("q/extra.json")
		w.Driver("one").MoveManifest("system" + driverDirectory)
		c := w.ExplicitLayer("VK_LAYER_c").Set("disable_environment", vars{"NO_C": ""}).Set("enable_environment", vars{"YES_C": "1"})
		c.MoveManifest("p")
		explicit(w, "VK_LAYER_d")
		w.Write("q/extra.json", blunt("1.2.0", "VK_LAYER_extra", nil))
		implicit(w, "VK_LAYER_i")
		w.Write("system"+implicitDirectory+"/o.json", blunt("1.0.0", override, map[string]any{"library_path": nil, "component_layers": []string{"VK_LAYER_c"},
			"override_paths": []string{list, w.Path("nowhere")}}))
		w.Env["NO_C"] = "1"
		w.Env["VK_LAYER_PATH"], w.Env["VK_ADD_LAYER_PATH"] = "/by/variable", "/by/other"
		if elevated {
			w.Env["WORLD_ELEVATED"] = "1"
		}
		s := start(t, w)
		same(t, "listed", strings.Join(sorted(s.listed()), " "), override+" VK_LAYER_c VK_LAYER_extra VK_LAYER_i")
		o := s.create()
		same(t, "active", strings.Join(sorted(o.active), " "), override+" VK_LAYER_c VK_LAYER_i")
		o.log.has(t, "WARNING | LAYER", "Override layer has override path "+list)
		o.log.has(t, "INFO | LAYER", w.Path("nowhere"))
		o.log.has(t, "WARNING", `Layer "`+override+`" contains meta-layer-specific override paths, but using older JSON file version.`)
		same(t, "places", strings.Join(o.log.places("explicit layer"), " "), w.Path("p")+" "+w.Path("q/extra.json")+" "+w.Path("nowhere"))
		ignoring := "Ignoring VK_LAYER_PATH. The Override layer is active and has override paths set, which takes priority. VK_LAYER_PATH is set to /by/variable"
		if elevated {
			o.log.lacks(t, "Ignoring")
		} else {
			o.log.has(t, "INFO | LAYER", ignoring)
		}
		if r := s.create(layers("VK_LAYER_d")...).result; r != layerNotPresent {
			t.Error(r)
		}
		same(t, "requested", s.create(layers("VK_LAYER_extra", "VK_LAYER_c")[2:]...).active, o.active)
		s.end()
	}
}
