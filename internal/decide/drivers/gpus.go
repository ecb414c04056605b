package drivers

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/family"
	"vkloader/internal/decide/machine"
)

// GPU is a graphics device.
type GPU struct {
	Name      string   // PCI address, or the kernel's name
	Vendor    string   // numbers, as 0x10de; "": not known
	Device    string   // likewise
	Kernel    string   // driver of the kernel; "": none
	Nodes     []string // that a Vulkan driver opens, and that are there
	Asleep    bool
	Directory string    // in sysfs; "": none
	Cards     []string  // names of the direct rendering manager, as card0 and renderD128
	UUID      string    // as NVIDIA's driver names it: GPU-...; "": not told
	Parts     []GPUPart // the instances of a divided GPU
}

// PCINumber reads a number of sysfs; 0 for none.
func PCINumber(text string) uint32 {
	number, _ := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 32)
	return uint32(number)
}

// Maker returns the maker's name, "" for an unknown one.
func (g *GPU) Maker() string { return VendorName(PCINumber(g.Vendor)) }

// Title describes the device.
func (g *GPU) Title() string {
	if g.Vendor == "" {
		return g.Name
	}
	ids := g.Maker()
	if g.Device != "" {
		ids = strings.TrimSpace(ids + " " + strings.TrimPrefix(g.Vendor, "0x") + ":" +
			strings.TrimPrefix(g.Device, "0x"))
	}
	return g.Name + " (" + ids + ")"
}

// look is a search for GPUs, with the list found so far.
type look struct {
	machine *machine.Machine
	list    []*GPU
}

// has reports whether a node is there. Container tools make a directory or a file in place of one that the host does
// not have. The tree of another machine has files for its nodes.
func (l *look) has(node string) bool {
	info, err := l.machine.Stat(node)
	return err == nil && !info.IsDir() && (!info.Mode().IsRegular() || l.machine.Foreign())
}

// GPUs returns the graphics devices of a machine.
func GPUs(m *machine.Machine) []*GPU {
	l := &look{machine: m}
	const pci = "/sys/bus/pci/devices"
	for _, name := range l.machine.Names(pci) {
		if strings.HasPrefix(l.machine.Text(pci+"/"+name+"/class"), "0x03") {
			if directory, err := m.Real(pci + "/" + name); err == nil {
				l.device(directory)
			}
		}
	}
	claimed := map[string]bool{}
	for _, direct := range directs(m) {
		g, node := l.device(direct.device), "/dev/dri/"+direct.name
		g.Cards = append(g.Cards, direct.name)
		claimed[node] = true
		if direct.render && l.has(node) {
			g.Nodes = append(g.Nodes, node)
		}
	}
	l.addUnboundDevices()
	l.nvidia()
	l.familyNodes()
	for _, name := range l.machine.Names("/dev/dri") {
		node := "/dev/dri/" + name
		if strings.HasPrefix(name, "renderD") && !claimed[node] && l.has(node) {
			l.list = append(l.list, &GPU{Name: name, Nodes: []string{node}})
		}
	}
	return l.list
}

// direct is a name of the direct rendering manager.
type direct struct {
	name   string // as card0 and renderD128
	render bool   // a render node: it computes, and sets no screen
	device string // directory in sysfs
}

// directs lists the cards and render nodes of the direct rendering manager, without the outputs of cards.
func directs(m *machine.Machine) (list []direct) {
	const drm = "/sys/class/drm"
	for _, name := range m.Names(drm) {
		render := strings.HasPrefix(name, "renderD")
		if !render && (!strings.HasPrefix(name, "card") || strings.Contains(name, "-")) {
			continue
		}
		device, err := m.Real(drm + "/" + name + "/device")
		if err != nil || !m.Exists(device) {
			continue
		}
		if parent := path.Dir(device); strings.HasPrefix(path.Base(device), "virtio") && m.Exists(parent+"/vendor") {
			device = parent // the parent on the PCI bus is the same device
		}
		list = append(list, direct{name, render, device})
	}
	return list
}

// device returns the listed GPU of a sysfs directory. It lists a new one if there is none.
func (l *look) device(directory string) *GPU {
	for _, g := range l.list {
		if g.Directory == directory {
			return g
		}
	}
	g := &GPU{Name: path.Base(directory), Vendor: l.machine.Text(directory + "/vendor"),
		Device: l.machine.Text(directory + "/device"), Directory: directory, Nodes: []string{},
		Asleep: l.machine.Text(directory+"/power/runtime_status") == "suspended"}
	if target, err := l.machine.Readlink(directory + "/driver"); err == nil {
		g.Kernel = path.Base(target)
	}
	l.list = append(l.list, g)
	return g
}

// familyNodes adds a device for each existing node of a family or of a maker's kernel driver, unless a listed device
// has this kernel driver.
func (l *look) familyNodes() {
	for _, node := range []family.Node{{Path: "/dev/mali0", Kernel: "mali"},
		{Path: "/dev/galcore", Kernel: "galcore"}} {
		if l.has(node.Path) && !slices.ContainsFunc(l.list, func(g *GPU) bool { return g.Kernel == node.Kernel }) {
			l.list = append(l.list, &GPU{Name: path.Base(node.Path), Kernel: node.Kernel, Nodes: []string{node.Path}})
		}
	}
	for i := range family.Drivers {
		f := &family.Drivers[i]
		for _, node := range f.Nodes {
			if node.Kernel != "nvidia" && l.machine.Exists(node.Path) &&
				!slices.ContainsFunc(l.list, func(g *GPU) bool { return f.WorksOn(g.Kernel) }) {
				l.list = append(l.list,
					&GPU{Name: path.Base(node.Path), Kernel: node.Kernel, Nodes: []string{node.Path}})
			}
		}
	}
}

