package drivers

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Family is a driver that exists, under whatever name its manifest lies there, and what it uses.
type Family struct {
	Name      string
	libraries []string          // base names of its libraries, up to ".so"
	kernel    []string          // drivers of the kernel that it works on; nil: it needs no device
	also      []string          // more drivers of the kernel whose render nodes it uses
	Packages  map[string]string // by package manager: the package that has it

	RunTime  []RunTime
	Nodes    []string // device nodes beside those below /dev/dri, "*" for anything
	Data     []string // files of data that it reads, where they are usually; "*" for anything
	Headless Headless // what it cannot do without where there is no display
}

// Names that more than this table knows.
const (
	NVIDIA = "NVIDIA"
	HASVK  = "HASVK (Mesa)"
)

// ofMesa are the packages where all of Mesa's drivers are in one.
func ofMesa(more map[string]string) map[string]string {
	packages := map[string]string{"debian": "mesa-vulkan-drivers", "fedora": "mesa-vulkan-drivers",
		"rhel": "mesa-vulkan-drivers"}
	for id, name := range more {
		packages[id] = name
	}
	return packages
}

// virtio are the kernel's drivers of a virtual machine's device.
var virtio = []string{"virtio_gpu", "virtio-pci", "virtio-gpu"}

// known is what families gives.
var known struct {
	once sync.Once
	list []Family
}

// families are the drivers that are known; a machine may have others. The order matters: what to install for a device
// is the first that works on its kernel driver.
func families() []Family {
	known.once.Do(func() { known.list = table() })
	return known.list
}

