package family

// Driver is a Vulkan driver that exists.
type Driver struct {
	Name      string
	Hardware  string   // what it drives; "": it computes on the CPU
	Libraries []string // base names, up to ".so"
	Vendors   []string // of its devices on a PCI bus, as uevent writes them
	Kernel    []string // drivers of the kernel that it works on
	Also      []string // more of them, whose render nodes it uses
	Nodes     []Node
}

// Node is a device node outside /dev/dri that stands for a device.
type Node struct{ Path, Kernel string }

// Names that code asks for.
const (
	NVIDIA = "NVIDIA"
	HASVK  = "HASVK (Mesa)"
	Virtio = "virtio" // hardware: the device of a virtual machine
)

// The device of a virtual machine. It may stand for one of the host: some of Mesa's drivers for real hardware use it then.
const virtioVendor = "1AF4"

var virtio = []string{"virtio_gpu", "virtio-pci", "virtio-gpu"}

// Drivers are all that are known; a machine may have others. The order counts: For takes the first.
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
		Kernel: []string{"nvidia"}, Also: []string{"nvidia-drm", "nvgpu", "tegra"},
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
		Kernel: []string{"msm", "msm_dpu", "kgsl-3d"}, Also: []string{"msm_mdp", "adreno", "virtio_gpu", "virtio-pci", "virtio-gpu"},
		Nodes: []Node{{"/dev/kgsl-3d0", "kgsl-3d"}}},
	{Name: "PanVK (Mesa)", Hardware: "Arm Mali", Libraries: []string{"libvulkan_panfrost"}, Kernel: []string{"panfrost", "panthor"}},
	{Name: "V3DV (Mesa)", Hardware: "Broadcom VideoCore", Libraries: []string{"libvulkan_broadcom"}, Kernel: []string{"v3d"},
		Also: []string{"vc4", "vc4-drm"}},
	{Name: "Honeykrisp (Mesa)", Hardware: "Apple", Libraries: []string{"libvulkan_asahi"}, Kernel: []string{"asahi"}, Also: virtio},
	{Name: "PowerVR (Mesa)", Hardware: "Imagination PowerVR", Libraries: []string{"libvulkan_powervr_mesa"},
		Kernel: []string{"powervr"}, Also: []string{"pvr"}},
	{Name: "lavapipe (Mesa)", Libraries: []string{"libvulkan_lvp"}},
	{Name: "SwiftShader", Libraries: []string{"libvk_swiftshader"}},
}

// Of is the driver of a library, by its path or name; nil when it is not known.
func Of(library string) *Driver {
	stem := stemOf(library)
	for i := range Drivers {
		if has(Drivers[i].Libraries, stem) {
			return &Drivers[i]
		}
	}
	return nil
}

// For is the driver to install for a driver of the kernel; nil when none is known.
func For(kernel string) *Driver {
	for i := range Drivers {
		if Drivers[i].WorksOn(kernel) {
			return &Drivers[i]
		}
	}
	return nil
}

// Software tells whether it computes on the CPU.
func (d *Driver) Software() bool { return d.Hardware == "" }

// WorksOn tells whether it serves devices of a driver of the kernel.
func (d *Driver) WorksOn(kernel string) bool { return has(d.Kernel, kernel) }

// Uses tells whether it opens render nodes of a driver of the kernel.
func (d *Driver) Uses(kernel string) bool { return d.WorksOn(kernel) || has(d.Also, kernel) }

// Made tells whether the maker of a PCI device is that of its devices; vendor is four digits, as uevent writes them.
func (d *Driver) Made(vendor string) bool { return has(d.Vendors, vendor) }

// Opens tells whether it can use a device, by the driver of the kernel and the maker ("" where they are not known). A
// driver of the kernel that no driver here works on says nothing: then the maker decides.
func (d *Driver) Opens(kernel, vendor string) bool {
	if Known(kernel) {
		return d.Uses(kernel)
	}
	return d.Made(vendor) || vendor == virtioVendor && d.Uses(virtio[0])
}

// Known tells whether a driver here uses devices of a driver of the kernel.
func Known(kernel string) bool {
	for i := range Drivers {
		if Drivers[i].Uses(kernel) {
			return true
		}
	}
	return false
}

// stemOf is the base name of a library up to ".so".
func stemOf(library string) string {
	start := 0
	for i := range len(library) {
		if library[i] == '/' {
			start = i + 1
		}
	}
	for i := start; i+3 <= len(library); i++ {
		if library[i:i+3] == ".so" {
			return library[start:i]
		}
	}
	return library[start:]
}

func has(list []string, name string) bool {
	for _, one := range list {
		if one == name {
			return true
		}
	}
	return false
}
