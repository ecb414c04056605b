package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"doctor", "explain", "graph", "help", "info", "list", "ps", "run", "settings", "VK_LAYER_MESA_overlay"}
	for name, want := range map[string]string{
		"docter": "doctor", "DOCTOR": "doctor", "setings": "settings", "lsit": "list", "lst": "list", "rn": "run", "xx": "",
		"vk_layer_mesa_overlai": "VK_LAYER_MESA_overlay", "validate": "", "": "", "graphs": "graph",
		strings.Repeat("x", 100): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Nearest("bb", []string{"bc", "ba"}); got != "ba" {
		t.Errorf("of two that are equally near: %q", got)
	}
}
