package drivers

import (
	"testing"

	"vkloader/internal/core/family"
)

// The table contains each kernel driver of the table of Vulkan drivers once, and no other.
func TestKernels(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kernels {
		if !family.HasKernelDriver(k.name) {
			t.Errorf("no driver of Vulkan uses devices of %s", k.name)
		}
		if seen[k.name] {
			t.Errorf("%s is there twice", k.name)
		}
		seen[k.name] = true
	}
	for _, d := range family.Drivers {
		for _, name := range d.Kernel {
			if !seen[name] {
				t.Errorf("%s, on which %s works, is not there", name, d.Name)
			}
		}
	}
	for _, c := range []struct{ kernel, opengl, vaapi string }{{"amdgpu", "radeonsi", "radeonsi"}, {"xe", "iris", "iHD"}, {"v3d", "v3d", ""}, {"radeon", "", ""}, {"", "", ""}} {
		if opengl, vaapi := NamesOf(c.kernel); opengl != c.opengl || vaapi != c.vaapi {
			t.Errorf("%q: OpenGL %q, VA-API %q, want %q, %q", c.kernel, opengl, vaapi, c.opengl, c.vaapi)
		}
	}
}
