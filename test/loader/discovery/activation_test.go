package discovery

import (
	"maps"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

type vars = map[string]string

const (
	enableFilter  = "VK_LOADER_LAYERS_ENABLE"
	disableFilter = "VK_LOADER_LAYERS_DISABLE"
	allowFilter   = "VK_LOADER_LAYERS_ALLOW"
	byName        = "VK_INSTANCE_LAYERS"
)

func removed(name string) string {
	return `Layer "` + name + `" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`
}

// holds: ENV-70 ENV-71 ENV-72 ENV-73 ENV-74 ENV-75 ENV-77 ENV-61 LAY-136 LAY-137 LAY-138 LAY-139 LAY-140 LAY-142 LAY-144 LAY-145 LAY-146 LAY-147 LAY-148 LAY-149 LAY-150 LAY-252 ENV-56 LAY-120
func TestOrderOfActivation(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	w.ImplicitLayer("VK_LAYER_I")
	for _, name := range []string{"VK_LAYER_E", "VK_LAYER_F", "VK_LAYER_P1", "VK_LAYER_P2", "VK_LAYER_P3"} {
		w.ExplicitLayer(name)
	}
	s := start(t, w)
	long := strings.NewReplacer("I", "VK_LAYER_I", "E", "VK_LAYER_E", "F", "VK_LAYER_F", "P", "VK_LAYER_P")
	for _, c := range []struct{ variable, enable, app, want string }{
		{"", "", "", "I"},
		{"E", "", "", "I E"},
		{"E:I", "", "", "E I"},
		{"I:E", "", "", "I E"},
		{":E::none:E:", "", "", "I E"},
		{"xIx", "", "", ""},
		{"vk_layer_e", "", "", "I"},
		{"", "", "F E", "I F E"},
		{"F", "P3,P1", "E I", "I F P1 P3 E"},
		{"", "*_p*", "P3", "I P1 P2 P3"},
		{"P3", "P3,P1", "P2 P1 P1", "I P3 P1 P2"},
		{"", "", "I E", "I E"},
	} {
		set := vars{}
		if c.variable != "" {
			set[byName] = long.Replace(c.variable)
		}
		if c.enable != "" {
			set[enableFilter] = long.Replace(c.enable)
		}
		s.with(set, func() {
			o := s.create(layers(strings.Fields(long.Replace(c.app))...)...)
			same(t, "active with "+c.variable+" "+c.enable+" "+c.app, o.active, long.Replace(c.want))
			if v := set[byName]; v != "" {
				o.log.has(t, "WARNING | LAYER", `env var 'VK_INSTANCE_LAYERS' defined and adding layers "`+world.Separated(v)+`"`)
			}
			if strings.Contains(c.variable, "none") {
				o.log.has(t, "ERROR | LAYER", `Layer "none" was not found but was requested by env var VK_INSTANCE_LAYERS!`)
			}
			for _, p := range []string{"VK_LAYER_P1", "VK_LAYER_P2", "VK_LAYER_P3"} {
				forced := `Layer "` + p + `" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'`
				if c.enable != "" && (strings.Contains(c.enable, p[9:]) || c.enable == "*_p*") && !strings.Contains(c.variable, p[9:]) {
					o.log.has(t, "WARNING | LAYER", forced)
				} else {
					o.log.lacks(t, forced)
				}
			}
		})
	}
	s.end()
}

// holds: ENV-45 ENV-51 ENV-52 ENV-53 ENV-54 ENV-55 ENV-57 ENV-58 ENV-59 ENV-64 ENV-65 ENV-66 ENV-67 ENV-68 ENV-69 LAY-103 LAY-114 LAY-118 LAY-119 LAY-121 LAY-122 LAY-123 LAY-125 LAY-126 LAY-127 LAY-128 LAY-130 LAY-133 LAY-135 GEN-1
func TestImplicitRules(t *testing.T) {
	t.Parallel()
	const I = "VK_LAYER_I"
	ext := []map[string]any{{"name": "VK_XX_i", "spec_version": "3"}}
	for _, enable := range []bool{false, true} {
		w := loud(t)
		w.Driver("one")
		f := w.ImplicitLayer(I).Set("instance_extensions", ext).Format("1.2.0").Set("pre_instance_functions", vars{"vkEnumerateInstanceVersion": "fakePreVersion"}).Script("pre_version 77")
		if enable {
			f.Set("enable_environment", vars{"YES": "1"})
		}
		s := start(t, w)
		for _, c := range []struct {
			need   bool // the case is about an enable variable
			vars   vars
			filter string // D, A, E
			app    bool
			want   string // active, inactive, removed
		}{
			{false, nil, "", false, "active"}, {false, nil, "D", false, "removed"}, {false, nil, "AD", false, "active"}, {false, nil, "DE", false, "active"}, {false, nil, "A", false, "active"},
			{false, vars{"no": ""}, "", false, "inactive"}, {false, vars{"no": "0"}, "E", false, "inactive"}, {false, vars{"no": "0"}, "AD", false, "inactive"}, {false, vars{"no": "0"}, "ADE", false, "inactive"},
			{false, vars{"no": "1"}, "", true, "active"}, {false, nil, "D", true, "removed"},
			{true, nil, "", false, "inactive"}, {true, vars{"YES": "10"}, "", false, "inactive"}, {true, vars{"YES": ""}, "", false, "inactive"}, {true, vars{"YES": "1"}, "", false, "active"},
			{true, nil, "E", false, "active"}, {true, nil, "DE", false, "active"}, {true, nil, "A", false, "inactive"}, {true, nil, "ADE", false, "active"}, {true, nil, "", true, "active"},
			{true, vars{"YES": "1", "no": "1"}, "", false, "inactive"}, {true, vars{"YES": "1"}, "D", false, "removed"}, {true, vars{"YES": "1"}, "A", false, "active"},
		} {
			if c.need != enable {
				continue
			}
			set := vars{}
			for k, v := range c.vars {
				if k == "no" {
					k = world.Disable(I)
				}
				set[k] = v
			}
			for _, f := range c.filter {
				set[map[rune]string{'D': disableFilter, 'A': allowFilter, 'E': enableFilter}[f]] = "vk_layer_i"
			}
			what := strings.TrimSpace(strings.Join([]string{c.filter, set["YES"], set[world.Disable(I)]}, " "))
			s.with(set, func() {
				listed := s.listed()
				if c.want == "removed" {
					same(t, what, listed, "")
				} else {
					same(t, what, listed, I)
				}
				// Enabled without a request: its extensions are listed, its pre-instance functions called.
				enabled := c.want == "active" && !c.app
				wantExt, wantVersion := own, false
				if enabled {
					wantExt, wantVersion = own+" VK_XX_i", true
				}
				same(t, what, s.extensions(), wantExt)
				if got := s.h.OK("instance_version").Int("version") == 77; got != wantVersion {
					t.Errorf("%s: pre-instance function called: %v", what, got)
				}
				var words []string
				if c.app {
					words = layers(I)
				}
				o := s.create(words...)
				switch c.want {
				case "removed":
					o.log.has(t, "WARNING | LAYER", removed(I))
					o.log.has(t, "WARNING | LAYER", "Implicit l"+removed(I)[1:])
					if c.app && o.result != layerNotPresent {
						t.Error(what, o.result)
					}
				case "active":
					same(t, what, o.active, I)
				default:
					same(t, what, o.active, "")
				}
				forced := `Implicit layer "` + I + `" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.`
				if c.want == "active" && enable && set["YES"] != "1" && !c.app {
					o.log.has(t, "WARNING | LAYER", forced)
				} else {
					o.log.lacks(t, "forced enabled")
				}
			})
		}
		s.end()
	}
}

// holds: ENV-35 ENV-36 ENV-37 ENV-38 ENV-39 ENV-40 ENV-41 ENV-42 ENV-43 ENV-44 ENV-46 ENV-47 ENV-49 ENV-50 ENV-53 ENV-60 ENV-76 LAY-111 LAY-112 LAY-115 LAY-116
func TestFilterLists(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	w.ImplicitLayer("VK_LAYER_i")
	w.ExplicitLayer("VK_LAYER_red")
	w.ExplicitLayer("VK_LAYER_Blue_HUD")
	w.Write("explicit/x.json", blunt("1.2.0", "four", nil))
	w.Env["VK_LAYER_PATH"] = strings.Join([]string{w.Path("explicit/VK_LAYER_red.json"), w.Path("explicit/VK_LAYER_Blue_HUD.json"), w.Path("explicit/x.json")}, ":")
	many := strings.Repeat("x,", 15)
	s := start(t, w)
	// want: the first letters of the layers that stay listed
	for _, c := range []struct{ disable, allow, enable, want string }{
		{"", "", "", "irbf"}, {",,,", "", "", "irbf"}, {"VK_LAYER_red", "", "", "ibf"}, {"vk_layer_RED", "", "", "ibf"}, {"VK_LAYER_re", "", "", "irbf"},
		{"VK_LAYER_*", "", "", "f"}, {"*_hud", "", "", "irf"}, {"*blue*", "", "", "irf"}, {"VK*red", "", "", "irbf"}, {"*", "", "", ""}, {"**", "", "", ""}, {"***", "", "", "irbf"},
		{"~all~", "", "", ""}, {"~ALL~", "", "", ""}, {"~implicit~", "", "", "rbf"}, {"~explicit~", "", "", "i"}, {"~implicit~,~explicit~", "", "", ""}, {"~other~,~red*", "", "", "irbf"},
		{" VK_LAYER_red", "", "", "irbf"}, {"x, four", "", "", "irbf"}, {"~explicit~,*_i", "", "", ""},
		{"*", "*red", "", "r"}, {"*", "*", "", "irbf"}, {"*", "~all~", "", "irb"}, {"*", "~implicit~", "", ""}, {"*", "~explicit~", "", ""},
		{"*blue*", "", "*hud", "irbf"}, {"*", "", "*hud", "b"}, {"~implicit~", "VK_LAYER_i", "", "irbf"},
		{many + "VK_LAYER_red,four", "", "", "ibf"}, {many + "~all~,y,four", "", "", ""}, {"~explicit~," + many + "VK_LAYER_i", "", "", ""},
		{many + "y,~all~", "", "", "irbf"}, {strings.Repeat("z", 300), "", "", "irbf"},
	} {
		s.with(vars{disableFilter: c.disable, allowFilter: c.allow, enableFilter: c.enable}, func() {
			var got strings.Builder
			for _, name := range strings.Fields(s.listed()) {
				got.WriteString(strings.ToLower(strings.TrimPrefix(name, "VK_LAYER_")[:1]))
			}
			same(t, "listed with "+c.disable+" / "+c.allow+" / "+c.enable, got.String(), c.want)
		})
	}
	// Every manifest is read, and the removal of each layer is logged once (of the implicit one twice).
	s.with(vars{disableFilter: "*"}, func() {
		o := s.create()
		for _, name := range []string{"VK_LAYER_i", "VK_LAYER_red", "VK_LAYER_Blue_HUD", "four"} {
			o.log.has(t, "WARNING | LAYER", removed(name))
		}
		o.log.has(t, "INFO", "Found manifest file "+w.Path("explicit/VK_LAYER_red.json")+" (file version 1.2.1)")
		same(t, "active", o.active, "")
		s.with(vars{byName: "VK_LAYER_red"}, func() {
			o := s.create(layers("VK_LAYER_Blue_HUD")...)
			if o.result != layerNotPresent {
				t.Error(o.result)
			}
			o.log.lacks(t, "Insert instance layer")
			o = s.create()
			o.log.has(t, "ERROR | LAYER", `Layer "VK_LAYER_red" was not found but was requested by env var VK_INSTANCE_LAYERS!`)
		})
	})
	s.with(vars{enableFilter: "VK_LAYER_*"}, func() {
		same(t, "active", strings.Join(sorted(s.create().active), " "), "VK_LAYER_Blue_HUD VK_LAYER_i VK_LAYER_red")
	})
	s.end()
}

func sorted(names string) []string {
	set := map[string]bool{}
	for _, n := range strings.Fields(names) {
		set[n] = true
	}
	out := []string{}
	for n := range maps.Keys(set) {
		at := 0
		for at < len(out) && out[at] < n {
			at++
		}
		out = append(out[:at], append([]string{n}, out[at:]...)...)
	}
	return out
}

// holds: GEN-14 GEN-15 LAY-267 LAY-268 LAY-269 LAY-270 LAY-271 LAY-275 LAY-117 ENV-48 INS-047 INS-048 INS-049
func TestRequestedLayers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.ExplicitLayer("VK_LAYER_e")
	s := start(t, w)
	const prefix = "loader_validate_layers: "
	for _, c := range []struct {
		words  []string
		result int
		line   string
	}{
		{layers("VK_LAYER_e"), incompatibleDriver, ""},
		{layers("VK_LAYER_e", "VK_LAYER_gone"), layerNotPresent, prefix + "Layer 1 does not exist in the list of available layers"},
		{append(layers("VK_LAYER_gone"), "ext", "VK_gone"), layerNotPresent, prefix + "Layer 0 does not exist in the list of available layers"},
		{[]string{"layer_count", "1"}, layerNotPresent, prefix + "ppEnabledLayerNames is NULL but enabledLayerCount is greater than zero"},
		{[]string{"layer", "null"}, layerNotPresent, prefix + "ppEnabledLayerNames contains string that is too long or is badly formed"},
		{layers(strings.Repeat("x", 300)), layerNotPresent, prefix + "ppEnabledLayerNames contains string that is too long or is badly formed"},
		{layers("a\x7f"), layerNotPresent, prefix + "ppEnabledLayerNames contains string that is too long or is badly formed"},
		{layers("a\xe2\x82"), layerNotPresent, prefix + "ppEnabledLayerNames contains string that is too long or is badly formed"},
		{layers("©"), layerNotPresent, prefix + "Layer 0 does not exist in the list of available layers"},
		{append(layers("VK_LAYER_gone"), "layer_count", "0"), incompatibleDriver, ""},
	} {
		o := s.create(c.words...)
		if o.result != c.result {
			t.Errorf("%q: %d", c.words, o.result)
		}
		if c.line != "" {
			o.log.has(t, "ERROR", c.line)
			o.log.lacks(t, "Searching for driver")
		} else {
			o.log.has(t, "ERROR | DRIVER", "vkCreateInstance: Found no drivers!")
		}
	}
	s.end()
}

