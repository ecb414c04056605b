package plan

import (
	"strings"
	"testing"

	"vkloader/internal/core/diag"
)

// said returns the diagnostics about active and inactive layers, one a line.
func said(a *Answer) string {
	var out []string
	for _, f := range a.Diagnostics {
		if f.Code == diag.LayerActive || f.Code == diag.LayerInactive {
			out = append(out, f.Subject+" "+strings.TrimPrefix(f.Code.String(), "layer-")+": "+f.What)
		}
	}
	return strings.Join(out, "\n")
}

// Why each layer is active or not, in words.
func TestReasonsInWords(t *testing.T) {
	t.Parallel()
	w := newWorld().implicit("i.json", "I", "").implicit("j.json", "J", "").
		implicit("k.json", "K", `,"enable_environment":{"DO_K":"yes"}`).explicit("e.json", "E", "").explicit("f.json", "F", "").
		explicit("g.json", "G", "").explicit("h.json", "H", "").meta("m.json", "M", `"G"`, "").wants("E", "M")
	w.Vars["NO_J"], w.Vars["DO_K"], w.Vars["VK_INSTANCE_LAYERS"], w.Vars["VK_LOADER_LAYERS_ENABLE"] = "", "no", "F", "H"
	w.drivers = []Driver{{Usable: true}}
	expect(t, "asked for by everybody", said(w.ask(t, InstanceDrivers, Name{})), `I active: implicit layer; to disable it, set NO_I
J inactive: its disable variable NO_J is set
K inactive: its enable variable DO_K does not have the value yes
E active: enabled by the program
F active: named in VK_INSTANCE_LAYERS
G active: component of a meta-layer
H active: matches VK_LOADER_LAYERS_ENABLE
M active: enabled by the program`)
	w.Vars["DO_K"] = "yes"
	w.app.Layers = nil
	expect(t, "nothing enables it", said(w.ask(t, InstanceDrivers, Name{})), `I active: implicit layer; to disable it, set NO_I
J inactive: its disable variable NO_J is set
K active: implicit layer; to disable it, set NO_K
E inactive: nothing enables it
F active: named in VK_INSTANCE_LAYERS
G inactive: nothing enables it
H active: matches VK_LOADER_LAYERS_ENABLE
M inactive: nothing enables it`)
}

// A meta-layer offers what its components offer, each extension once (LAY-169 to LAY-172).
func TestExtensionsOfComponentsOnce(t *testing.T) {
	t.Parallel()
	const same = `,"instance_extensions":[{"name":"VK_S","spec_version":"1"},{"name":"VK_S","spec_version":"2"}]`
	w := newWorld().explicit("e.json", "E", same).explicit("f.json", "F", same).meta("m.json", "M", `"E","F"`, "")
	expect(t, "extensions", extensions(w.ask(t, Extensions, Name{"M", true})), "VK_S")
}

// TestSubjectOfVersions checks that a finding about the requested version has the subject apiVersion.
func TestSubjectOfVersions(t *testing.T) {
	t.Parallel()
	for _, api := range []uint32{1, 1<<29 | 1<<22} {
		w := newWorld()
		w.app.API = api
		found := 0
		for _, f := range w.ask(t, Instance, Name{}).Diagnostics {
			if f.Code == diag.AppVersion && f.Subject == "apiVersion" {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%#x: %d diagnostics about apiVersion", api, found)
		}
	}
}
