package plan

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
)

// asked decides and returns the requested facts, round by round. Variables, directories of a kind and paths of the
// settings file are counted if there are several; other facts are named.
func (w *world) asked(t *testing.T, q Question) (rounds []string) {
	t.Helper()
	q.Platform = linux("/etc", "", "", "/usr/share")
	q.Memory = w.memory
	s := facts.NewStore()
	for range 9 {
		Decide(&q, s)
		needs := s.TakeNeeds()
		if len(needs) == 0 {
			return rounds
		}
		count := map[string]int{}
		for _, n := range needs {
			switch {
			case n.Kind == facts.KindVar && len(rounds) == 0:
				count["variables"]++
			case n.Kind == facts.KindVar:
				count["$"+n.Name]++
			case n.Kind == facts.KindExe:
				count["program"]++
			case n.Kind == facts.KindDirectory:
				count[path.Base(n.Name)+"/"]++
			case n.Kind == facts.KindExists:
				count[path.Base(n.Name)+"?"]++
			default:
				count[path.Base(n.Name)]++
			}
		}
		var words []string
		for _, name := range slices.Sorted(maps.Keys(count)) {
			if count[name] > 1 {
				name = fmt.Sprintf("%d*%s", count[name], name)
			}
			words = append(words, name)
		}
		rounds = append(rounds, strings.Join(words, " "))
		s.Fetch(needs, &w.Tree)
	}
	t.Fatal("never decided")
	return nil
}

// TestWhatIsAskedFor checks that a decision requests only the facts it needs, in few rounds: all variables, all directories,
// the files that may name others, and all other files.
func TestWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	const (
		implicit, explicit, drivers = "4*implicit_layer.d/", "4*explicit_layer.d/", "4*icd.d/"
		settings                    = " 4*vk_loader_settings.json?"
	)
	direct := App{ExtensionCount: 1, DirectList: true, DirectCount: 1, Extensions: []Name{{"VK_LUNARG_direct_driver_loading", true}}}
	inclusive := direct
	inclusive.DirectMode = 1
	decisive := 0
	variables.Decisive(func(variables.ID) { decisive++ })
	every := fmt.Sprintf("%d*variables", decisive)
	all := []string{every, explicit + " " + drivers + " " + implicit + settings, "d.json i.json", "$NO_I e.json"}
	layers := []string{every, explicit + " " + implicit + settings, "i.json", "$NO_I e.json"}
	for _, c := range []struct {
		name string
		q    Question
		want []string
	}{
		{"version", Question{Kind: Version}, []string{every, implicit + settings, "i.json", "$NO_I"}},
		{"layers", Question{Kind: Layers}, layers},
		{"extensions", Question{Kind: Extensions}, []string{every, drivers + " " + implicit + settings, "d.json i.json", "$NO_I"}},
		{"opened drivers' extensions", Question{Kind: ExtensionsDrivers},
			[]string{every, drivers + " " + implicit + settings, "d.json i.json", "$NO_I"}},
		{"of a layer", Question{Kind: Extensions, LayerName: Name{"E", true}}, layers},
		{"instance", Question{Kind: Instance}, all},
		{"opened drivers", Question{Kind: InstanceDrivers}, all},
		{"direct drivers alone", Question{Kind: Instance, App: direct}, layers},
		{"direct drivers and others", Question{Kind: Instance, App: inclusive}, all},
	} {
		w := newWorld().driver("d.json", "").implicit("i.json", "I", "").explicit("e.json", "E", "")
		if got := w.asked(t, c.q); !slices.Equal(got, c.want) {
			t.Errorf("%s: asked for\n%q, want\n%q", c.name, got, c.want)
		}
	}
	w := newWorld().driver("d.json", "").explicit("e.json", "E", "")
	if got := w.asked(t, Question{Kind: Instance}); !slices.Equal(got, []string{all[0], all[1], "d.json e.json"}) {
		t.Errorf("without implicit layers: asked for %q", got)
	}
	w.Files["/etc/vulkan//loader_settings.d/vk_loader_settings.json"] = `{"file_format_version":"1","settings":{"app_keys":[]}}`
	if got := w.asked(t, Question{Kind: Instance}); len(got) != 4 || got[2] != "d.json program vk_loader_settings.json" || got[3] != "e.json" {
		t.Errorf("with a settings file: asked for %q", got)
	}
	w.Files["/etc/vulkan//loader_settings.d/vk_loader_settings.json"] = `{"file_format_version":"1","settings":{"layers":[` +
		entry("on", "S", "/s.json", "") + `],"additional_drivers":[{"path":"/t.json"}]}}`
	w.implicit("i.json", "I", "")
	if got := w.asked(t, Question{Kind: Instance}); len(got) != 4 || got[2] != "d.json i.json program vk_loader_settings.json" ||
		got[3] != "$NO_I s.json t.json" {
		t.Errorf("with one that names files: asked for %q", got)
	}
	w = newWorld().implicitMeta("o.json", manifest.OverrideName, `"C"`, `,"override_paths":["/p"]`).explicit("e.json", "E", "")
	w.Files["/p/c.json"] = w.Files[explicitDirectory+"e.json"]
	if got := w.asked(t, Question{Kind: Layers}); len(got) != 6 || got[2] != "o.json" || got[3] != "$NO_"+manifest.OverrideName+" program" ||
		got[4] != "p/" || got[5] != "c.json" { // the usual directory's are not read
		t.Errorf("with override paths: asked for %q", got)
	}
}

// In one call nothing is read twice, nor asked for again when drivers have been opened.
func TestSecondQuestion(t *testing.T) {
	t.Parallel()
	for first, second := range map[Kind]Kind{Instance: InstanceDrivers, Extensions: ExtensionsDrivers} {
		w := ready().implicit("i.json", "I", `,"instance_extensions":[{"name":"VK_x"}]`).explicit("e.json", "E", "").enables("VK_EXT_debug_utils")
		w.Vars["VK_INSTANCE_LAYERS"] = "E:gone"
		alone := w.ask(t, second, Name{})
		w.memory = &Memory{}
		ask := func(kind Kind) *Answer {
			return Resolve(&Question{Kind: kind, App: w.app, Drivers: w.drivers, Memory: w.memory, Platform: platform}, &w.Tree)
		}
		ask(first)
		files := w.memory.files
		again := ask(second)
		if len(files) == 0 || len(files) != len(w.memory.files) {
			t.Errorf("%d and %d files", len(files), len(w.memory.files))
		}
		expect(t, "steps", stepText(again), stepText(alone))
		expect(t, "layers", listed(again), listed(alone))
		expect(t, "extensions", extensions(again), extensions(alone))
	}
}
