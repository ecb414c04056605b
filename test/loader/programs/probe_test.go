package programs

import (
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
	"vkloader/test/lib/world"
)

// The doctor's probe presents frames in a window if there is an X display, and so finds a layer that crashes only
// there.
func TestProbePresentsInAWindow(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	bad := w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueuePresentKHR", "die vkQueuePresentKHR")
	good := w.ImplicitLayer("VK_LAYER_good", "intercept vkQueuePresentKHR")
	stage := machine.New(t).OnLavapipe().WithX()
	tool := filepath.Join(machine.Built(t), "vkloader")
	for layer, wants := range map[*world.Fake][]string{
		bad:  {"problem layer-crashes: VK_LAYER_bad\n", "killed by SIGABRT while presenting ("},
		good: {"ok     drivers and layers together", "llvmpipe"},
	} {
		o := stage.With("VK_IMPLICIT_LAYER_PATH="+layer.ManifestPath).Run(machine.Ours(t), tool, "doctor", "--probe", "--timeout", "60s")
		for _, want := range wants {
			if !strings.Contains(o.Out, want) {
				t.Errorf("%s: no %q in\n%s%s", layer.ManifestPath, want, o.Out, o.Err)
			}
		}
		if layer == good && strings.Contains(o.Out, "present") {
			t.Errorf("something is wrong with presenting:\n%s", o.Out)
		}
	}
}
