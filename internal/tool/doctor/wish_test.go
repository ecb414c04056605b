package doctor

import (
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// A program that names only a replaced layer gets a note on the first screen (realitix/vulkan issue 68); beside its
// replacement, the layer is one of the program's choices.
func TestNamedLayers(t *testing.T) {
	t.Parallel()
	const replaced, newer = "VK_LAYER_LUNARG_standard_validation", "VK_LAYER_KHRONOS_validation"
	for text, shown := range map[string]bool{replaced: true, replaced + "\x00" + newer: false} {
		root := t.TempDir()
		tree.Lay(t, root, desktop(t, file("opt/game", text)))
		report, err := Examine(&machine.Source{Machine: machine.Machine{Root: root}, Program: "/opt/game"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f := find(report.Findings, func(f *Finding) bool { return f.Subject == replaced }); f == nil ||
			f.Code != ProgramLayer || f.Shown() != shown {
			t.Errorf("%q: %+v", text, f)
		}
	}
}
