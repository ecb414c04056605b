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

// gpu is a graphics device with the nodes that a container gets for it.
type gpu struct {
	address string // of PCI, or another name of the kernel
	uuid    string
	nodes   []string
	parts   []drivers.GPUPart
}

// control lists the nodes that every device of NVIDIA's own driver needs in addition to its own.
var control = []string{"/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}

// gpus lists the graphics devices that have a node for a Vulkan driver, by address.
func (d *describer) gpus() (list []gpu) {
	for _, g := range drivers.GPUs(d.machine) {
		if nodes := d.nodesOf(g); len(nodes) > 0 {
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

// nodesOf returns a device's nodes for a container, without those for display output; none if the device only shows
// pictures.
func (d *describer) nodesOf(g *drivers.GPU) []string {
	nodes := slices.Clone(g.Nodes)
	for _, name := range g.Cards {
		if node := "/dev/dri/" + name; strings.HasPrefix(name, "renderD") && d.machine.Exists(node) {
			nodes = append(nodes, node)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	if g.Kernel == "nvidia" && len(g.Nodes) > 0 {
		nodes = append(nodes,
			slices.DeleteFunc(slices.Clone(control), func(node string) bool { return !d.machine.Exists(node) })...)
	}
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

// describer builds the descriptions of devices.
type describer struct {
	machine *machine.Machine
	groups  bool
	list    []specs.Device
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
		e.DeviceNodes = append(e.DeviceNodes, &specs.DeviceNode{Path: node, Permissions: "rw"})
		if info, err := d.machine.Stat(node); d.groups && err == nil {
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
		names := []string{g.address, strconv.Itoa(index)}
		if g.uuid != "" {
			names = append(names, g.uuid)
		}
		d.add(names, nodes)
		for at, p := range g.parts {
			d.add([]string{g.address + "-" + p.Name, fmt.Sprintf("%d:%d", index, at)},
				append(slices.Clone(g.nodes), p.Nodes...))
		}
	}
	slices.Sort(every)
	return d.list, specs.Device{Name: All, ContainerEdits: d.edits(slices.Compact(every))}
}
