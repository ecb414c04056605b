package commands

import (
	"encoding/json"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// probedFindings returns the findings of doctor with probes in a world.
func probedFindings(t *testing.T, w *world.World) []symptom {
	t.Helper()
	out, exit := tried(w, "doctor", "--json", "--timeout", "60s")
	var report struct{ Findings []symptom }
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s%s", err, out, exit.Stderr)
	}
	return report.Findings
}

// doctor does not suggest disabling the only driver if it crashes, or a layer that a variable asks for: the next run would suggest the
// reverse.
func TestNoFixUndoesTheOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		lay  func(w *world.World)
		code string
		do   string // a part; "-X": without X
	}{
		{"the only driver crashes", func(w *world.World) {
			w.Env["XDG_DATA_DIRS"], w.Env["XDG_CONFIG_DIRS"] = w.Path("share"), w.Path("etc")
			w.Driver("only", "device name=only", "die vkEnumeratePhysicalDevices").MoveManifest("share/vulkan/icd.d")
		}, "driver-crashes", "-DISABLE"},
		{"one of two drivers crashes", func(w *world.World) {
			w.Driver("good", "device name=good")
			w.Driver("bad", "device name=bad", "die vkEnumeratePhysicalDevices")
		}, "driver-crashes", "export VK_LOADER_DRIVERS_DISABLE=bad.json"},
		{"a layer that a variable asks for crashes", func(w *world.World) {
			w.Driver("good", "device name=good")
			w.ExplicitLayer("VK_LAYER_dies", "die vkEnumeratePhysicalDevices")
			w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_dies"
		}, "layer-crashes", "unset VK_INSTANCE_LAYERS. To keep the layer: "},
		{"the layer of AMD's driver hides Mesa's device", func(w *world.World) { // Frogging-Family/PKGBUILDS issue 593
			w.Driver("good", "device name=good")
			w.ImplicitLayer("VK_LAYER_AMD_switchable_graphics_64", "remove_device 0")
		}, "layer-fails", "AMD_VULKAN_ICD=RADV"},
		{"an implicit layer crashes", func(w *world.World) {
			w.Driver("good", "device name=good")
			w.ImplicitLayer("VK_LAYER_dies", "die vkEnumeratePhysicalDevices")
		}, "layer-crashes", "export DISABLE_VK_LAYER_dies=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			c.lay(w)
			w.ExplicitLayer("VK_LAYER_idle")
			w.ImplicitLayer("VK_LAYER_idle_too").Set("enable_environment", map[string]any{"NEVER_SET": "1"})
			found := probedFindings(t, w)
			for i := range found {
				s := &found[i]
				without, not := strings.CutPrefix(c.do, "-")
				if s.Code != c.code || s.Because != "" {
					continue
				}
				if strings.Contains(s.Do, without) == not || not && s.Untried == "" {
					t.Errorf("%s (%s)", s.Do, s.Untried)
				}
				if not {
					return
				}
				name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(s.Commands[0], "export "), "unset "), "=")
				if w.Env[name] = value; value == "" {
					delete(w.Env, name)
				}
				for _, o := range probedFindings(t, w) {
					if o.Code == s.Code || o.Severity == "problem" {
						t.Errorf("followed: %s %s: %s", o.Severity, o.Code, o.What)
					}
				}
				return
			}
			t.Errorf("no %s in %+v", c.code, found)
		})
	}
}
