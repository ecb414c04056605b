package discovery

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// metaFile writes a meta-layer's manifest to a directory that is not searched.
func metaFile(w *world.World, name string, more map[string]any, components ...string) string {
	content := map[string]any{"library_path": nil, "component_layers": components}
	for k, v := range more {
		content[k] = v
	}
	path := w.Path("work/" + name + ".json")
	w.Write("work/"+name+".json", blunt("1.2.0", name, content))
	return path
}

// entered lists the layers and drivers whose vkCreateInstance was called, in order.
func entered(w *world.World) string {
	var out []string
	for _, line := range w.Log().Fn("vkCreateInstance") {
		if line.Text("phase") != "leave" {
			out = append(out, line.Text("who"))
		}
	}
	return strings.Join(out, " ")
}

// The override layer has its privileges only if the ordinary search finds it. As an entry of the settings file it is an ordinary
// meta-layer.
//
// holds: OVR-19 LAY-177 LAY-178
func TestSettingsOverrideLayer(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	off := w.ImplicitLayer("VK_LAYER_off").MoveManifest("work/i1.json")
	wish := w.ImplicitLayer("VK_LAYER_wish").Set("enable_environment", vars{"WISH": "1"}).MoveManifest("work/i2.json")
	e := w.ExplicitLayer("VK_LAYER_e").MoveManifest("work/e.json")
	entries := []string{
		entry("auto", "VK_LAYER_off", off.ManifestPath, treat), entry("auto", "VK_LAYER_wish", wish.ManifestPath, treat),
		entry("auto", "VK_LAYER_e", e.ManifestPath, ""),
		entry("on", override, metaFile(w, override, nil, "VK_LAYER_off", "VK_LAYER_wish", "VK_LAYER_e"), treat),
	}
	s := start(t, w)
	for _, merged := range []bool{false, true} {
		if merged {
			entries = append(entries, unordered)
		}
		settingsObject(w, list(entries...))
		s.set(world.Disable("VK_LAYER_off"), "0")
		w.ForgetLog()
		same(t, "active", s.create().active, "VK_LAYER_e "+override)
		same(t, "called", entered(w), "VK_LAYER_e one")
		s.set("WISH", "1").set(world.Disable("VK_LAYER_off"), world.Unset)
		same(t, "active by themselves", s.create().active, "VK_LAYER_off VK_LAYER_wish VK_LAYER_e "+override)
		s.set("WISH", world.Unset)
	}
	s.end()
}

// A meta-layer that lacks a component is not active; the meta-layer that contains it is.
//
// holds: SET-68
func TestSettingsNestedMetaLayers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	e := w.ExplicitLayer("VK_LAYER_e").MoveManifest("work/e.json")
	settingsObject(w, list(entry("on", "VK_LAYER_outer", metaFile(w, "VK_LAYER_outer", nil, "VK_LAYER_inner"), ""),
		entry("auto", "VK_LAYER_inner", metaFile(w, "VK_LAYER_inner", nil, "VK_LAYER_gone", "VK_LAYER_e"), ""),
		entry("auto", "VK_LAYER_e", e.ManifestPath, "")))
	s := start(t, w)
	o := s.create()
	if o.result != success {
		t.Error(o.result)
	}
	same(t, "active", o.active, "VK_LAYER_e VK_LAYER_outer")
	same(t, "called", entered(w), "VK_LAYER_e one")
	o.log.has(t, "WARNING | LAYER", `Failed to find layer name "VK_LAYER_gone" component layer "VK_LAYER_gone" to activate (Policy #LLP_LAYER_7)`)
	o.log.lacks(t, `"VK_LAYER_inner" component layer "VK_LAYER_inner"`)
	s.end()
}

