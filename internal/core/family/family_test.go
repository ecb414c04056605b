package family

import (
	"strings"
	"testing"
)

func nameOf(d *Driver) string {
	if d == nil {
		return ""
	}
	return d.Name
}

// A library is of one driver, by its path or name.
func TestOf(t *testing.T) {
	t.Parallel()
	for library, want := range map[string]string{
		"libvulkan_radeon.so": "RADV (Mesa)", "/usr/lib/x86_64-linux-gnu/libvulkan_radeon.so": "RADV (Mesa)", "../libGLX_nvidia.so.0": NVIDIA,
		"libEGL_nvidia.so.550.54.14": NVIDIA, "libvulkan_intel_hasvk.so": HASVK, "libvulkan_intel.so": "ANV (Mesa)", "libvulkan_nouveau.so": "NVK (Mesa)",
		"libvulkan_gfxstream.so": "gfxstream", "libvk_swiftshader.so": "SwiftShader", "/a.so/libvulkan_lvp.so": "lavapipe (Mesa)",
		"libvulkan_radeon_pro.so": "", "": "", "/": "", ".so": "", "xlibvulkan_lvp.so": "",
	} {
		if got := nameOf(DriverOf(library)); got != want {
			t.Errorf("%q is of %q, want %q", library, got, want)
		}
	}
}

// Each driver is of the hardware that its vendors' numbers say.
func TestHardware(t *testing.T) {
	t.Parallel()
	of := map[string]string{"1002": "AMD", "8086": "Intel", "10DE": "NVIDIA", virtioVendor: "virtio"}
	seen := map[string]bool{}
	for _, d := range Drivers {
		for _, vendor := range d.Vendors {
			if of[vendor] == "" || seen[d.Name] {
				continue
			}
			seen[d.Name] = true
			if d.Hardware != of[vendor] {
				t.Errorf("%s is for %q, want %q", d.Name, d.Hardware, of[vendor])
			}
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %v are known by their vendors", seen)
	}
}

// Which driver to install for a driver of the kernel.
func TestFor(t *testing.T) {
	t.Parallel()
	for kernel, want := range map[string]string{"amdgpu": "RADV (Mesa)", "xe": "ANV (Mesa)", "nvidia": NVIDIA, "nova": "NVK (Mesa)", "virtio-pci": "Venus (Mesa)",
		"dxgkrnl": "Dozen (Mesa)", "vc4": "", "": "", "radeon": ""} {
		if got := nameOf(DriverFor(kernel)); got != want {
			t.Errorf("for %q there is %q, want %q", kernel, got, want)
		}
	}
}

// The driver of the kernel decides who opens a device, and its maker where that driver is not known.
func TestOpens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kernel, vendor, want string }{
		{"nvidia", "10DE", "NVIDIA"},
		{"nouveau", "10DE", "NVK (Mesa)"},
		{"", "10DE", "NVIDIA,NVK (Mesa)"},
		{"vfio-pci", "10DE", "NVIDIA,NVK (Mesa)"},
		{"radeon", "1002", "RADV (Mesa),AMDVLK"},
		{"xe", "8086", "ANV (Mesa)"},
		{"i915", "8086", "ANV (Mesa),HASVK (Mesa)"},
		{"virtio-pci", "1AF4", "RADV (Mesa),AMDVLK,ANV (Mesa),HASVK (Mesa),Venus (Mesa),gfxstream,Turnip (Mesa),Honeykrisp (Mesa)"},
		{"", "1AF4", "RADV (Mesa),AMDVLK,ANV (Mesa),HASVK (Mesa),Venus (Mesa),gfxstream,Turnip (Mesa),Honeykrisp (Mesa)"},
		{"vc4-drm", "", "V3DV (Mesa)"},
		{"pvr", "", "PowerVR (Mesa)"},
		{"tegra", "", "NVIDIA"},
		{"bochs-drm", "1234", ""},
		{"", "", ""},
	} {
		var got []string
		for i := range Drivers {
			if Drivers[i].Opens(c.kernel, c.vendor) {
				got = append(got, Drivers[i].Name)
			}
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s %s: %s, want %s", c.kernel, c.vendor, got, c.want)
		}
	}
}

// No library is of two drivers, a driver for hardware has a driver of the kernel, and one without has none.
func TestTable(t *testing.T) {
	t.Parallel()
	libraries := map[string]bool{}
	for i := range Drivers {
		d := &Drivers[i]
		for _, library := range d.Libraries {
			if libraries[library] {
				t.Errorf("%s is there twice", library)
			}
			libraries[library] = true
		}
		if d.Software() != (len(d.Kernel) == 0) || d.Software() && len(d.Also)+len(d.Nodes)+len(d.Vendors) > 0 {
			t.Errorf("%s: %+v", d.Name, d)
		}
		for _, vendor := range d.Vendors {
			if len(vendor) != 4 || vendor != strings.ToUpper(vendor) {
				t.Errorf("%s: vendor %s", d.Name, vendor)
			}
		}
		for _, node := range d.Nodes {
			if !d.Uses(node.Kernel) {
				t.Errorf("%s does not use %s, whose driver of the kernel is %s", d.Name, node.Path, node.Kernel)
			}
		}
	}
}
