package cdi

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/gpus"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/selector"
)

// Forms are the ways in which devices are named.
var Forms = []string{ByAddress, ByIndex, ByUUID, ByLetter}

// A name of each.
const (
	ByAddress = "pci"   // 0000:01:00.0, or what the kernel calls it
	ByIndex   = "index" // 0
	ByUUID    = "uuid"  // GPU-..., of NVIDIA's driver alone
	ByLetter  = "gpu"   // gpu0, which specifications before 0.5.0 take as well
)

// gpu is a graphics device with the nodes that a container gets for it.
type gpu struct {
	address string // of PCI, or what the kernel calls it
	uuid    string
	nodes   []string
	parts   []part
}

// part is an instance of a GPU that is divided, with the nodes that it needs beside those of the GPU.
type part struct {
	name  string // as gi1-ci0
	nodes []string
}

// control are the nodes that every device of NVIDIA's own driver needs beside its own.
var control = []string{"/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}

// compute is the node of AMD's compute driver, which stands for all of its devices.
const compute = "/dev/kfd"

// lister finds the devices of a machine.
type lister struct {
	machine *machine.Machine
	root    string // of the nodes; "": the machine's
	cards   bool
	compute bool
	found   map[string]*gpu
}

// has tells whether a node is there.
func (l *lister) has(node string) bool { return l.machine.Exists(l.root + node) }

// at is a device by its address, made when it is new.
func (l *lister) at(address string) *gpu {
	g := l.found[address]
	if g == nil {
		g = &gpu{address: address}
		l.found[address] = g
	}
	return g
}

// gpus lists the graphics devices that compute, by address: those with a render node, those of NVIDIA's driver, and what
// the kernel shows otherwise.
func (l *lister) gpus() []gpu {
	l.found = map[string]*gpu{}
	l.rendering()
	l.nvidia()
	for _, f := range drivers.Families() {
		for _, node := range f.Nodes {
			if f.Name != drivers.NVIDIA && l.has(node.Path) {
				g := l.at(path.Base(node.Path))
				g.nodes = append(g.nodes, node.Path)
			}
		}
	}
	var list []gpu
	for _, g := range l.found {
		slices.Sort(g.nodes)
		g.nodes = slices.Compact(g.nodes)
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b gpu) int { return strings.Compare(a.address, b.address) })
	return list
}

// rendering adds the devices of the direct rendering manager that have a render node. One without shows pictures only.
func (l *lister) rendering() {
	m := l.machine
	cards := map[string][]string{}
	for _, direct := range gpus.Directs(m) {
		node := "/dev/dri/" + direct.Name
		if !l.has(node) {
			continue
		}
		address := nameOf(path.Base(direct.Device))
		if !direct.Render {
			cards[address] = append(cards[address], node)
			continue
		}
		g := l.at(address)
		g.nodes = append(g.nodes, node)
		if kernel, err := m.Readlink(direct.Device + "/driver"); l.compute && err == nil && path.Base(kernel) == "amdgpu" && l.has(compute) {
			g.nodes = append(g.nodes, compute)
		}
	}
	for address, nodes := range cards {
		if g := l.found[address]; g != nil && l.cards {
			g.nodes = append(g.nodes, nodes...)
		}
	}
}

// nameOf is the name of a device for users, by that of its directory.
func nameOf(directory string) string {
	if address, is := selector.PCI(directory); is {
		return address
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, directory)
}

