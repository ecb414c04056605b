package discover_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"vkloader/discover"
)

// nodesOf returns the nodes of each device.
func nodesOf(t *testing.T, files fstest.MapFS) map[string][]string {
	t.Helper()
	list, err := discover.GPUs(t.Context(), discover.Files(files))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, g := range list {
		all[g.Name] = g.Nodes
	}
	return all
}

// NVIDIA's driver tells which node belongs to which device. Where it does not, no device gets another one's node.
func TestNodesOfUnknownDevices(t *testing.T) {
	t.Parallel()
	files := ubuntu()
	for _, address := range []string{"0000:01:00.0", "0000:02:00.0"} {
		delete(files, "proc/driver/nvidia/gpus/"+address+"/information")
	}
	got := nodesOf(t, files)
	for name, want := range map[string][]string{"0000:01:00.0": {}, "0000:02:00.0": {}, "nvidia0": {"/dev/nvidiactl", "/dev/nvidia0"},
		"nvidia1": {"/dev/nvidiactl", "/dev/nvidia1"}} {
		if nodes, is := got[name]; !is || !slices.Equal(nodes, want) {
			t.Errorf("%s: %q, want %q", name, nodes, want)
		}
	}
	files["proc/driver/nvidia/gpus/0000:01:00.0/information"] = text("Device Minor: \t 1\n")
	if got = nodesOf(t, files); len(got) != 2 || !slices.Equal(got["0000:02:00.0"], []string{"/dev/nvidiactl", "/dev/nvidia0"}) {
		t.Errorf("of the only one that is left: %q", got)
	}
}

// divided returns the machine ubuntu with a divided card.
func divided() fstest.MapFS {
	files := ubuntu()
	const capabilities = "proc/driver/nvidia/capabilities/gpu0/mig/"
	for access, number := range map[string]string{"gi1/access": "21", "gi1/ci0/access": "22"} {
		files[capabilities+access] = text("DeviceFileMinor: " + number + "\nDeviceFileMode: 292\n")
		files["dev/nvidia-caps/nvidia-cap"+number] = text("")
	}
	for i, address := range []string{"0000:01:00.0", "0000:02:00.0"} {
		files["proc/driver/nvidia/gpus/"+address+"/information"] = text(fmt.Sprintf("GPU UUID: \t GPU-%d\nDevice Minor: \t %d\n", i, i))
	}
	return files
}

// The devices of a CDI file are those of this package, by address and UUID, with all of their nodes and parts.
func TestCDIDevicesAreTheGPUs(t *testing.T) {
	t.Parallel()
	for _, files := range []fstest.MapFS{debian(), ubuntu(), divided()} {
		list, err := discover.GPUs(t.Context(), discover.Files(files))
		if err != nil {
			t.Fatal(err)
		}
		spec, _ := cdiFile(t, below(t, files)).(map[string]any)
		nodes := map[string][]string{}
		devices, _ := spec["devices"].([]any)
		for _, d := range devices {
			nodes[texts(d, "name")[0]] = texts(d, "containerEdits", "deviceNodes", "path")
		}
		known := 2 // "all", and the name by number
		check := func(name string, want []string) {
			known++
			if got, is := nodes[name]; !is || slices.ContainsFunc(want, func(node string) bool { return !slices.Contains(got, node) }) {
				t.Errorf("%s: %q, want %q; all: %v", name, got, want, nodes)
			}
		}
		for _, g := range list {
			check(g.Name, g.Nodes)
			if g.UUID != "" {
				check(g.UUID, g.Nodes)
			}
			for _, p := range g.Parts {
				check(g.Name+"-"+p.Name, append(slices.Clone(g.Nodes), p.Nodes...))
			}
		}
		if known < 4 {
			t.Errorf("%v", list)
		}
	}
	list, err := discover.GPUs(t.Context(), discover.Files(divided()))
	if err != nil || len(list) != 2 || list[0].UUID != "GPU-0" || len(list[0].Parts) != 1 || list[0].Parts[0].Name != "gi1-ci0" ||
		!slices.Equal(list[0].Parts[0].Nodes, []string{"/dev/nvidia-caps/nvidia-cap21", "/dev/nvidia-caps/nvidia-cap22"}) || list[1].Parts != nil {
		t.Errorf("%+v, %v", list, err)
	}
}
