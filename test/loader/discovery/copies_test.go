package discovery

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// Of several copies of a layer that the search finds, the first counts, also under a settings file. The third one stays in the list
// and is never active.
//
// holds: LAY-106 LAY-108 LAY-109 SET-46 SET-49 SET-57
func TestSettingsCopiesOfALayer(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"explicit", "implicit"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("one")
			add, directory := w.ExplicitLayer, "explicit_layer.d"
			if kind == "implicit" {
				add, directory = w.ImplicitLayer, "implicit_layer.d"
			}
			w.Env["VK_LAYER_PATH"], w.Env["VK_IMPLICIT_LAYER_PATH"] = world.Unset, world.Unset
			for i, place := range []string{"system/etc/xdg/vulkan/", "system/usr/local/share/vulkan/", "system/usr/share/vulkan/"} {
				who := []string{"first", "second", "third"}[i]
				add(who).Set("name", "VK_LAYER_x").MoveManifest(place + directory)
			}
			settingsObject(w, list(unordered))
			s := start(t, w)
			same(t, "listed", s.listed(), "VK_LAYER_x VK_LAYER_x") // LAY-108
			check := func(what string, words []string, active, called string) {
				t.Helper()
				w.ForgetLog()
				same(t, "active "+what, s.create(words...).active, active)
				same(t, "called "+what, entered(w), called)
			}
			check("for the program", layers("VK_LAYER_x"), "VK_LAYER_x", "first one")
			s.with(vars{byName: "VK_LAYER_x"}, func() { check("by variable", nil, "VK_LAYER_x", "first one") })
			s.with(vars{enableFilter: "*x"}, func() { check("by filter", nil, "VK_LAYER_x", "first one") })
			if kind == "implicit" {
				check("by itself", nil, "VK_LAYER_x", "first one")
				s.with(vars{world.Disable("first"): "1"}, func() { check("when the first is disabled", nil, "", "one") })
			}
			s.end()
		})
	}
}

// VK_LOADER_LAYERS_DISABLE also applies to a component of an "on" meta-layer if the settings file leaves the component to the usual
// rules. A component that is "on" itself stays.
//
// holds: SET-49 SET-54 SET-58 SET-59 SET-60 SET-61 LAY-178
func TestSettingsDisabledComponents(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	a, b := w.ExplicitLayer("VK_LAYER_a").MoveManifest("work/a.json"), w.ExplicitLayer("VK_LAYER_b").MoveManifest("work/b.json")
	i := w.ImplicitLayer("VK_LAYER_i").MoveManifest("work/i.json")
	inner := metaFile(w, "VK_LAYER_inner", nil, "VK_LAYER_a")
	on := entry("on", "VK_LAYER_m", metaFile(w, "VK_LAYER_m", nil, "VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_i", "VK_LAYER_inner"), "")
	entries := func(control string) []string {
		return []string{on, entry("auto", "VK_LAYER_a", a.ManifestPath, ""), entry(control, "VK_LAYER_b", b.ManifestPath, ""),
			entry("auto", "VK_LAYER_i", i.ManifestPath, treat), entry("auto", "VK_LAYER_inner", inner, "")}
	}
	s := start(t, w)
	for _, c := range []struct {
		control, disable, more, active, called string
	}{
		{"auto", "VK_LAYER_b", "", "a inner m i", "a i one"},
		{"auto", "VK_LAYER_b", enableFilter, "a inner m i", "a i one"},
		{"auto", "VK_LAYER_b", byName, "a inner m i", "a i one"},
		{"auto", "VK_LAYER_b", allowFilter, "a b inner m i", "a b i one"},
		{"on", "VK_LAYER_b", "", "a inner m b i", "a b i one"},
		{"auto", "~implicit~", "", "m", "one"},
		{"auto", "~explicit~", "", "a b inner m i", "a b i one"},
		{"auto", "*", "", "m", "one"},
		{"auto", "*inner", "", "a b m i", "a b i one"},
		{"auto", "", "", "a b inner m i", "a b i one"},
	} {
		name := strings.Join([]string{c.control, c.disable, c.more}, " ")
		settingsObject(w, list(entries(c.control)...))
		set := vars{}
		if c.disable != "" {
			set[disableFilter] = c.disable
		}
		if c.more != "" {
			set[c.more] = "VK_LAYER_b"
		}
		s.with(set, func() {
			same(t, "listed with "+name, s.listed(), "VK_LAYER_m VK_LAYER_a VK_LAYER_b VK_LAYER_i VK_LAYER_inner")
			w.ForgetLog()
			o := s.create()
			same(t, "active with "+name, strings.ReplaceAll(o.active, "VK_LAYER_", ""), c.active)
			same(t, "called with "+name, strings.ReplaceAll(entered(w), "VK_LAYER_", ""), c.called)
			o.log.lacks(t, "Failed to find layer name")
		})
	}
	s.end()
}

