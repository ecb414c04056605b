package ui

import (
	"os"
	"strings"
	"testing"
)

// The settings of the validation layer as a form: a preset, a flag, a dependence, and what is written is what the command line
// would have written.
func TestLayerSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	manifest, err := os.ReadFile("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
	if err != nil {
		t.Fatal(err)
	}
	s.write("share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json", string(manifest))
	b := s.serve().page("layers")
	b.sees("VK_LAYER_KHRONOS_validation")
	b.click(`main .cards a`)
	b.sees("Different from the defaults")
	t.Log(b.text("main"))
	if !strings.Contains(b.text("main"), "Nothing.") {
		t.Error("differs from the beginning")
	}
}
