package plan

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
)

// TestQuiet checks that without a sink an answer has all its steps, and of the lines only those that are always written. A
// settings file may enable lines, so with a settings file all lines are there.
//
// holds: LOG-5 LOG-7 SET-77
func TestQuiet(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Version, Layers, Extensions, Instance, InstanceDrivers, ExtensionsDrivers} {
		for _, settings := range []string{"", `{"stderr_log":["all"]}`} {
			w := ready().implicit("i.json", "I", `,"instance_extensions":[{"name":"VK_x"}]`).explicit("e.json", "E", "").
				explicit("f.json", "E", "").meta("m.json", "M", `"E"`, "").meta("n.json", "N", `"gone"`, "").wants("M")
			w.Files[explicitDirectory+"bad.json"] = "{"
			w.Vars["VK_INSTANCE_LAYERS"] = "E:gone"
			w.app.API = 7 // which is always said
			if settings != "" {
				w.settings(settings)
			}
			ask := func(quiet bool) *Answer {
				return Resolve(&Question{Kind: kind, App: w.app, Drivers: w.drivers, Platform: platform, Quiet: quiet}, &w.Tree)
			}
			loud, quiet := ask(false), ask(true)
			want := loud.Steps
			if settings == "" {
				want = slices.DeleteFunc(slices.Clone(want), func(s Step) bool { return s.Kind == StepLog && s.Flags&diag.Fatal == 0 })
			}
			if !slices.Equal(quiet.Steps, want) {
				t.Errorf("%d with %q:\n%v\nwant\n%v", kind, settings, quiet.Steps, want)
			}
			expect(t, "layers", listed(quiet), listed(loud))
			expect(t, "active", active(quiet), active(loud))
			expect(t, "extensions", extensions(quiet), extensions(loud))
			if said := strings.Contains(logText(quiet), "which is not permitted"); said != (kind == Instance) {
				t.Errorf("%d: the line that is always written is there: %v", kind, said)
			}
		}
	}
	w := newWorld().explicit("e.json", "E", "")
	memory := &Memory{Remembered: File{"/gone", `{"file_format_version":"1","settings":{"stderr_log":["all"]}}`, true}}
	a := Resolve(&Question{Kind: Layers, Platform: search.Linux(), Memory: memory, Quiet: true}, &w.Tree)
	expectLog(t, a, "LAYER: Searching for explicit layer manifest files")
}