// nvidia adds the nodes of NVIDIA's own driver. Which node is whose, /proc tells; without that each node is a device.
func (l *lister) nvidia() {
	const proc = "/proc/driver/nvidia/gpus/"
	told := false
	add := func(device, node string) *gpu {
		if !l.has(node) {
			return &gpu{}
		}
		told = true
		g := l.at(device)
		g.nodes = append(g.nodes, node)
		for _, other := range control {
			if l.has(other) {
				g.nodes = append(g.nodes, other)
			}
		}
		return g
	}
	for _, name := range l.machine.Names(strings.TrimSuffix(proc, "/")) {
		text, err := l.machine.ReadFile(proc + name + "/information")
		minor, found := field(string(text), "Device Minor:")
		if err != nil || !found {
			continue
		}
		g := add(nameOf(name), "/dev/nvidia"+minor)
		if uuid, is := field(string(text), "GPU UUID:"); is && nameOf(uuid) == uuid {
			g.uuid = uuid
		}
		l.divided(g, minor)
	}
	if told {
		return
	}
	for _, name := range l.machine.Names(l.root + "/dev") {
		if _, is := gpus.NVIDIANumber(name); is {
			add(name, "/dev/"+name)
		}
	}
}

// field is what follows a label in a text, up to the end of the line.
func field(text, label string) (value string, found bool) {
	_, rest, found := strings.Cut(text, label)
	value, _, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(value), found && strings.TrimSpace(value) != ""
}

// divided adds the instances of a GPU that NVIDIA's driver has divided (MIG): each has a node for its part of the GPU, and
// one for its part of the processors in it. Who has a node may use what it stands for.
func (l *lister) divided(g *gpu, minor string) {
	directory := "/proc/driver/nvidia/capabilities/gpu" + minor + "/mig/"
	node := func(access string) string {
		text, err := l.machine.ReadFile(directory + access + "/access")
		number, found := field(string(text), "DeviceFileMinor:")
		if err != nil || !found {
			return ""
		}
		return "/dev/nvidia-caps/nvidia-cap" + number
	}
	for _, gi := range l.machine.Names(strings.TrimSuffix(directory, "/")) {
		own := node(gi)
		if !strings.HasPrefix(gi, "gi") || own == "" || !l.has(own) {
			continue
		}
		for _, ci := range l.machine.Names(directory + gi) {
			if other := node(gi + "/" + ci); strings.HasPrefix(ci, "ci") && other != "" && l.has(other) {
				g.parts = append(g.parts, part{gi + "-" + ci, []string{own, other}})
			}
		}
	}
}

// named are a device's names in the forms that are wanted.
func (g *gpu) named(forms []string, index int) (list []string) {
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

// describer writes devices down.
type describer struct {
	lister
	forms  []string
	groups bool
	list   []specs.Device
}

// add describes a device under some names, but for those that another one has.
func (d *describer) add(names, nodes []string) {
	for _, name := range names {
		if !slices.ContainsFunc(d.list, func(o specs.Device) bool { return o.Name == name }) {
			d.list = append(d.list, specs.Device{Name: name, ContainerEdits: d.edits(nodes)})
		}
	}
}

// edits give nodes to a container.
func (d *describer) edits(nodes []string) (e specs.ContainerEdits) {
	for _, node := range nodes {
		n := &specs.DeviceNode{Path: node, Permissions: "rw"}
		if d.root != "" {
			n.HostPath = d.root + node
		}
		e.DeviceNodes = append(e.DeviceNodes, n)
		if info, err := d.machine.Stat(d.root + node); d.groups && err == nil {
			if stat, is := info.Sys().(*syscall.Stat_t); is && stat.Gid != 0 {
				e.AdditionalGIDs = append(e.AdditionalGIDs, stat.Gid)
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
			nodes = append(nodes, p.nodes...)
		}
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		every = append(every, nodes...)
		d.add(g.named(d.forms, index), nodes)
		for at, p := range g.parts {
			var names []string
			for _, form := range d.forms {
				switch form {
				case ByAddress:
					names = append(names, g.address+"-"+p.name)
				case ByIndex:
					names = append(names, fmt.Sprintf("%d:%d", index, at))
				case ByLetter:
					names = append(names, fmt.Sprintf("gpu%d-%s", index, p.name))
				}
			}
			d.add(names, append(slices.Clone(g.nodes), p.nodes...))
		}
	}
	slices.Sort(every)
	return d.list, specs.Device{Name: All, ContainerEdits: d.edits(slices.Compact(every))}
}
