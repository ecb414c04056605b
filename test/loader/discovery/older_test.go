package discovery

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// The log names the layers of the chain that are older than the program; meta-layers are not in the chain.
//
// holds: LAY-132
func TestOlderMetaLayer(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("acme")
	w.ExplicitLayer("VK_LAYER_part").API("1.0.0")
	w.ExplicitLayer("VK_LAYER_meta").API("1.0.0").Set("library_path", nil).Set("component_layers", []string{"VK_LAYER_part"})
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance", "api", "1.3.0", "layer", "VK_LAYER_meta")
	const older = " uses API version 1.0 which is older than the application specified API version of 1.3. May cause issues."
	lines := strings.Join(h.Messages(), "\n")
	if !strings.Contains(lines, "Layer VK_LAYER_part"+older) || strings.Contains(lines, "Layer VK_LAYER_meta"+older) {
		t.Error(lines)
	}
	h.Quit()
}
