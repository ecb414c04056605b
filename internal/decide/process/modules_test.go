package process

import "testing"

// NVIDIA's library for EGL has the functions of a driver, but is no separate driver if NVIDIA's driver is loaded.
func TestPartOfADriver(t *testing.T) {
	t.Parallel()
	nvidia := MappedModule{Manifest: "/usr/share/vulkan/icd.d/nvidia_icd.json", File: "/usr/lib/libGLX_nvidia.so.580.1"}
	for _, c := range []struct {
		drivers []MappedModule
		library string
		want    bool
	}{
		{[]MappedModule{nvidia}, "/usr/lib/libEGL_nvidia.so.580.1", true},
		{nil, "/usr/lib/libEGL_nvidia.so.580.1", false},
		{[]MappedModule{{File: nvidia.File}}, "/usr/lib/libEGL_nvidia.so.580.1", false},
		{[]MappedModule{nvidia}, "/usr/lib/libvulkan_lvp.so", false},
		{[]MappedModule{nvidia, {Manifest: "/m.json", File: "/usr/lib/libmine.so"}}, "/usr/lib/libother.so", false},
	} {
		if got := partOf(c.drivers, c.library); got != c.want {
			t.Errorf("%s beside %v: %v", c.library, c.drivers, got)
		}
	}
}