func table() []Family {
	return []Family{
		{Name: "RADV (Mesa)", libraries: []string{"libvulkan_radeon"}, kernel: []string{"amdgpu"}, Data: []string{drirc, amdgpuNames},
			Packages: ofMesa(map[string]string{"arch": "vulkan-radeon", "suse": "libvulkan_radeon", "alpine": "mesa-vulkan-ati", "void": "mesa-vulkan-radeon"})},
		{Name: "AMDVLK", libraries: []string{"amdvlk64", "amdvlk32", "amdvlkpro64", "amdvlkpro32"}, kernel: []string{"amdgpu"},
			Data: []string{amdgpuNames}},
		{Name: "ANV (Mesa)", libraries: []string{"libvulkan_intel"}, kernel: []string{"i915", "xe"}, Data: []string{drirc},
			Packages: ofMesa(map[string]string{"arch": "vulkan-intel", "suse": "libvulkan_intel", "alpine": "mesa-vulkan-intel", "void": "mesa-vulkan-intel"})},
		{Name: HASVK, libraries: []string{"libvulkan_intel_hasvk"}, kernel: []string{"i915"}, Data: []string{drirc}},
		{Name: NVIDIA, libraries: []string{"libGLX_nvidia", "libEGL_nvidia"}, kernel: []string{"nvidia"}, also: []string{"nvidia-drm"},
			Packages: map[string]string{"debian": "nvidia-driver", "fedora": "akmod-nvidia", "arch": "nvidia-utils", "suse": "nvidia-gl-G06",
				"gentoo": "x11-drivers/nvidia-drivers", "void": "nvidia"},
			RunTime: []RunTime{
				{Stem: "libnvidia-glvkspirv", Required: true},
				{Stem: "libnvidia-gpucomp", Required: true, From: "550"},
				{Stem: "libnvidia-glcore"}, {Stem: "libnvidia-eglcore"}, {Stem: "libnvidia-glsi"}, {Stem: "libnvidia-tls"},
				{Stem: "libnvidia-rtcore"}, {Stem: "libnvidia-allocator"}, {Stem: "libnvidia-cfg"},
				{Stem: "libnvidia-ifr", Before: "495"},
				// Without a display it starts EGL: the vendors' dispatcher, which finds this by 10_nvidia.json.
				{Stem: "libEGL_nvidia"}, {Name: "libEGL.so.1"},
			},
			Nodes: []string{"/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*"},
			Data:  append([]string{"/usr/share/nvidia/nvidia-application-profiles-*"}, nvidiaVendor...),
			Headless: Headless{Unless: []string{"DISPLAY", "WAYLAND_DISPLAY", "__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"},
				Libraries: []string{"libEGL.so.1", "libEGL_nvidia.so.0"}, Vendor: nvidiaVendor,
				Says: `{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0"}}`}},
		{Name: "NVK (Mesa)", libraries: []string{"libvulkan_nouveau"}, kernel: []string{"nouveau", "nova"}, Data: []string{drirc},
			Packages: ofMesa(map[string]string{"arch": "vulkan-nouveau", "suse": "libvulkan_nouveau", "alpine": "mesa-vulkan-nouveau", "void": "mesa-vulkan-nouveau"})},
		{Name: "Venus (Mesa)", libraries: []string{"libvulkan_virtio"}, kernel: virtio, Data: []string{drirc},
			Packages: ofMesa(map[string]string{"arch": "vulkan-virtio"})},
		{Name: "gfxstream", libraries: []string{"libvulkan_gfxstream"}, kernel: virtio, Data: []string{drirc}},
		{Name: "Dozen (Mesa)", libraries: []string{"libvulkan_dzn"}, kernel: []string{"dxgkrnl"}, Nodes: []string{"/dev/dxg"}, Data: []string{drirc},
			Packages: ofMesa(map[string]string{"arch": "vulkan-dzn"})},
		{Name: "Turnip (Mesa)", libraries: []string{"libvulkan_freedreno"}, kernel: []string{"msm", "msm_dpu"}, also: []string{"msm_mdp", "adreno"},
			Nodes: []string{"/dev/kgsl-3d0"}, Data: []string{drirc}, Packages: ofMesa(nil)},
		{Name: "PanVK (Mesa)", libraries: []string{"libvulkan_panfrost"}, kernel: []string{"panfrost", "panthor"}, Data: []string{drirc}, Packages: ofMesa(nil)},
		{Name: "V3DV (Mesa)", libraries: []string{"libvulkan_broadcom"}, kernel: []string{"v3d"}, also: []string{"vc4", "vc4-drm"}, Data: []string{drirc},
			Packages: ofMesa(nil)},
		{Name: "Honeykrisp (Mesa)", libraries: []string{"libvulkan_asahi"}, kernel: []string{"asahi"}, Data: []string{drirc}, Packages: ofMesa(nil)},
		{Name: "PowerVR (Mesa)", libraries: []string{"libvulkan_powervr_mesa"}, kernel: []string{"powervr"}, also: []string{"pvr"}, Data: []string{drirc},
			Packages: ofMesa(nil)},
		{Name: "lavapipe (Mesa)", libraries: []string{"libvulkan_lvp"}, Data: []string{drirc},
			Packages: ofMesa(map[string]string{"arch": "vulkan-swrast", "suse": "libvulkan_lvp", "alpine": "mesa-vulkan-swrast", "void": "mesa-vulkan-lavapipe"})},
		{Name: "SwiftShader", libraries: []string{"libvk_swiftshader"}},
	}
}

// Of tells whose driver a library is, by its path or name; nil when that is not known.
func Of(library string) *Family {
	stem, _, _ := strings.Cut(path.Base(library), ".so")
	for i := range families() {
		if slices.Contains(known.list[i].libraries, stem) {
			return &known.list[i]
		}
	}
	return nil
}

// For is the family to install for a driver of the kernel; nil when none is known.
func For(kernel string) *Family {
	for i := range families() {
		if known.list[i].WorksOn(kernel) {
			return &known.list[i]
		}
	}
	return nil
}

// WorksOn tells whether it serves devices of a driver of the kernel.
func (f *Family) WorksOn(kernel string) bool { return slices.Contains(f.kernel, kernel) }

// Uses tells whether it opens render nodes of a driver of the kernel.
func (f *Family) Uses(kernel string) bool {
	return f.WorksOn(kernel) || slices.Contains(f.also, kernel)
}

// Software tells whether it computes on the processor.
func (f *Family) Software() bool { return f.kernel == nil }
