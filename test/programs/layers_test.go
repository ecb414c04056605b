package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	overlay      = "VK_LAYER_MESA_overlay"
	deviceSelect = "VK_LAYER_MESA_device_select"
	layerFolder  = "/usr/share/vulkan"
)

// Mesa's implicit layer answers on its own: asked for the list, it prints the devices and ends the program.
func TestMesaDeviceSelect(t *testing.T) {
	t.Parallel()
	need(t, layerFolder+"/implicit_layer.d/VkLayer_MESA_device_select.json")
	stage := newStage(t).onLavapipe().withX().with("MESA_VK_DEVICE_SELECT=list")
	mine := stage.run(ours(t), "vulkaninfo", "--summary")
	theirs := stage.run(debians(t), "vulkaninfo", "--summary")
	if mine.code != theirs.code {
		t.Errorf("%s: %s; Debian's: %s", mine.command, mine.how, theirs.how)
	}
	if !strings.Contains(mine.err, "selectable devices:") || !strings.Contains(mine.err, "llvmpipe") {
		t.Errorf("the layer did not answer:\n%s", tail(mine.err))
	}
	if d := difference(theirs.err, withoutNewer(mine.err)); d != "" {
		t.Errorf("- Debian's, + ours:\n%s", d)
	}
	// Its own variable keeps it out.
	off := stage.with("NODEVICE_SELECT=1").run(ours(t), "vulkaninfo", "--summary")
	off.wantExit(t, 0)
	if strings.Contains(off.err, "selectable devices:") {
		t.Error("the layer answered although NODEVICE_SELECT is set")
	}
}

// The overlay draws into every frame, here together with validation and device-select; its statistics file shows that
// it was at work.
func TestMesaOverlayWithValidation(t *testing.T) {
	t.Parallel()
	need(t, layerFolder+"/explicit_layer.d/VkLayer_MESA_overlay.json",
		layerFolder+"/explicit_layer.d/VkLayer_khronos_validation.json")
	stage := newStage(t).onLavapipe().withX()
	for _, order := range [][]string{{overlay, validation}, {validation, overlay}} {
		t.Run(strings.Join(order, " over "), func(t *testing.T) {
			statistics := filepath.Join(stage.dir, "overlay-"+order[0])
			result := stage.with(
				"VK_INSTANCE_LAYERS="+strings.Join(order, ":"), "VK_LOADER_DEBUG=layer",
				"VK_LAYER_MESA_OVERLAY_CONFIG=output_file="+statistics+",frame,fps_sampling_period=1",
			).run(ours(t), "vkcube", "--c", "120")
			result.wantExit(t, 0)
			for _, layer := range []string{overlay, validation, deviceSelect} {
				if !strings.Contains(result.err, `Insert instance layer "`+layer+`"`) {
					t.Errorf("%s is not in the chain:\n%s", layer, tail(result.err))
				}
			}
			data, err := os.ReadFile(statistics)
			if err != nil {
				t.Fatalf("the overlay wrote nothing: %v", err)
			}
			if lines := strings.Count(string(data), "\n"); lines < 10 {
				t.Errorf("the overlay saw hardly a frame:\n%s", data)
			}
		})
	}
}
