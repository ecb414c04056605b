package compute

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// holds: GPA-015 EXP-011 DEV-050
//
// TestCompute records 100,000 dispatches through the library's exports on lavapipe, without layers and with the validation layer,
// and checks their count.
func TestCompute(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	drivers, _ := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd.*json")
	if len(drivers) == 0 {
		t.Fatal("lavapipe's manifest is missing: install mesa-vulkan-drivers")
	}
	for _, layer := range []string{"", "VK_LAYER_KHRONOS_validation"} {
		t.Run("with "+layer, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(top, "build/test/compute"), filepath.Join(top, "build/libvulkan.so.1"), "100000")
			cmd.Env = []string{"HOME=" + t.TempDir(), "VK_IMPLICIT_LAYER_PATH=", "VK_DRIVER_FILES=" + drivers[0], "VK_INSTANCE_LAYERS=" + layer}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "100000 dispatches, result 100000,") {
				t.Fatalf("%v\n%s", err, out)
			}
			if strings.Contains(string(out), "VUID-") {
				t.Errorf("the validation layer objects:\n%s", out)
			}
		})
	}
}
