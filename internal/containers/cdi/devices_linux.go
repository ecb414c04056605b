package cdi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
)

// Forms are the forms of device names.
var Forms = []string{ByAddress, ByIndex, ByUUID, ByLetter}

// Forms of names.
const (
	ByAddress = "pci"   // 0000:01:00.0, or another name of the kernel
	ByIndex   = "index" // 0
	ByUUID    = "uuid"  // GPU-..., of NVIDIA's driver alone
	ByLetter  = "gpu"   // gpu0, which specifications before 0.5.0 also allow
)

// gpu is a graphics device with the nodes that a container gets for it.
type gpu struct {
	address string // of PCI, or another name of the kernel
	uuid    string
	nodes   []string
	parts   []drivers.GPUPart
}

// control lists the nodes that every device of NVIDIA's own driver needs in addition to its own.
var control = []string{"/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}

// compute is the node of AMD's compute driver, one for all devices.
const compute = "/dev/kfd"

// lister finds the devices of a machine.
type lister struct {
	machine *machine.Machine
	root    string // of the nodes; "": the machine's
	cards   bool
	compute bool
}

// has reports whether a node is there.
func (l *lister) has(node string) bool { return l.machine.Exists(l.root + node) }

// gpus lists the graphics devices that have a node for a Vulkan driver, by address.
func (l *lister) gpus() (list []gpu) {
	for _, g := range drivers.GPUsIn(l.machine, l.root) {
		if nodes := l.nodesOf(g); len(nodes) > 0 {
			one := gpu{address: nameOf(g.Name), nodes: nodes, parts: g.Parts}
			if nameOf(g.UUID) == g.UUID {
				one.uuid = g.UUID
			}
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b gpu) int { return strings.Compare(a.address, b.address) })
	return list
}

// nodesOf returns a device's nodes for a container; none if the device only shows pictures.
func (l *lister) nodesOf(g *drivers.GPU) []string {
	nodes, cards := slices.Clone(g.Nodes), []string{}
	for _, name := range g.Cards {
		switch node := "/dev/dri/" + name; {
		case !l.has(node):
		case strings.HasPrefix(name, "renderD"):
			nodes = append(nodes, node)
			if l.compute && g.Kernel == "amdgpu" && l.has(compute) {
				nodes = append(nodes, compute)
			}
		case l.cards:
			cards = append(cards, node)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	if g.Kernel == "nvidia" && len(g.Nodes) > 0 {
		nodes = append(nodes, slices.DeleteFunc(slices.Clone(control), func(node string) bool { return !l.has(node) })...)
	}
	nodes = append(nodes, cards...)
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// nameOf returns a device's name for users, from the name of its directory.
func nameOf(directory string) string {
	if address, is := drivers.PCIAddress(directory); is {
		return address
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, directory)
}

// names returns a device's names in some forms.
func (g *gpu) names(forms []string, index int) (list []string) {
	for _, form := range forms {
		switch form {
		case ByAddress:
			list = append(list, g.address)
		case ByIndex:
			list = append(list, strconv.Itoa(index))
		case ByLetter:
			list = append(list, "gpu"+strconv.Itoa(index))
		case ByUUID:
			if g.uuid != "" {
				list = append(list, g.uuid)
			}
		}
	}
	return list
}

// describer builds the descriptions of devices.
type describer struct {
	lister
	forms  []string
	groups bool
	list   []specs.Device
}

// add describes a device under its names, except names that another device has.
func (d *describer) add(names, nodes []string) {
	for _, name := range names {
		if !slices.ContainsFunc(d.list, func(o specs.Device) bool { return o.Name == name }) {
			d.list = append(d.list, specs.Device{Name: name, ContainerEdits: d.edits(nodes)})
		}
	}
}

// edits returns the changes that give nodes to a container.
func (d *describer) edits(nodes []string) (e specs.ContainerEdits) {
	for _, node := range nodes {
		n := &specs.DeviceNode{Path: node, Permissions: "rw"}
		if d.root != "" {
			n.HostPath = d.root + node
		}
		e.DeviceNodes = append(e.DeviceNodes, n)
		if info, err := d.machine.Stat(d.root + node); d.groups && err == nil {
			if numbers, known := machine.NumbersOf(info); known && numbers.Group != 0 {
				e.AdditionalGIDs = append(e.AdditionalGIDs, numbers.Group)
			}
		}
	}
	slices.Sort(e.AdditionalGIDs)
	e.AdditionalGIDs = slices.Compact(e.AdditionalGIDs)
	return e
}

// devices describes each device, each instance of a divided one, and all together.
func (d *describer) devices() (list []specs.Device, all specs.Device) {
	var every []string
	for index, g := range d.gpus() {
		nodes := slices.Clone(g.nodes)
		for _, p := range g.parts {
			nodes = append(nodes, p.Nodes...)
		}
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		every = append(every, nodes...)
		d.add(g.names(d.forms, index), nodes)
		for at, p := range g.parts {
			var names []string
			for _, form := range d.forms {
				switch form {
				case ByAddress:
					names = append(names, g.address+"-"+p.Name)
				case ByIndex:
					names = append(names, fmt.Sprintf("%d:%d", index, at))
				case ByLetter:
					names = append(names, fmt.Sprintf("gpu%d-%s", index, p.Name))
				}
			}
			d.add(names, append(slices.Clone(g.nodes), p.Nodes...))
		}
	}
	slices.Sort(every)
	return d.list, specs.Device{Name: All, ContainerEdits: d.edits(slices.Compact(every))}
}
