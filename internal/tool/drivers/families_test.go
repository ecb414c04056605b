package drivers

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"vkloader/internal/core/family"
)

// What the tool knows of a driver belongs to a driver of the table.
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
	if f := Of("/usr/lib/libGLX_nvidia.so.0"); f == nil || f.Name != NVIDIA || f.Packages["debian"] != "nvidia-driver" || f.Free() {
		t.Errorf("NVIDIA's driver: %+v", f)
	}
	if f := For("radeon"); f != nil {
		t.Errorf("for radeon: %s", f.Name)
	}
}

// What a driver opens: the nodes of the table and its own, files alone.
func TestOpened(t *testing.T) {
	t.Parallel()
	there := fstest.MapFS{"dev/nvidiactl": {}, "dev/nvidia0": {}, "dev/nvidia-uvm": {}, "dev/nvgpu/igpu0/power": {}, "dev/null": {}}
	read := func(directory string) ([]fs.DirEntry, error) {
		return there.ReadDir(strings.TrimPrefix(directory, "/"))
	}
	if got := strings.Join(Matches(Of("libGLX_nvidia.so.0").Opened(), read), " "); got != "/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0" {
		t.Errorf("opened: %s", got)
	}
}
