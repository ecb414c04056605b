package explain

import (
	"testing"

	"vkloader/internal/core/manifest"
)

// A layer's name is known in any case, and by a part that no other name has.
func TestFullLayerName(t *testing.T) {
	t.Parallel()
	layers := []*manifest.Layer{{Name: "VK_LAYER_KHRONOS_validation"}, {Name: "VK_LAYER_MANGOHUD_overlay"}, {Name: "VK_LAYER_MESA_overlay"}}
	for word, want := range map[string]string{"VK_LAYER_MESA_overlay": "VK_LAYER_MESA_overlay", "vk_layer_khronos_VALIDATION": "VK_LAYER_KHRONOS_validation",
		"mangohud": "VK_LAYER_MANGOHUD_overlay", "overlay": "overlay", "va": "va", "VK_LAYER_KHRONOS": "VK_LAYER_KHRONOS", "*valid*": "*valid*", "other": "other"} {
		if got := FullLayerName(layers, word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}
