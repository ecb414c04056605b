package explain

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/tool/decision"
)

// mixed is a world with layers and drivers of each kind.
func mixed() *facts.Tree {
	layer := func(name, more string) string {
		return fmt.Sprintf(`{"file_format_version":"1.2.0","layer":{"name":%q,"type":"GLOBAL","library_path":"lib.so",`+
			`"api_version":"1.3.0","implementation_version":"1","description":"D"%s}}`, name, more)
	}
	driver := `{"file_format_version":"1.0.0","ICD":{"library_path":"/d/lib%s.so","api_version":"1.3.0"}}`
	return &facts.Tree{
		Vars: map[string]string{"HOME": "/h", "NO_D": ""},
		Files: map[string]string{
			"/usr/share/vulkan/icd.d/a.json":            fmt.Sprintf(driver, "a"),
			"/usr/share/vulkan/icd.d/b.json":            fmt.Sprintf(driver, "b"),
			"/usr/share/vulkan/explicit_layer.d/e.json": layer("VK_LAYER_e", ""),
			"/usr/share/vulkan/implicit_layer.d/i.json": layer("VK_LAYER_i", `,"disable_environment":{"NO_I":"1"}`),
			"/usr/share/vulkan/implicit_layer.d/d.json": layer("VK_LAYER_d", `,"disable_environment":{"NO_D":"1"}`),
			"/usr/share/vulkan/implicit_layer.d/o.json": layer("VK_LAYER_o",
				`,"disable_environment":{"NO_O":"1"},"enable_environment":{"YES_O":"on"}`),
		},
	}
}

func explainTree(t *testing.T, tree *facts.Tree) (in, out map[string]Item) {
	t.Helper()
	answer, err := decision.Ask(tree)
	if err != nil {
		t.Fatal(err)
	}
	listIn, listOut := Of(answer)
	in, out = map[string]Item{}, map[string]Item{}
	for _, e := range listIn {
		in[e.Name] = e
	}
	for _, e := range listOut {
		out[e.Name] = e
	}
	return in, out
}

// The line that explain gives for a driver or layer does what it says: set, it puts the thing out or in.
func TestExplainChangesWork(t *testing.T) {
	in, out := explainTree(t, mixed())
	for _, name := range []string{"a.json", "b.json", "VK_LAYER_i"} {
		if e, ok := in[name]; !ok || e.Why == "" || e.Statement == "" || e.Order == 0 {
			t.Errorf("%s is not in with a reason: %+v", name, e)
		}
	}
	for _, name := range []string{"VK_LAYER_d", "VK_LAYER_e", "VK_LAYER_o"} {
		if e, ok := out[name]; !ok || e.Why == "" || e.Statement == "" {
			t.Errorf("%s is not out with a reason: %+v", name, e)
		}
	}
	for from, list := range map[string]map[string]Item{"in": in, "out": out} {
		for name, e := range list {
			changed := mixed()
			changed.Vars = maps.Clone(changed.Vars)
			if variable, is := strings.CutPrefix(e.Change, "unset "); is {
				delete(changed.Vars, variable)
			} else if variable, value, ok := strings.Cut(e.Change, "="); ok {
				changed.Vars[variable] = value
			} else {
				t.Errorf("%s has no line to change it: %+v", name, e)
				continue
			}
			nowIn, _ := explainTree(t, changed)
			if _, isIn := nowIn[name]; isIn == (from == "in") {
				t.Errorf("%s was %s, and %s does not change that", name, from, e.Change)
			}
		}
	}
}
