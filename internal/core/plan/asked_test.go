package plan

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
)

// asked decides and writes down what was asked for, round by round: variables, folders of a kind and places of the
// settings file by their number when there are several, everything else by name.
func (w *world) asked(t *testing.T, q Question) (rounds []string) {
	t.Helper()
	q.Platform = search.Platform{SysConfDir: "/etc", DataDirs: "/usr/share"}
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
			case n.Kind == facts.KindFolder:
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

// A decision asks for what it needs and for nothing else, and in few rounds, since each costs a way to the spine and
// back: all variables at once, then all folders, then all files, then the variables that manifests name.
func TestWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	const (
		implicit, explicit, drivers = "4*implicit_layer.d/", "4*explicit_layer.d/", "4*icd.d/"
		settings                    = " 4*vk_loader_settings.json?"
	)
	direct := App{ExtensionCount: 1, DirectList: true, DirectCount: 1, Extensions: []Name{{"VK_LUNARG_direct_driver_loading", true}}}
	inclusive := direct
	inclusive.DirectMode = 1
	all := []string{"19*variables", explicit + " " + drivers + " " + implicit + settings, "d.json e.json i.json", "$NO_I"}
	layers := []string{"19*variables", explicit + " " + implicit + settings, "e.json i.json", "$NO_I"}
	for _, c := range []struct {
		name string
		q    Question
		want []string
	}{
		{"version", Question{Kind: Version}, []string{"19*variables", implicit + settings, "i.json", "$NO_I"}},
		{"layers", Question{Kind: Layers}, layers},
		{"extensions", Question{Kind: Extensions}, []string{"19*variables", drivers + " " + implicit + settings, "d.json i.json", "$NO_I"}},
		{"opened drivers' extensions", Question{Kind: ExtensionsDrivers},
			[]string{"19*variables", drivers + " " + implicit + settings, "d.json i.json", "$NO_I"}},
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
	w.Files["/etc/vulkan//loader_settings.d/vk_loader_settings.json"] = `{"file_format_version":"1","settings":{"app_keys":[]}}`
	if got, want := w.asked(t, Question{Kind: Instance}), "d.json e.json vk_loader_settings.json"; len(got) != 4 || got[2] != want || got[3] != "program" {
		t.Errorf("with a settings file: asked for %q", got)
	}
}
