package cdi

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/selector"
)

// gpu is a graphics device with the nodes that a container gets for it.
type gpu struct {
	name  string // its PCI address, or what the kernel calls it
	nodes []string
}

// control are the nodes that every device of NVIDIA's own driver needs beside its own.
var control = []string{"/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}

// gpus lists the graphics devices that compute, by name: those with a render node, those of NVIDIA's driver, and what
// the kernel shows otherwise.
func gpus(m *machine.Machine) []gpu {
	nodes := map[string][]string{}
	renders := map[string]bool{}
	for _, name := range names(m, "/sys/class/drm") {
		render := strings.HasPrefix(name, "renderD")
		if !render && (!strings.HasPrefix(name, "card") || strings.Contains(name, "-")) {
			continue
		}
		node := "/dev/dri/" + name
		directory, err := m.Real("/sys/class/drm/" + name + "/device")
		if err != nil || !m.Exists(node) {
			continue
		}
		device := nameOf(path.Base(directory))
		nodes[device] = append(nodes[device], node)
		renders[device] = renders[device] || render
	}
	for device := range nodes {
		if !renders[device] { // it shows pictures only
			delete(nodes, device)
		}
	}
	nvidia(m, nodes)
	for _, f := range drivers.Families() {
		for _, node := range f.Nodes {
			if name := path.Base(node.Path); f.Name != drivers.NVIDIA && m.Exists(node.Path) {
				nodes[name] = append(nodes[name], node.Path)
			}
		}
	}
	var list []gpu
	for name, of := range nodes {
		slices.Sort(of)
		list = append(list, gpu{name, slices.Compact(of)})
	}
	slices.SortFunc(list, func(a, b gpu) int { return strings.Compare(a.name, b.name) })
	return list
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
func nvidia(m *machine.Machine, nodes map[string][]string) {
	const proc = "/proc/driver/nvidia/gpus/"
	told := false
	add := func(device, node string) {
		if !m.Exists(node) {
			return
		}
		told = true
		nodes[device] = append(nodes[device], node)
		for _, other := range control {
			if m.Exists(other) {
				nodes[device] = append(nodes[device], other)
			}
		}
	}
	for _, name := range names(m, strings.TrimSuffix(proc, "/")) {
		text, err := m.ReadFile(proc + name + "/information")
		_, rest, found := strings.Cut(string(text), "Device Minor:")
		if minor, _, _ := strings.Cut(rest, "\n"); err == nil && found {
			add(nameOf(name), "/dev/nvidia"+strings.TrimSpace(minor))
		}
	}
	if told {
		return
	}
	for _, name := range names(m, "/dev") {
		if number, is := strings.CutPrefix(name, "nvidia"); is && number != "" && strings.Trim(number, "0123456789") == "" {
			add(name, "/dev/"+name)
		}
	}
}

// names lists a directory; nothing without it.
func names(m *machine.Machine, directory string) []string {
	entries, err := m.ReadDir(directory)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
