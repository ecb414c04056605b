package term

import (
	"strings"
	"testing"
)

func TestNearestName(t *testing.T) {
	t.Parallel()
	known := []string{"doctor", "explain", "graph", "help", "info", "list", "ps", "run", "settings", "VK_LAYER_MESA_overlay"}
	for name, want := range map[string]string{
		"docter": "doctor", "DOCTOR": "doctor", "setings": "settings", "lsit": "list", "lst": "list", "rn": "run", "xx": "",
		"vk_layer_mesa_overlai": "VK_LAYER_MESA_overlay", "validate": "", "": "", "graphs": "graph",
		strings.Repeat("x", 100): "",
	} {
		if got := NearestName(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := NearestName("bb", []string{"bc", "ba"}); got != "ba" {
		t.Errorf("of two that are equally near: %q", got)
	}
}

// NearestName finds a misspelled name, or a name by a unique part.
func TestNearestNameByPart(t *testing.T) {
	t.Parallel()
	names := []string{"VK_LAYER_MANGOHUD_overlay", "VK_LAYER_KHRONOS_validation", "VK_LAYER_MESA_overlay"}
	for name, want := range map[string]string{"VK_LAYER_KHRONOS_validaton": "VK_LAYER_KHRONOS_validation", "mangohud": "VK_LAYER_MANGOHUD_overlay",
		"overlay": "", "VK_LAYER_none": "", "": ""} {
		if got := NearestName(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
