package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
)

// family is hardware that drivers are for: what the drivers' libraries are called, and how its devices are known.
type family struct {
	name      string
	libraries []string // base names, without what follows ".so"
	vendors   []string // of PCI, as uevent writes them
	kernel    []string // the kernel's drivers of devices that are on no PCI bus
	nodes     []string // device nodes beside those of /sys/class/drm
}

// A virtual machine's device may stand for one of its host: drivers of Mesa for real hardware know how to use it.
const virtio = "1AF4"

var families = []family{
	{name: "AMD", libraries: []string{"libvulkan_radeon", "amdvlk64", "amdvlk32", "amdvlkpro64", "amdvlkpro32"}, vendors: []string{"1002", virtio}},
	{name: "Intel", libraries: []string{"libvulkan_intel", "libvulkan_intel_hasvk"}, vendors: []string{"8086", virtio}},
	{name: "NVIDIA", libraries: []string{"libGLX_nvidia", "libEGL_nvidia", "libvulkan_nouveau"}, vendors: []string{"10DE"},
		kernel: []string{"nouveau", "tegra", "nvgpu"}, nodes: []string{"/dev/nvidiactl", "/dev/nvhost-ctrl-gpu", "/dev/nvgpu"}},
	{name: "virtio", libraries: []string{"libvulkan_virtio"}, vendors: []string{virtio}, kernel: []string{"virtio_gpu"}},
	{name: "Qualcomm Adreno", libraries: []string{"libvulkan_freedreno"}, vendors: []string{virtio}, kernel: []string{"msm", "msm_dpu", "msm_mdp", "adreno"},
		nodes: []string{"/dev/kgsl-3d0"}},
	{name: "Broadcom VideoCore", libraries: []string{"libvulkan_broadcom"}, kernel: []string{"v3d", "vc4", "vc4-drm"}},
	{name: "Arm Mali", libraries: []string{"libvulkan_panfrost"}, kernel: []string{"panfrost", "panthor"}},
	{name: "Imagination PowerVR", libraries: []string{"libvulkan_powervr_mesa"}, kernel: []string{"powervr", "pvr"}},
	{name: "Apple", libraries: []string{"libvulkan_asahi"}, vendors: []string{virtio}, kernel: []string{"asahi"}},
	{name: "Direct3D 12", libraries: []string{"libvulkan_dzn"}, nodes: []string{"/dev/dxg"}},
}

// familyOf gives the family of a driver by its library; nil for software and what is not known.
func familyOf(library string) *family {
	name := search.BaseName(library)
	for i := range families {
		for _, stem := range families[i].libraries {
			if len(name) >= len(stem)+3 && name[:len(stem)] == stem && name[len(stem):len(stem)+3] == ".so" {
				return &families[i]
			}
		}
	}
	return nil
}

// presence is what the machine has of a family.
type presence uint8

const (
	absent presence = iota
	asleep
	awake
)

// present finds out what there is of a family.
func (f *family) present(d *decider, g facts.Graphics) presence {
	best := absent
	for i, text := range g.Devices {
		if !f.owns(text) {
			continue
		}
		if i < len(g.Power) && g.Power[i] == "suspended" {
			best = max(best, asleep)
		} else {
			best = awake
		}
	}
	for _, node := range f.nodes {
		if best == absent && d.f.Exists(node) {
			best = awake
		}
	}
	return best
}

// owns tells whether a device is of the family, by the lines of its uevent.
func (f *family) owns(uevent string) bool {
	id, driver := "", ""
	for _, line := range lines(uevent) {
		if len(line) > 11 && line[:7] == "PCI_ID=" { // PCI_ID=1002:73BF
			id = line[7:11]
		}
		if len(line) > 7 && line[:7] == "DRIVER=" {
			driver = line[7:]
		}
	}
	for _, vendor := range f.vendors {
		if id == vendor {
			return true
		}
	}
	for _, name := range f.kernel {
		if id == "" && driver == name {
			return true
		}
	}
	return false
}

func lines(text string) (list []string) {
	start := 0
	for i := range len(text) {
		if text[i] == '\n' {
			list = append(list, text[start:i])
			start = i + 1
		}
	}
	return append(list, text[start:])
}

// leftOut is a driver that the hardware policy leaves out, and why.
type leftOut struct {
	driver *manifest.Driver
	code   diag.Code
	reason string
	from   string // what led to it
}

// byHardware tells whether the hardware policy of the settings leaves a driver out, and why (docs/tool.md, policy): never
// where the kernel does not show its devices.
func (d *decider) byHardware(driver *manifest.Driver) (left leftOut, out bool) {
	if d.set == nil || d.set.Hardware == settings.AnyHardware || !d.q.Platform.Linux {
		return left, false
	}
	f := familyOf(driver.Library)
	if f == nil {
		return left, false
	}
	g, known := d.f.Graphics()
	if !known || !g.Listed && !d.f.Exists("/sys/class") {
		return left, false
	}
	switch there := f.present(d, g); {
	case there == absent:
		return leftOut{driver: driver, code: diag.DriverNoHardware, reason: "there is no " + f.name + " device here"}, true
	case there == asleep && d.set.Hardware == settings.AwakeHardware:
		return leftOut{driver: driver, code: diag.DriverAsleep, reason: "the " + f.name + " device sleeps"}, true
	}
	return left, false
}

// applyPolicy says which drivers the hardware policy leaves out. Where no other driver is left it does not hold.
func (d *decider) applyPolicy(left []leftOut) {
	if len(left) > 0 && len(d.a.Drivers) == 0 {
		d.say(diag.Info|diag.Driver, diag.DriverPolicy, d.set.File, d.set.File, "The hardware policy of "+d.set.File+
			" leaves no driver: it does not hold")
		for i := range left {
			d.use(left[i].driver, left[i].from)
		}
		return
	}
	for i := range left {
		l := &left[i]
		name := d.base(l.driver.Path)
		d.say(diag.Info|diag.Driver, l.code, name, l.driver.Path, "Driver \""+name+"\" ignored because "+l.reason+
			" (hardware policy of "+d.set.File+")")
	}
}
