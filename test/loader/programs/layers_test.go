package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

const (
	overlay        = "VK_LAYER_MESA_overlay"
	deviceSelect   = "VK_LAYER_MESA_device_select"
	layerDirectory = "/usr/share/vulkan"
)

// With the value "list", Mesa's implicit layer prints the devices and ends the program.
func TestMesaDeviceSelect(t *testing.T) {
	t.Parallel()
	machine.Need(t, layerDirectory+"/implicit_layer.d/VkLayer_MESA_device_select.json")
	stage := machine.New(t).OnLavapipe().WithX().With("MESA_VK_DEVICE_SELECT=list")
	mine := stage.Run(machine.Ours(t), "vulkaninfo", "--summary")
	theirs := stage.Run(machine.Debians(t), "vulkaninfo", "--summary")
	if mine.Code != theirs.Code {
		t.Errorf("%s: %s; Debian's: %s", mine.Command, mine.How, theirs.How)
	}
	if !strings.Contains(mine.Err, "selectable devices:") || !strings.Contains(mine.Err, "llvmpipe") {
		t.Errorf("the layer did not answer:\n%s", machine.Tail(mine.Err))
	}
	if d := machine.Difference(theirs.Err, withoutNewer(mine.Err)); d != "" {
		t.Errorf("- Debian's, + ours:\n%s", d)
	}
	// The layer's disable variable works.
	off := stage.With("NODEVICE_SELECT=1").Run(machine.Ours(t), "vulkaninfo", "--summary")
	off.WantExit(t, 0)
	if strings.Contains(off.Err, "selectable devices:") {
		t.Error("the layer answered although NODEVICE_SELECT is set")
	}
}

// The overlay draws into every frame, together with validation and device-select. Its statistics file shows that it has worked.
func TestMesaOverlayWithValidation(t *testing.T) {
	t.Parallel()
	machine.Need(t, layerDirectory+"/explicit_layer.d/VkLayer_MESA_overlay.json",
		layerDirectory+"/explicit_layer.d/VkLayer_khronos_validation.json")
	stage := machine.New(t).OnLavapipe().WithX()
	for _, order := range [][]string{{overlay, validation}, {validation, overlay}} {
		t.Run(strings.Join(order, " over "), func(t *testing.T) {
			statistics := filepath.Join(stage.Dir, "overlay-"+order[0])
			result := stage.With(
				"VK_INSTANCE_LAYERS="+strings.Join(order, ":"), "VK_LOADER_DEBUG=layer",
				"VK_LAYER_MESA_OVERLAY_CONFIG=output_file="+statistics+",frame,fps_sampling_period=1",
			).Run(machine.Ours(t), "vkcube", "--c", "120")
			result.WantExit(t, 0)
			for _, layer := range []string{overlay, validation, deviceSelect} {
				if !strings.Contains(result.Err, `Insert instance layer "`+layer+`"`) {
					t.Errorf("%s is not in the chain:\n%s", layer, machine.Tail(result.Err))
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