// addUnboundDevices adds the graphics devices of a board that the direct rendering manager does not list: no kernel
// driver is bound to them, or the maker's own one.
func (l *look) addUnboundDevices() {
	const platform = "/sys/bus/platform/devices"
	for _, name := range l.machine.Names(platform) {
		if !strings.HasSuffix(name, ".gpu") && !strings.HasSuffix(name, ".v3d") && !strings.HasSuffix(name, ".mali") {
			continue
		}
		directory, err := l.machine.Real(platform + "/" + name)
		if err != nil || slices.ContainsFunc(l.list, func(g *GPU) bool { return g.Directory == directory }) {
			continue
		}
		kernel, err := l.machine.Readlink(directory + "/driver")
		if err != nil && ChipOf(l.machine, "", "", directory) == nil || err == nil &&
			MakersKernel(path.Base(kernel)) == "" {
			continue
		}
		l.device(directory)
	}
}

// MakersKernel returns the maker of a kernel driver that is not a part of Linux, and that only the maker's Vulkan
// driver uses; "" for other kernel drivers. Sources: Mesa's pages about Panfrost and PowerVR, the kernels of Rockchip
// and StarFive.
func MakersKernel(kernel string) string {
	switch kernel {
	case "mali":
		return "Arm"
	case "pvrsrvkm":
		return "Imagination"
	case "galcore":
		return "Vivante"
	}
	return ""
}

// Label returns the device's name in the machine's list of PCI devices, or else its chip's, or its maker with its
// numbers.
func (g *GPU) Label(m *machine.Machine) string {
	name, maker := pciName(m, g.Vendor, g.Device), g.Maker()
	if c := ChipOf(m, g.Vendor, g.Device, g.Directory); name == "" && c != nil {
		name = c.Name
	}
	switch {
	case strings.HasPrefix(name, maker+" "):
		return name
	case name != "":
		return strings.TrimSpace(maker + " " + name)
	case g.Name == "dxg":
		return "graphics of the Windows host"
	case g.Vendor == "" && g.Kernel != "":
		return cmp.Or(MakersKernel(g.Kernel), g.Kernel) + " device"
	case g.Vendor == "":
		return g.Name
	case g.Device == "":
		return strings.TrimSpace(maker + " device")
	}
	numbers := strings.TrimPrefix(g.Vendor, "0x") + ":" + strings.TrimPrefix(g.Device, "0x")
	if maker == "" {
		return "device " + numbers
	}
	return maker + " graphics (" + numbers + ")"
}

// pciName returns a device's name in the list of PCI devices: lines "VENDOR NAME", each followed by lines "DEVICE NAME"
// after a tab. Of a name with brackets, it returns the text in them.
func pciName(m *machine.Machine, vendor, device string) string {
	vendor, device = strings.TrimPrefix(vendor, "0x"), strings.TrimPrefix(device, "0x")
	if vendor == "" || device == "" {
		return ""
	}
	l := look{machine: m}
	for _, file := range []string{"/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids"} {
		_, rest, ok := strings.Cut("\n"+l.machine.Text(file), "\n"+vendor+"  ")
		if !ok {
			continue
		}
		for _, line := range strings.Split(rest, "\n")[1:] {
			if line != "" && line[0] != '\t' && line[0] != '#' {
				break // the next vendor
			}
			if name, is := strings.CutPrefix(line, "\t"+device+"  "); is {
				if _, inside, ok := strings.Cut(name, "["); ok {
					name, _, _ = strings.Cut(inside, "]")
				}
				return name
			}
		}
	}
	return ""
}

// vendors lists makers by their number on the PCI bus, or of VkVendorId. Of several numbers of one name, the first is
// the usual one.
var vendors = []struct {
	id   uint32
	name string
}{
	{0x1002, "AMD"}, {0x1022, "AMD"}, {0x8086, "Intel"}, {0x10de, "NVIDIA"}, {0x13b5, "Arm"}, {0x5143, "Qualcomm"},
	{0x1010, "Imagination"}, {0x14e4, "Broadcom"}, {0x106b, "Apple"}, {0x144d, "Samsung"}, {0x19e5, "Huawei"},
	{0x1ed5, "MooreThreads"}, {0x1414, "Microsoft"}, {0x1af4, "virtio"}, {0x1a03, "ASPEED"}, {0x102b, "Matrox"},
	{0x1234, "QEMU"}, {0x1013, "Cirrus"}, {0x1b36, "Red Hat"}, {0x15ad, "VMware"}, {0x80ee, "VirtualBox"},
	{0x10005, "Mesa"},
}

// VendorName returns a maker's name, "" for an unknown one.
func VendorName(id uint32) string {
	for _, v := range vendors {
		if v.id == id {
			return v.name
		}
	}
	return ""
}

// VendorIDs returns the numbers of a maker.
func VendorIDs(name string) (ids []uint32) {
	for _, v := range vendors {
		if strings.EqualFold(v.name, name) {
			ids = append(ids, v.id)
		}
	}
	return ids
}
