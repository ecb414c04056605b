package gpus

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/family"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/selector"
)

// GPU is a graphics device.
type GPU struct {
	Name      string   // PCI address, or what the kernel calls it
	Vendor    string   // numbers, as 0x10de; "": not known
	Device    string   // likewise
	Kernel    string   // driver of the kernel; "": none
	Nodes     []string // that a Vulkan driver opens, and that are there
	Asleep    bool
	Directory string   // in sysfs; "": none
	Cards     []string // names of the direct rendering manager, as card0 and renderD128
}

// Number reads a number of sysfs; 0 for none.
func Number(text string) uint32 {
	number, _ := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 32)
	return uint32(number)
}

// Maker is the maker's name, "" for one that is not known.
func (g *GPU) Maker() string { return selector.VendorName(Number(g.Vendor)) }

// Title is the device in words.
func (g *GPU) Title() string {
	if g.Vendor == "" {
		return g.Name
	}
	ids := g.Maker()
	if g.Device != "" {
		ids = strings.TrimSpace(ids + " " + strings.TrimPrefix(g.Vendor, "0x") + ":" + strings.TrimPrefix(g.Device, "0x"))
	}
	return g.Name + " (" + ids + ")"
}

// look is a list under way.
type look struct {
	machine *machine.Machine
	list    []*GPU
}

// List gives the graphics devices of a machine.
func List(m *machine.Machine) []*GPU {
	l := &look{machine: m}
	const pci = "/sys/bus/pci/devices"
	for _, name := range m.Names(pci) {
		if strings.HasPrefix(l.text(pci+"/"+name+"/class"), "0x03") {
			if directory, err := m.Real(pci + "/" + name); err == nil {
				l.device(directory)
			}
		}
	}
	claimed := map[string]bool{}
	for _, direct := range Directs(m) {
		g, node := l.device(direct.Device), "/dev/dri/"+direct.Name
		g.Cards = append(g.Cards, direct.Name)
		claimed[node] = true
		if direct.Render && m.Exists(node) {
			g.Nodes = append(g.Nodes, node)
		}
	}
	l.nvidia()
	l.lonely()
	for _, name := range m.Names("/dev/dri") {
		node := "/dev/dri/" + name
		if strings.HasPrefix(name, "renderD") && !claimed[node] {
			l.list = append(l.list, &GPU{Name: name, Nodes: []string{node}})
		}
	}
	return l.list
}

// Direct is a name of the direct rendering manager.
type Direct struct {
	Name   string // as card0 and renderD128
	Render bool   // a render node: it computes, and sets no screen
	Device string // directory in sysfs
}

// Directs lists the cards and render nodes of the direct rendering manager, without the outputs of cards.
func Directs(m *machine.Machine) (list []Direct) {
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
			device = parent // of PCI, which is the same device
		}
		list = append(list, Direct{name, render, device})
	}
	return list
}

// NVIDIANumber is the number in the name of a node of NVIDIA's own driver, as in nvidia0.
func NVIDIANumber(name string) (number string, is bool) {
	number, is = strings.CutPrefix(name, "nvidia")
	return number, is && number != "" && strings.Trim(number, "0123456789") == ""
}

// text is an ordinary file's content without white space around it; "" without the file.
func (l *look) text(name string) string {
	if info, err := l.machine.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := l.machine.ReadFile(name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// device gives the entry of a sysfs directory, made when it is new.
func (l *look) device(directory string) *GPU {
	for _, g := range l.list {
		if g.Directory == directory {
			return g
		}
	}
	g := &GPU{Name: path.Base(directory), Vendor: l.text(directory + "/vendor"), Device: l.text(directory + "/device"),
		Directory: directory, Nodes: []string{}, Asleep: l.text(directory+"/power/runtime_status") == "suspended"}
	if target, err := l.machine.Readlink(directory + "/driver"); err == nil {
		g.Kernel = path.Base(target)
	}
	l.list = append(l.list, g)
	return g
}

// lonely adds the devices that have a node elsewhere, and that are not shown otherwise.
func (l *look) lonely() {
	for i := range family.Drivers {
		f := &family.Drivers[i]
		for _, node := range f.Nodes {
			if f.Name != family.NVIDIA && l.machine.Exists(node.Path) &&
				!slices.ContainsFunc(l.list, func(g *GPU) bool { return f.WorksOn(g.Kernel) }) {
				l.list = append(l.list, &GPU{Name: path.Base(node.Path), Kernel: node.Kernel, Nodes: []string{node.Path}})
			}
		}
	}
}

// nvidia adds the nodes of NVIDIA's own driver, which are not those of the direct rendering manager.
func (l *look) nvidia() {
	const proc = "/proc/driver/nvidia/gpus"
	known := false
	for _, g := range l.list {
		if g.Kernel != "nvidia" {
			continue
		}
		known = true
		g.Nodes = l.nvidiaNodes(l.minor(proc + "/" + g.Name + "/information"))
	}
	if known {
		return
	}
	for _, name := range l.machine.Names(proc) {
		l.list = append(l.list, &GPU{Name: name, Vendor: "0x10de", Kernel: "nvidia",
			Nodes: l.nvidiaNodes(l.minor(proc + "/" + name + "/information"))})
		known = true
	}
	for _, name := range l.machine.Names("/dev") {
		if number, is := NVIDIANumber(name); is && !known {
			l.list = append(l.list, &GPU{Name: name, Vendor: "0x10de", Kernel: "nvidia", Nodes: l.nvidiaNodes(number)})
		}
	}
}

// minor is the number of the device's node; "" when it is not told.
func (l *look) minor(file string) string {
	_, rest, ok := strings.Cut(l.text(file), "Device Minor:")
	if !ok {
		return ""
	}
	number, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(number)
}

// nvidiaNodes are those of a device that are there: none unless both that it needs are.
func (l *look) nvidiaNodes(minor string) []string {
	if minor == "" {
		minor = "0"
	}
	nodes := []string{}
	for _, node := range []string{"/dev/nvidiactl", "/dev/nvidia" + minor} {
		if !l.machine.Exists(node) {
			return []string{}
		}
		nodes = append(nodes, node)
	}
	return nodes
}
