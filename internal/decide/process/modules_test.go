package process

import "testing"

// NVIDIA's part for EGL has the functions of a driver: beside the driver it is none of its own.
func TestPartOfADriver(t *testing.T) {
	t.Parallel()
	nvidia := Module{Manifest: "/usr/share/vulkan/icd.d/nvidia_icd.json", File: "/usr/lib/libGLX_nvidia.so.580.1"}
	for _, c := range []struct {
		drivers []Module
		library string
		want    bool
	}{
		{[]Module{nvidia}, "/usr/lib/libEGL_nvidia.so.580.1", true},
		{nil, "/usr/lib/libEGL_nvidia.so.580.1", false},
		{[]Module{{File: nvidia.File}}, "/usr/lib/libEGL_nvidia.so.580.1", false},
		{[]Module{nvidia}, "/usr/lib/libvulkan_lvp.so", false},
		{[]Module{nvidia, {Manifest: "/m.json", File: "/usr/lib/libmine.so"}}, "/usr/lib/libother.so", false},
	} {
		if got := partOf(c.drivers, c.library); got != c.want {
			t.Errorf("%s beside %v: %v", c.library, c.drivers, got)
		}
	}
}
