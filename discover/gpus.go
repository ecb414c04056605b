package discover

import (
	"context"
	"errors"
	"slices"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
)

// GPU is a graphics device, as the kernel shows it.
type GPU struct {
	// A PCI address is written as in Device.PCI.
	Name   string `json:"name"`             // PCI address, or the kernel's name
	Vendor string `json:"vendor,omitempty"` // PCI vendor number, such as 0x10de
	Device string `json:"device,omitempty"` // PCI device number

	// Kernel is empty if no kernel driver is bound to the device.
	Kernel string `json:"kernel_driver,omitempty"`

	// Only nodes that exist are listed. A driver may open more: see [DriverFiles.NodesFor].
	Nodes []string `json:"nodes"` // device nodes that a Vulkan driver opens

	// These are drivers that a program gets, and for which [DriverFiles.Works] is true.
	Drivers []string `json:"drivers"`          // manifests of good drivers for this kind of device
	Asleep  bool     `json:"asleep,omitempty"` // the kernel has suspended it
	Label   string   `json:"label"`            // for people: the vendor's name for it, if that is known

	UUID  string    `json:"-"` // NVIDIA's and CUDA's name for it: GPU-...; "": not known
	Parts []GPUPart `json:"-"` // the instances of a GPU that is divided (MIG)

	// node of the direct rendering manager for screens, such as /dev/dri/card0; "": there is none
	Card   string `json:"-"`
	Render string `json:"-"` // its node for rendering, such as /dev/dri/renderD128; "": there is none
}

// GPUPart is an instance of a divided GPU. A program that gets its nodes, and those of the GPU, can use it.
type GPUPart struct {
	Name  string   // as gi1-ci0
	Nodes []string // its device nodes
}

// NodesFor returns the device nodes that a container needs to use one GPU of a host with this driver: the nodes of the
// GPU and of its parts, and the nodes in [DriverFiles].Nodes that belong to no GPU, such as /dev/nvidia-uvm. all is the
// answer of [GPUs].
func (f *DriverFiles) NodesFor(gpu *GPU, all []GPU) []string {
	nodes := slices.Clone(gpu.Nodes)
	for _, p := range gpu.Parts {
		nodes = append(nodes, p.Nodes...)
	}
	for _, node := range f.Nodes {
		if !slices.ContainsFunc(all, func(g GPU) bool { return slices.Contains(g.Nodes, node) }) {
			nodes = append(nodes, node)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// GPUs lists the graphics devices of a host, each with the drivers that serve it among those that the zero [Program]
// gets. It wakes no device. A host without graphics devices has an empty list, and no error. [DriverFiles.NodesFor],
// and [Closure] of each of its Drivers, list the files that a container needs for a GPU.
func GPUs(ctx context.Context, host *Host) ([]GPU, error) {
	ctx = contextOr(ctx)
	answer, err := Decide(ctx, host, Program{})
	if err != nil && !errors.Is(err, ErrNoDriver) {
		return nil, err
	}
	m, done, err := host.machine().Machine(nil)
	if err != nil {
		return nil, err
	}
	defer done()
	good := workingDrivers(ctx, m, answer.Drivers)
	list := []GPU{}
	for _, g := range drivers.GPUs(m) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list = append(list, gpuOf(m, g, good))
	}
	return list, ctx.Err()
}

// driverFamily is a used driver that can be loaded, with its family.
type driverFamily struct {
	manifest string
	*drivers.Family
}

// workingDrivers returns the used drivers of known families that can be loaded.
func workingDrivers(ctx context.Context, m *machine.Machine, found []Driver) (good []driverFamily) {
	linker := loaders.Linker(&machine.Source{Machine: *m})
	for i := range found {
		family := drivers.Of(found[i].Library)
		if found[i].Used && family != nil && ctx.Err() == nil &&
			drivers.Judged(m, linker, found[i].Library, drivers.DriverInterface).Works() {
			good = append(good, driverFamily{found[i].Manifest, family})
		}
	}
	return good
}

// gpuOf returns a device with the drivers that serve it.
func gpuOf(m *machine.Machine, g *drivers.GPU, good []driverFamily) GPU {
	out := GPU{Name: g.Name, Vendor: g.Vendor, Device: g.Device, Kernel: g.Kernel, Nodes: g.Nodes, Drivers: []string{},
		Asleep: g.Asleep,
		Label:  g.Label(m), UUID: g.UUID}
	for _, p := range g.Parts {
		out.Parts = append(out.Parts, GPUPart(p))
	}
	c := drivers.ChipByPCI(drivers.PCINumber(g.Vendor), drivers.PCINumber(g.Device))
	if c != nil && !c.HasVulkan() {
		good = nil // the drivers for its kernel driver serve newer chips only
	}
	for _, f := range good {
		if drivers.Serves(f.Family, g.Kernel, g.Vendor, c) {
			out.Drivers = append(out.Drivers, f.manifest)
		}
	}
	for _, name := range g.Cards {
		switch node := "/dev/dri/" + name; {
		case !m.Exists(node):
		case name[0] == 'c' && out.Card == "":
			out.Card = node
		case name[0] == 'r' && out.Render == "":
			out.Render = node
		}
	}
	return out
}
