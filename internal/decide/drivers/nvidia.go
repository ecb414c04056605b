package drivers

import (
	"slices"
	"strings"
)

// GPUPart is an instance of a GPU that NVIDIA's driver has divided (MIG). A program with the nodes of both can use it.
type GPUPart struct {
	Name  string // as gi1-ci0
	Nodes []string
}

// nvidiaProc is where NVIDIA's own driver shows its devices.
const nvidiaProc = "/proc/driver/nvidia/"

// nvidia adds the nodes of NVIDIA's own driver, which are not those of the direct rendering manager. A device's
// directory in /proc tells its node. Without it, a single node belongs to a single device; otherwise each node counts
// as a device.
func (l *look) nvidia() {
	var shown []*GPU // by sysfs
	for _, g := range l.list {
		if g.Kernel == "nvidia" {
			g.Nodes = []string{}
			shown = append(shown, g)
		}
	}
	alone := len(shown) == 0
	// also a device that sysfs does not show, if it has nodes
	for _, name := range l.machine.Names(nvidiaProc + "gpus") {
		known := slices.ContainsFunc(shown, func(g *GPU) bool { return g.Name == name })
		if minor := l.minor(name); !known && (alone || minor != "" && len(l.nvidiaNodes(minor)) > 0) {
			g := &GPU{Name: name, Vendor: "0x10de", Kernel: "nvidia", Nodes: []string{}}
			shown, l.list = append(shown, g), append(l.list, g)
		}
	}
	left := l.nodeNumbers()
	unknown := slices.DeleteFunc(slices.Clone(shown), func(g *GPU) bool {
		minor := l.minor(g.Name)
		if minor == "" {
			return false
		}
		g.Nodes, g.UUID, g.Parts = l.nvidiaNodes(minor), fieldValue(l.information(g.Name), "GPU UUID:"),
			l.instances(minor)
		left = slices.DeleteFunc(left, func(number string) bool { return number == minor })
		return true
	})
	switch {
	case len(unknown) == 1 && len(left) == 1:
		unknown[0].Nodes = l.nvidiaNodes(left[0])
	case len(unknown) > 0 || len(shown) == 0:
		for _, number := range left {
			l.list = append(l.list,
				&GPU{Name: "nvidia" + number, Vendor: "0x10de", Kernel: "nvidia", Nodes: l.nvidiaNodes(number)})
		}
	}
}

// information returns the text of NVIDIA's driver about a device; minor returns the number of its node, "" if it is
// unknown.
func (l *look) information(name string) string {
	return l.machine.Text(nvidiaProc + "gpus/" + name + "/information")
}

func (l *look) minor(name string) string { return number(l.information(name), "Device Minor:") }

// nodeNumbers returns the numbers in the names of device nodes.
func (l *look) nodeNumbers() (list []string) {
	for _, name := range l.machine.Names("/dev") {
		if number, ok := strings.CutPrefix(name, "nvidia"); ok && isNumber(number) {
			list = append(list, number)
		}
	}
	return list
}

// isNumber reports whether a text consists of digits. A part of a node's path must: the text may come from a machine
// examined below a directory, and another path would give a container another device.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// number returns a field with the number of a node; "": the field has no number.
func number(text, label string) string {
	if value := fieldValue(text, label); isNumber(value) {
		return value
	}
	return ""
}

// fieldValue returns the rest of the line behind a label in a text; "" without the label.
func fieldValue(text, label string) string {
	_, rest, _ := strings.Cut(text, label)
	value, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(value)
}

// nvidiaNodes returns the existing nodes of a device; none if one of the two that it needs is missing.
func (l *look) nvidiaNodes(minor string) []string {
	nodes := []string{}
	for _, node := range []string{"/dev/nvidiactl", "/dev/nvidia" + minor} {
		if !l.has(node) {
			return []string{}
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// instances returns the instances of a GPU. Each has a node for its part of the GPU, and one for its part of that
// part's processors.
func (l *look) instances(minor string) (parts []GPUPart) {
	directory := nvidiaProc + "capabilities/gpu" + minor + "/mig"
	node := func(access string) string {
		number := number(l.machine.Text(directory+"/"+access+"/access"), "DeviceFileMinor:")
		if path := "/dev/nvidia-caps/nvidia-cap" + number; number != "" && l.has(path) {
			return path
		}
		return ""
	}
	for _, gi := range l.machine.Names(directory) {
		own := node(gi)
		if !strings.HasPrefix(gi, "gi") || own == "" {
			continue
		}
		for _, ci := range l.machine.Names(directory + "/" + gi) {
			if other := node(gi + "/" + ci); strings.HasPrefix(ci, "ci") && other != "" {
				parts = append(parts, GPUPart{gi + "-" + ci, []string{own, other}})
			}
		}
	}
	return parts
}

// NVIDIA's layer that puts its devices first or hides the others, with its variables, which prime-run sets. From the
// README of NVIDIA's driver (chapter "PRIME Render Offload").
const (
	OptimusLayer   = "VK_LAYER_NV_optimus"
	OptimusOffload = "__NV_PRIME_RENDER_OFFLOAD"
	OptimusFilter  = "__VK_LAYER_NV_optimus"
)
