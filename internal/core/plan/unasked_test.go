package plan

import (
	"fmt"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
)

// TestLayersThatNobodyAsksFor checks that without a sink explicit layers are listed, and their manifests parsed, only if one of
// them may become active. All manifests are read, the active layers are the same, and so is the full list when it is
// requested.
//
// holds: LAY-4 LAY-100 LAY-102 LAY-144 LAY-260
func TestLayersThatNobodyAsksFor(t *testing.T) {
	t.Parallel()
	const settingsFile = `{"layers":[{"name":"E","path":"/s.json","control":"on"},{"control":"unordered_layer_location"}]}`
	for name, c := range map[string]struct {
		change   func(w *world)
		unlisted bool
	}{
		"nothing":             {func(*world) {}, true},
		"an extension":        {func(w *world) { w.enables("VK_EXT_debug_utils") }, true},
		"an implicit one off": {func(w *world) { w.Vars["NO_I"] = "1" }, true},
		"disabled":            {func(w *world) { w.Vars["VK_LOADER_LAYERS_DISABLE"] = "~all~" }, true},
		"of the same name":    {func(w *world) { w.implicit("k.json", "E", "").implicit("l.json", "E", "") }, true},
		"settings":            {func(w *world) { w.settings(`{}`) }, true},
		"the program":         {func(w *world) { w.wants("E") }, false},
		"one that is gone":    {func(w *world) { w.wants("gone") }, false},
		"NULL":                {func(w *world) { w.app.LayerCount, w.app.LayersNull = 1, true }, false},
		"a variable":          {func(w *world) { w.Vars["VK_INSTANCE_LAYERS"] = "E" }, false},
		"a filter":            {func(w *world) { w.Vars["VK_LOADER_LAYERS_ENABLE"] = "*E*" }, false},
		"a meta-layer":        {func(w *world) { w.implicitMeta("k.json", "K", `"E"`, "") }, false},
		"the override layer":  {func(w *world) { w.implicitMeta("k.json", manifest.OverrideName, `"E"`, `,"blacklisted_layers":["F"]`) }, false},
		"settings of layers":  {func(w *world) { w.settings(settingsFile) }, false},
		"settings that log":   {func(w *world) { w.settings(`{"stderr_log":["all"]}`) }, false},
	} {
		w := ready().implicit("i.json", "I", "").explicit("e.json", "E", "").explicit("f.json", "F", "").meta("m.json", "M", `"E"`, "")
		w.Files["/s.json"] = w.Files[explicitDirectory+"e.json"]
		c.change(w)
		for _, kind := range []Kind{Instance, InstanceDrivers} {
			ask := func(q Question) (a *Answer, parsed bool, read string) {
				q.Kind, q.App, q.Drivers, q.Platform, q.Memory = kind, w.app, w.drivers, platform, &Memory{}
				store := facts.NewStore()
				facts.Resolve(store, &w.Tree, func(s *facts.Store) { a = Decide(&q, s) })
				for key := range q.Memory.files {
					parsed = parsed || strings.HasPrefix(key.path, explicitDirectory)
				}
				return a, parsed, fmt.Sprint(store.Size())
			}
			loud, _, all := ask(Question{})
			quiet, parsed, read := ask(Question{Quiet: true})
			whole, _, _ := ask(Question{Quiet: true, Whole: true})
			what := fmt.Sprintf("%s, %d: ", name, kind)
			if quiet.Unlisted != c.unlisted || parsed == c.unlisted || loud.Unlisted || whole.Unlisted {
				t.Errorf("%sunlisted %v, parsed %v; with a listener %v, whole %v", what, quiet.Unlisted, parsed, loud.Unlisted, whole.Unlisted)
			}
			expect(t, what+"bytes that were read", read, all)
			expect(t, what+"active", active(quiet), active(loud))
			expect(t, what+"drivers", fmt.Sprint(len(quiet.Drivers), quiet.Result), fmt.Sprint(len(loud.Drivers), loud.Result))
			expect(t, what+"whole list", listed(whole), listed(loud))
			if c.unlisted && !strings.HasPrefix(listed(loud), listed(quiet)) {
				t.Errorf("%slisted %q, and with a listener %q", what, listed(quiet), listed(loud))
			}
		}
	}
}
