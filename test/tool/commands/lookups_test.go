package commands

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// If programs get a loader that compares names, doctor measures its look-ups against the tool's own loader, and the first screen names the
// command for that. With the tool's own loader there is no note.
func TestDoctorMeasuresLookups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(testing.TB) *world.World
		want bool
	}{{"own", world.New, false}, {"distribution", world.NewSystem, true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := c.make(t)
			w.NoShim = true
			w.Env["VK_DRIVER_FILES"] = built + "/drivers/null_icd.json"
			w.ImplicitLayer("VK_LAYER_fine")
			w.Env["VKLOADERD_DIR"] = world.Unset // the first screen warns about this variable if the loader does not read it
			out, exit := w.Run(4*time.Minute, tool, "doctor", "--json", "--timeout", "2m")
			var d struct {
				diagnosis
				Loader struct{ Version string }
			}
			if err := json.Unmarshal([]byte(out), &d); err != nil {
				t.Fatalf("%v: %s%s", err, out, exit.Stderr)
			}
			if c.want && !strings.HasPrefix(d.Loader.Version, "1.3.") {
				t.Skipf("the distribution's loader is %s: it may have a table", d.Loader.Version)
			}
			found := d.finding("loader-lookups")
			if !c.want {
				if found != "" {
					t.Error(found)
				}
				return
			}
			if !strings.HasPrefix(found, "note ") || !strings.Contains(found, " to find 1000 commands by their names; the loader of this tool takes 0.") || exit.Code != 0 {
				t.Errorf("%d: %q in %+v", exit.Code, found, d.Findings)
			}
			if out, _ := w.Run(time.Minute, tool); !strings.Contains(out, "vkloader doctor --full               slow drivers and loaders\n") &&
				!strings.Contains(out, "still being tried") {
				t.Errorf("the first screen:\n%s", out)
			}
		})
	}
}
