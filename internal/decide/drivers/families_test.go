package drivers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/core/family"
	"vkloader/internal/decide/machine"
)

// The tool's facts belong to drivers of the table in internal/core/family.
func TestExtrasAreOfTheTable(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for i := range family.Drivers {
		known[family.Drivers[i].Name] = true
	}
	for name := range extras() {
		if !known[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
	if f := Of("/usr/lib/libGLX_nvidia.so.0"); f == nil || f.Name != NVIDIA || f.Free() {
		t.Errorf("NVIDIA's driver: %+v", f)
	}
	if f := For("radeon"); f != nil {
		t.Errorf("for radeon: %s", f.Name)
	}
}

// Opened returns the node patterns of the table and the family's own, only of files.
func TestOpened(t *testing.T) {
	t.Parallel()
	m := &machine.Machine{Root: t.TempDir()}
	for _, node := range []string{"dev/nvidiactl", "dev/nvidia0", "dev/nvidia-uvm", "dev/nvgpu/igpu0/power", "dev/null"} {
		file := filepath.Join(m.Root, node)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(Matches(m, Of("libGLX_nvidia.so.0").Opened()), " "); got != "/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0" {
		t.Errorf("opened: %s", got)
	}
}
