package doctor

import (
	"path"
	"slices"
	"strings"
)

// family is a driver that exists, under whatever name its manifest lies there.
type family struct {
	name     string
	stems    []string          // of its library's file name, up to ".so"
	kernel   []string          // drivers of the kernel that it works on; none: it needs no device
	packages map[string]string // by manager: the package that has it
}

// ofMesa are the packages where all of Mesa's drivers are in one.
func ofMesa(more map[string]string) map[string]string {
	packages := map[string]string{"debian": "mesa-vulkan-drivers", "fedora": "mesa-vulkan-drivers",
		"rhel": "mesa-vulkan-drivers"}
	for id, name := range more {
		packages[id] = name
	}
	return packages
}

// families are the drivers that are known; a machine may have others. The order matters: what to install for a device
// is the first that works on its kernel driver.
var families = []family{
	{"RADV (Mesa)", []string{"libvulkan_radeon"}, []string{"amdgpu"}, ofMesa(map[string]string{"arch": "vulkan-radeon",
		"suse": "libvulkan_radeon", "alpine": "mesa-vulkan-ati", "void": "mesa-vulkan-radeon"})},
	{"AMDVLK", []string{"amdvlk64", "amdvlk32", "amdvlkpro64", "amdvlkpro32"}, []string{"amdgpu"}, nil},
	{"ANV (Mesa)", []string{"libvulkan_intel"}, []string{"i915", "xe"}, ofMesa(map[string]string{"arch": "vulkan-intel",
		"suse": "libvulkan_intel", "alpine": "mesa-vulkan-intel", "void": "mesa-vulkan-intel"})},
	{"HASVK (Mesa)", []string{"libvulkan_intel_hasvk"}, []string{"i915"}, nil},
	{"NVIDIA", []string{"libGLX_nvidia", "libEGL_nvidia"}, []string{"nvidia"}, map[string]string{
		"debian": "nvidia-driver", "fedora": "akmod-nvidia", "arch": "nvidia-utils", "suse": "nvidia-gl-G06",
		"gentoo": "x11-drivers/nvidia-drivers", "void": "nvidia"}},
	{"NVK (Mesa)", []string{"libvulkan_nouveau"}, []string{"nouveau", "nova"}, ofMesa(map[string]string{
		"arch": "vulkan-nouveau",
		"suse": "libvulkan_nouveau", "alpine": "mesa-vulkan-nouveau", "void": "mesa-vulkan-nouveau"})},
	{"Venus (Mesa)", []string{"libvulkan_virtio"}, []string{"virtio_gpu", "virtio-pci", "virtio-gpu"},
		ofMesa(map[string]string{"arch": "vulkan-virtio"})},
	{"gfxstream", []string{"libvulkan_gfxstream"}, []string{"virtio_gpu", "virtio-pci", "virtio-gpu"}, nil},
	{"Dozen (Mesa)", []string{"libvulkan_dzn"}, []string{"dxgkrnl"}, ofMesa(map[string]string{"arch": "vulkan-dzn"})},
	{"Turnip (Mesa)", []string{"libvulkan_freedreno"}, []string{"msm", "msm_dpu"}, ofMesa(nil)},
	{"PanVK (Mesa)", []string{"libvulkan_panfrost"}, []string{"panfrost", "panthor"}, ofMesa(nil)},
	{"V3DV (Mesa)", []string{"libvulkan_broadcom"}, []string{"v3d"}, ofMesa(nil)},
	{"Honeykrisp (Mesa)", []string{"libvulkan_asahi"}, []string{"asahi"}, ofMesa(nil)},
	{"PowerVR (Mesa)", []string{"libvulkan_powervr_mesa"}, []string{"powervr"}, ofMesa(nil)},
	{"lavapipe (Mesa)", []string{"libvulkan_lvp"}, nil, ofMesa(map[string]string{"arch": "vulkan-swrast",
		"suse": "libvulkan_lvp", "alpine": "mesa-vulkan-swrast", "void": "mesa-vulkan-lavapipe"})},
	{"SwiftShader", []string{"libvk_swiftshader"}, nil, nil},
}

// familyOf tells whose driver a library is; nil when that is not known.
func familyOf(library string) *family {
	stem, _, _ := strings.Cut(path.Base(library), ".so")
	for i := range families {
		if slices.Contains(families[i].stems, stem) {
			return &families[i]
		}
	}
	return nil
}

// familyFor is the family to install for a kernel driver.
func familyFor(kernel string) *family {
	for i := range families {
		if slices.Contains(families[i].kernel, kernel) {
			return &families[i]
		}
	}
	return nil
}

// software tells whether it computes on the processor.
func (f *family) software() bool { return f.kernel == nil }

// install installs the family's package.
func (d distribution) install(f *family) advice {
	if d.class == 32 {
		return d.driver32(f)
	}
	if d.is("nixos") {
		if f.name == "NVIDIA" {
			return nvidiaOnNixOS
		}
		return graphicsOnNixOS
	}
	if d.is("ubuntu") && f.name == "NVIDIA" {
		return asRoot{"ubuntu-drivers install"}
	}
	if m := d.manager(); m != nil && f.packages[m.id] != "" {
		return asRoot{m.install + " " + f.packages[m.id]}
	}
	return installDriver{family: f.name}
}