// holds: LAY-104..110 PATH-25 PATH-26
func TestDuplicates(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	ext := func(n string) map[string]any {
		return map[string]any{"instance_extensions": []vars{{"name": n}}, "description": n}
	}
	for n, f := range []string{"a", "b", "c"} {
		w.Write(f+".json", blunt("1.2.0", "VK_LAYER_x", ext([]string{"A", "B", "C"}[n])))
	}
	w.Write("y.json", blunt("1.2.0", "VK_LAYER_y", ext("E")))
	w.Write("i.json", blunt("1.2.0", "VK_LAYER_y", ext("I")))
	w.Env["VK_ADD_LAYER_PATH"] = strings.Join([]string{w.Path("a.json"), w.Path("b.json"), w.Path("y.json"), w.Path("c.json")}, ":")
	w.Env["VK_ADD_IMPLICIT_LAYER_PATH"] = w.Path("i.json")
	s := start(t, w)
	answer := s.h.OK("instance_layers")
	var got []string
	for _, p := range answer.Objects("properties") {
		got = append(got, p.Text("name")+"="+p.Text("description"))
	}
	same(t, "listed", strings.Join(got, " "), "VK_LAYER_y=I VK_LAYER_x=A VK_LAYER_x=C")
	same(t, "extensions", s.extensions("layer", "VK_LAYER_x"), "A")
	same(t, "extensions", s.extensions("layer", "VK_LAYER_y"), "I")
	log := s.create().log
	log.has(t, "WARNING", "Removing layer VK_LAYER_x ("+w.Path("b.json")+") because it is a duplicate of VK_LAYER_x ("+w.Path("a.json")+")")
	log.has(t, "WARNING", "Removing layer VK_LAYER_y ("+w.Path("y.json")+") because it is a duplicate of VK_LAYER_y ("+w.Path("i.json")+")")
	s.set("VK_ADD_LAYER_PATH", w.Root+"/a.json:"+w.Root+"//a.json")
	same(t, "two texts of one path", s.listed(), "VK_LAYER_y VK_LAYER_x")
	s.end()
}

// holds: LAY-131 LAY-132
func TestVersionsPlayNoPart(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	w.ImplicitLayer("VK_LAYER_old").Set("api_version", "0.1.0")
	w.ImplicitLayer("VK_LAYER_11").Set("api_version", "1.1.5")
	w.ImplicitLayer("VK_LAYER_new").Set("api_version", "7.0.0")
	s := start(t, w)
	older := func(name, has, want string) string {
		return "Layer " + name + " uses API version " + has + " which is older than the application specified API version of " + want + ". May cause issues."
	}
	o := s.create("api", "1.1.300")
	same(t, "active", o.active, "VK_LAYER_old VK_LAYER_11 VK_LAYER_new")
	o.log.has(t, "WARNING | LAYER", older("VK_LAYER_old", "0.1", "1.1"))
	o.log.lacks(t, "Layer VK_LAYER_11 uses")
	o = s.create("app", "0")
	same(t, "active", o.active, "VK_LAYER_old VK_LAYER_11 VK_LAYER_new")
	o.log.has(t, "WARNING | LAYER", older("VK_LAYER_old", "0.1", "1.0"))
	s.create("api", "1.2.0").log.has(t, "WARNING | LAYER", older("VK_LAYER_11", "1.1", "1.2"))
	s.end()
}