// An override layer that its own variables disable is an ordinary meta-layer: a program that names it gets its components, subject to
// their own variables.
//
// holds: OVR-2 OVR-7 LAY-177 LAY-199 LAY-202
func TestOverrideThatIsDisabledAndNamed(t *testing.T) {
	t.Parallel()
	for _, merged := range []bool{false, true} {
		w := loud(t)
		w.Driver("one")
		w.ImplicitLayer("VK_LAYER_off").MoveManifest("system" + implicitDirectory)
		w.ImplicitLayer("VK_LAYER_wish").Set("enable_environment", vars{"WISH": "1"}).MoveManifest("system" + implicitDirectory)
		w.ExplicitLayer("VK_LAYER_e").MoveManifest("system" + explicitDirectory)
		w.Env["VK_LAYER_PATH"], w.Env["VK_IMPLICIT_LAYER_PATH"] = world.Unset, world.Unset
		meta(w, implicitDirectory, override, []string{"VK_LAYER_off", "VK_LAYER_wish", "VK_LAYER_e"}, map[string]any{"enable_environment": vars{"OVER": "1"}})
		if merged {
			settingsObject(w, list(unordered))
		}
		s := start(t, w)
		s.set(world.Disable("VK_LAYER_off"), "0").set("OVER", "1")
		const all, one = "VK_LAYER_off VK_LAYER_wish VK_LAYER_e " + override, "VK_LAYER_e " + override
		active := s.create(layers(override)...).active
		same(t, "active while it is enabled", strings.Join(sorted(active), " "), strings.Join(sorted(all), " "))
		if !merged { // with a list, each is at its own place
			same(t, "the last two while it is enabled", active[max(0, len(active)-len(one)):], one)
		}
		for _, c := range []vars{{world.Disable(override): ""}, {"OVER": "0"}} {
			s.with(c, func() {
				w.ForgetLog()
				same(t, "active while it is disabled", s.create(layers(override)...).active, one)
				same(t, "called", entered(w), "VK_LAYER_e one")
				s.with(vars{byName: override}, func() { same(t, "active by variable", s.create().active, one) })
				same(t, "active without a name", s.create().active, "")
			})
			s.set("OVER", "1")
		}
		s.end()
	}
}

// A meta-layer that lacks a component is not active; the meta-layers that contain it are.
//
// holds: LAY-174 LAY-179 LAY-216
func TestIncompleteInnerMetaLayer(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	for _, name := range []string{"VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_c"} {
		explicit(w, name)
	}
	meta(w, explicitDirectory, "VK_LAYER_inner", []string{"VK_LAYER_a", "VK_LAYER_b"}, nil)
	meta(w, explicitDirectory, "VK_LAYER_middle", []string{"VK_LAYER_inner"}, nil)
	meta(w, explicitDirectory, "VK_LAYER_outer", []string{"VK_LAYER_middle", "VK_LAYER_c"}, nil)
	w.Env["VK_LAYER_PATH"] = world.Unset
	s := start(t, w)
	check := func(words []string) {
		t.Helper()
		w.ForgetLog()
		o := s.create(words...)
		same(t, "active", o.active, "VK_LAYER_a VK_LAYER_middle VK_LAYER_c VK_LAYER_outer")
		same(t, "called", entered(w), "VK_LAYER_a VK_LAYER_c one")
		o.log.has(t, "WARNING | LAYER", `Failed to find layer name "VK_LAYER_b" component layer "VK_LAYER_b" to activate (Policy #LLP_LAYER_7)`)
	}
	s.set(disableFilter, "*_b")
	check(layers("VK_LAYER_outer"))
	s.set(byName, "VK_LAYER_outer")
	check(nil)
	settingsObject(w, list(unordered))
	check(nil)
	s.end()
}