// Meta-layers have no library that could be equal to another's. An earlier "off" decides about all layers of its
// name.
//
// holds: SET-44 SET-51 SET-56 SET-74
func TestSettingsTwice(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	e, f := w.ExplicitLayer("VK_LAYER_e").MoveManifest("work/e.json"), w.ExplicitLayer("VK_LAYER_f").MoveManifest("work/f.json")
	x := w.ExplicitLayer("x").Set("name", "VK_LAYER_x").MoveManifest("work/x.json")
	m := metaFile(w, "VK_LAYER_x", nil, "VK_LAYER_e")
	w.Write("work/again.json", blunt("1.2.0", "VK_LAYER_x", map[string]any{"library_path": nil, "component_layers": []string{"VK_LAYER_f"}}))
	again := w.Path("work/again.json")
	on := func(path string) string { return entry("on", "VK_LAYER_x", path, "") }
	off := entry("off", "VK_LAYER_x", "", "")
	both := []string{entry("auto", "VK_LAYER_e", e.ManifestPath, ""), entry("auto", "VK_LAYER_f", f.ManifestPath, "")}
	s := start(t, w)
	for _, c := range []struct {
		entries                []string
		listed, active, called string
	}{
		{[]string{on(m), on(x.ManifestPath)}, "VK_LAYER_x VK_LAYER_x", "VK_LAYER_e VK_LAYER_x VK_LAYER_x", "VK_LAYER_e x one"},
		{[]string{on(x.ManifestPath), on(m)}, "VK_LAYER_x VK_LAYER_x", "VK_LAYER_x VK_LAYER_e VK_LAYER_x", "x VK_LAYER_e one"},
		{[]string{on(m), on(again)}, "VK_LAYER_x VK_LAYER_x", "VK_LAYER_e VK_LAYER_x VK_LAYER_f VK_LAYER_x", "VK_LAYER_e VK_LAYER_f one"},
		{[]string{on(x.ManifestPath), on(x.ManifestPath)}, "VK_LAYER_x", "VK_LAYER_x", "x one"},
		{[]string{on(x.ManifestPath), off}, "VK_LAYER_x", "VK_LAYER_x", "x one"},
		{[]string{off, unordered, on(x.ManifestPath)}, "", "", "one"},
		{[]string{off, on(x.ManifestPath)}, "", "", "one"},
		{[]string{off, unordered, on(m)}, "", "", "one"},
	} {
		settingsObject(w, list(append(c.entries, both...)...))
		name := strings.Join(c.entries, ",")
		same(t, "listed with "+name, strings.TrimSpace(strings.TrimSuffix(s.listed(), "VK_LAYER_e VK_LAYER_f")), c.listed)
		w.ForgetLog()
		same(t, "active with "+name, s.create().active, c.active)
		same(t, "called with "+name, entered(w), c.called)
		if want := map[bool]int{true: layerNotPresent, false: success}[c.listed == ""]; s.create(layers("VK_LAYER_x")...).result != want {
			t.Errorf("%s: naming it does not give %d", name, want)
		}
	}
	s.end()
}

// Under a settings file, a component that is active by itself is at its own place, once (SET-67).
//
// holds: SET-53 SET-67 SET-69
func TestSettingsPlacesOfComponents(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	e, f := w.ExplicitLayer("VK_LAYER_e").MoveManifest("work/e.json"), w.ExplicitLayer("VK_LAYER_f").MoveManifest("work/f.json")
	i := w.ImplicitLayer("VK_LAYER_i").MoveManifest("work/i.json")
	m := entry("on", "VK_LAYER_m", metaFile(w, "VK_LAYER_m", nil, "VK_LAYER_e", "VK_LAYER_f", "VK_LAYER_i"), "")
	outer := entry("on", "VK_LAYER_o", metaFile(w, "VK_LAYER_o", nil, "VK_LAYER_m", "VK_LAYER_i"), "")
	at := func(control, name string) string {
		switch name {
		case "e":
			return entry(control, "VK_LAYER_e", e.ManifestPath, "")
		case "f":
			return entry(control, "VK_LAYER_f", f.ManifestPath, "")
		}
		return entry(control, "VK_LAYER_i", i.ManifestPath, treat)
	}
	s := start(t, w)
	for _, c := range []struct {
		entries        []string
		app            string
		active, called string
	}{
		{[]string{m, at("auto", "f"), at("auto", "e"), at("auto", "i")}, "", "e f m i", "e f i one"},
		{[]string{m, at("on", "f"), at("auto", "e"), at("auto", "i")}, "", "e m f i", "e f i one"},
		{[]string{m, at("auto", "f"), at("auto", "e"), at("auto", "i")}, "VK_LAYER_f", "e m f i", "e f i one"},
		{[]string{at("on", "i"), m, at("on", "f"), at("on", "e")}, "", "i m f e", "i f e one"},
		{[]string{outer, at("on", "f"), m, at("auto", "e"), at("on", "i")}, "", "o f e m i", "f e i one"},
		// both lack a component
		{[]string{m, outer, at("auto", "f"), at("auto", "e"), at("off", "i")}, "", "e f", "e f one"},
	} {
		settingsObject(w, list(c.entries...))
		w.ForgetLog()
		name := strings.Join(c.entries, ",")
		same(t, "active with "+name, strings.ReplaceAll(s.create(layers(strings.Fields(c.app)...)...).active, "VK_LAYER_", ""), c.active)
		same(t, "called with "+name, strings.ReplaceAll(entered(w), "VK_LAYER_", ""), c.called)
	}
	s.end()
}

// The list for a NULL name does not include an explicit component if the settings file replaces the search.
//
// holds: SET-72
func TestSettingsExtensionsOfComponents(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	e := w.ExplicitLayer("VK_LAYER_e").Set("instance_extensions", []vars{{"name": "XE", "spec_version": "1"}}).MoveManifest("work/e.json")
	m := metaFile(w, "VK_LAYER_m", ext("XM"), "VK_LAYER_e")
	s := start(t, w)
	for _, control := range []string{"on", "auto"} {
		settingsObject(w, list(entry(control, "VK_LAYER_m", m, treat), entry(control, "VK_LAYER_e", e.ManifestPath, "")))
		same(t, control, s.extensions(), own+" XM")
		settingsObject(w, list(entry(control, "VK_LAYER_m", m, treat), unordered, entry(control, "VK_LAYER_e", e.ManifestPath, "")))
		same(t, control+", with the search", s.extensions(), own+" XM XE") // LAY-246
	}
	s.end()
}
