package family

import (
	"slices"
	"strings"

	"vkloader/internal/core/pathname"
)

// Driver is a known Vulkan driver.
type Driver struct {
	Name      string
	Hardware  string   // its devices; "": it computes on the CPU
	Libraries []string // base names, up to ".so"
	Vendors   []string // PCI vendors of its devices, as uevent writes them
	Kernel    []string // kernel drivers that it works on
	Also      []string // more kernel drivers, whose render nodes it uses
	Nodes     []Node
}

// Node is a device node outside /dev/dri that represents a device.
type Node struct{ Path, Kernel string }

// Names used in code.
const (
	NVIDIA = "NVIDIA"
	HASVK  = "HASVK (Mesa)"
	Virtio = "virtio" // hardware: the device of a virtual machine
)

// The PCI vendor of a virtual machine's GPU. It may represent a GPU of the host; some Mesa drivers for that GPU then
// use it.
const virtioVendor = "1AF4"

var virtio = []string{"virtio_gpu", "virtio-pci", "virtio-gpu"}

// Drivers are the known drivers. A machine may have others. The order matters: For returns the first match.
var Drivers = [...]Driver{
	{Name: "RADV (Mesa)", Hardware: "AMD", Libraries: []string{"libvulkan_radeon"}, Vendors: []string{"1002"},
		Kernel: []string{"amdgpu"}, Also: virtio},
	{Name: "AMDVLK", Hardware: "AMD", Libraries: []string{"amdvlk64", "amdvlk32", "amdvlkpro64", "amdvlkpro32"},
		Vendors: []string{"1002"}, Kernel: []string{"amdgpu"}, Also: virtio},
	{Name: "ANV (Mesa)", Hardware: "Intel", Libraries: []string{"libvulkan_intel"}, Vendors: []string{"8086"},
		Kernel: []string{"i915", "xe"}, Also: virtio},
	{Name: HASVK, Hardware: "Intel", Libraries: []string{"libvulkan_intel_hasvk"}, Vendors: []string{"8086"},
		Kernel: []string{"i915"}, Also: virtio},
	{Name: NVIDIA, Hardware: "NVIDIA", Libraries: []string{"libGLX_nvidia", "libEGL_nvidia"}, Vendors: []string{"10DE"},
		Kernel: []string{"nvidia", "nvgpu"}, Also: []string{"nvidia-drm", "tegra"},
		Nodes: []Node{{"/dev/nvidiactl", "nvidia"}, {"/dev/nvhost-ctrl-gpu", "nvgpu"}, {"/dev/nvgpu", "nvgpu"}}},
	{Name: "NVK (Mesa)", Hardware: "NVIDIA", Libraries: []string{"libvulkan_nouveau"}, Vendors: []string{"10DE"},
		Kernel: []string{"nouveau", "nova"}},
	{Name: "Venus (Mesa)", Hardware: Virtio, Libraries: []string{"libvulkan_virtio"}, Vendors: []string{virtioVendor},
		Kernel: virtio},
	{Name: "gfxstream", Hardware: Virtio, Libraries: []string{"libvulkan_gfxstream"}, Vendors: []string{virtioVendor},
		Kernel: virtio},
	{Name: "Dozen (Mesa)", Hardware: "Direct3D 12", Libraries: []string{"libvulkan_dzn"}, Kernel: []string{"dxgkrnl"},
		Nodes: []Node{{"/dev/dxg", "dxgkrnl"}}},
	{Name: "Turnip (Mesa)", Hardware: "Qualcomm Adreno", Libraries: []string{"libvulkan_freedreno"},
		Kernel: []string{"msm", "msm_dpu", "kgsl-3d"},
		Also:   []string{"msm_mdp", "adreno", "virtio_gpu", "virtio-pci", "virtio-gpu"},
		Nodes:  []Node{{"/dev/kgsl-3d0", "kgsl-3d"}}},
	{Name: "PanVK (Mesa)", Hardware: "Arm Mali", Libraries: []string{"libvulkan_panfrost"},
		Kernel: []string{"panfrost", "panthor"}},
	{Name: "V3DV (Mesa)", Hardware: "Broadcom VideoCore", Libraries: []string{"libvulkan_broadcom"},
		Kernel: []string{"v3d"}, Also: []string{"vc4", "vc4-drm"}},
	{Name: "Honeykrisp (Mesa)", Hardware: "Apple", Libraries: []string{"libvulkan_asahi"}, Kernel: []string{"asahi"},
		Also: virtio},
	{Name: "PowerVR (Mesa)", Hardware: "Imagination PowerVR", Libraries: []string{"libvulkan_powervr_mesa"},
		Kernel: []string{"powervr"}, Also: []string{"pvr"}},
	{Name: "lavapipe (Mesa)", Libraries: []string{"libvulkan_lvp"}},
	{Name: "SwiftShader", Libraries: []string{"libvk_swiftshader"}},
}

// DriverOf returns the driver of a library, by path or name, or nil.
func DriverOf(library string) *Driver {
	stem, _, _ := strings.Cut(pathname.Slash.Base(library), ".so")
	for i := range Drivers {
		if slices.Contains(Drivers[i].Libraries, stem) {
			return &Drivers[i]
		}
	}
	return nil
}

// DriverFor returns the driver to install for a kernel driver, or nil.
func DriverFor(kernel string) *Driver {
	for i := range Drivers {
		if Drivers[i].WorksOn(kernel) {
			return &Drivers[i]
		}
	}
	return nil
}

// Software reports whether the driver computes on the CPU.
func (d *Driver) Software() bool { return d.Hardware == "" }

// WorksOn reports whether the driver serves devices of a kernel driver.
func (d *Driver) WorksOn(kernel string) bool { return slices.Contains(d.Kernel, kernel) }

// Uses reports whether the driver opens render nodes of a kernel driver.
func (d *Driver) Uses(kernel string) bool {
	return d.WorksOn(kernel) || slices.Contains(d.Also, kernel)
}

// Made reports whether a PCI vendor is one of the driver's; vendor has four digits, as uevent writes them.
func (d *Driver) Made(vendor string) bool { return slices.Contains(d.Vendors, vendor) }

// Opens reports whether the driver can use a device, given its kernel driver and PCI vendor, which are "" if unknown.
// The vendor decides if no driver of the table uses the kernel driver.
func (d *Driver) Opens(kernel, vendor string) bool {
	if HasKernelDriver(kernel) {
		return d.Uses(kernel)
	}
	return d.Made(vendor) || vendor == virtioVendor && d.Uses(virtio[0])
}

// HasKernelDriver reports whether any driver of the table uses devices of a kernel driver.
func HasKernelDriver(kernel string) bool {
	return slices.ContainsFunc(Drivers[:], func(d Driver) bool { return d.Uses(kernel) })
}
