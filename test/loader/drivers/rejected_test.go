package drivers

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// A driver that is rejected after it was opened gets, after the reason, the line that tools look for. So does a library whose path is
// written as an array, whose text is used as the path.
//
// holds: DRV-018 DRV-042 DRV-046
func TestRejectedDriversLine(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(w *world.World) string{
		"refuses": func(w *world.World) string { return w.Driver("bad", "negotiate -9 7").Library },
		"lacks":   func(w *world.World) string { return w.Driver("bad", "missing vkCreateInstance").Library },
		"array":   func(w *world.World) string { return w.Driver("bad").Set("library_path", []string{"no-such"}).Library },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("good")
			library := make(w)
			w.Env["VK_LOADER_DEBUG"] = "all"
			h := w.Start()
			h.OK("create_instance")
			lines := strings.Join(h.Messages(), "\n")
			const line = "loader_icd_scan: Failed loading library associated with ICD JSON "
			want := line + library + ". Ignoring this JSON"
			if name == "array" { // which stands there as it is written, in three lines
				want = line + "["
			}
			if !strings.Contains(lines, want) {
				t.Error(lines)
			}
			h.Quit()
		})
	}
}
