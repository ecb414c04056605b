package discover_test

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"vkloader/discover"
)

// toolkit returns the mounts of a toolkit for NVIDIA's containers: the manifest and every file of each working NVIDIA
// driver. The decision and the driver's needs find the files; a fixed list would miss other names and versions.
func toolkit(ctx context.Context, host *discover.Host) (mounts []string, err error) {
	list, err := discover.GPUs(ctx, host)
	if err != nil {
		return nil, err
	}
	answer, err := discover.Decide(ctx, host, discover.Program{})
	if err != nil {
		return nil, err
	}
	for _, d := range answer.Drivers {
		if !slices.ContainsFunc(list, func(g discover.GPU) bool { return g.Vendor == "0x10de" && slices.Contains(g.Drivers, d.Manifest) }) {
			continue
		}
		files, err := discover.Closure(ctx, host, d)
		if err != nil {
			return nil, err
		}
		mounts = append(append(mounts, d.Manifest), files.Data...)
		for _, f := range files.Files {
			if !f.CLibrary { // the image has its own C library
				mounts = append(mounts, f.Path)
			}
		}
	}
	return mounts, nil
}

// plugin returns a device plugin's answer to the kubelet: the GPUs on which Vulkan works, with their nodes. A plugin that
// only checks whether a directory exists reports a GPU as healthy even if its driver cannot be loaded.
func plugin(ctx context.Context, host *discover.Host) (healthy map[string][]string, err error) {
	list, err := discover.GPUs(ctx, host)
	if err != nil {
		return nil, err
	}
	healthy = map[string][]string{}
	for _, g := range list {
		if len(g.Drivers) > 0 && len(g.Nodes) > 0 {
			healthy[g.Name] = g.Nodes
		}
	}
	return healthy, nil
}

// runtimeDevice is a device in the list of a runtime for AI models.
type runtimeDevice struct {
	id, name string
	memory   uint64
}

// models returns that list from typed values, not from text on standard error. A crash of a driver happens in the child.
func models(ctx context.Context, options discover.ProbeOptions) (list []runtimeDevice, err error) {
	report, err := discover.Probe(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := (&discover.Requirement{NotCPU: true}).Check(report); err != nil {
		return nil, err
	}
	for _, d := range report.Devices {
		if d.Type != discover.CPU {
			list = append(list, runtimeDevice{d.ID(), d.Name, d.VRAM})
		}
	}
	return list, nil
}

// sandbox returns the files that a sandbox binds: manifests of loadable drivers, directories of their files, and nodes.
func sandbox(ctx context.Context, host *discover.Host) (manifests, directories, nodes []string, err error) {
	answer, err := discover.Decide(ctx, host, discover.Program{})
	if err != nil && !errors.Is(err, discover.ErrNoDriver) {
		return nil, nil, nil, err
	}
	for _, d := range answer.Drivers {
		if !d.Used {
			continue
		}
		files, err := discover.Closure(ctx, host, d)
		if err != nil {
			return nil, nil, nil, err
		}
		if files.Works() {
			manifests = append(manifests, d.Manifest)
			for _, f := range files.Files {
				directories = append(directories, path.Dir(f.Path))
			}
		}
	}
	list, err := discover.GPUs(ctx, host)
	for _, g := range list {
		nodes = append(nodes, g.Nodes...)
	}
	slices.Sort(directories)
	return manifests, slices.Compact(directories), nodes, err
}

// texts returns the values at a path of member names in a tool's answer; "*" stands for every element.
func texts(value any, names ...string) (list []string) {
	switch v := value.(type) {
	case map[string]any:
		if len(names) > 0 {
			return texts(v[names[0]], names[1:]...)
		}
	case []any:
		for _, element := range v {
			list = append(list, texts(element, names...)...)
		}
	case string:
		list = []string{v}
	}
	return list
}

// same reports whether two lists have the same elements.
func same(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// within reports whether every element of a is in b.
func within(a, b []string) bool {
	return !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) })
}

// On each machine the consumers get the same results as the tool's commands.
func TestConsumers(t *testing.T) {
	t.Parallel()
	works := map[string][]string{"debian": {"0000:00:02.0", "0000:03:00.0"}, "ubuntu": {"0000:01:00.0", "0000:02:00.0"}, "nixos": {"0000:03:00.0"}}
	for _, m := range machines() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			args := m.args(t, "doctor")
			host := discover.Root(args[3]).WithEnv(m.env...)
			report, _ := tool(t, args...).(map[string]any)
			mounts, err := toolkit(t.Context(), host)
			if err != nil && !errors.Is(err, discover.ErrNoDriver) {
				t.Fatal(err)
			}
			if m.name == "ubuntu" {
				spec := cdiFile(t, args[3])
				want := slices.DeleteFunc(texts(spec, "containerEdits", "mounts", "hostPath"), func(p string) bool { return p == "tmpfs" })
				if !same(mounts, want) || len(mounts) < 8 {
					t.Errorf("a toolkit mounts %q\nthe tool: %q", mounts, want)
				}
			} else if len(mounts) > 0 {
				t.Errorf("a toolkit mounts %q", mounts)
			}
			healthy, err := plugin(t.Context(), host)
			if err != nil || !same(works[m.name], keys(healthy)) {
				t.Errorf("a plugin has %v, %v", healthy, err)
			}
			gpus, _ := report["gpus"].([]any)
			for _, g := range gpus {
				if name := texts(g, "name")[0]; (len(texts(g, "drivers")) > 0) != (healthy[name] != nil) || !within(healthy[name], texts(g, "nodes")) {
					t.Errorf("%s: %v; the tool: %v", name, healthy[name], g)
				}
			}
			manifests, directories, nodes, err := sandbox(t.Context(), host)
			if err != nil || !within(nodes, texts(report["gpus"], "nodes")) || len(manifests) > 0 != (len(directories) > 0) {
				t.Errorf("a sandbox binds %q, %q: %v", directories, nodes, err)
			}
			var good []string
			drivers, _ := report["drivers"].([]any)
			for _, d := range drivers {
				if v, _ := d.(map[string]any); v["good"] == true {
					good = append(good, texts(v, "manifest")...)
				}
			}
			if !same(manifests, good) {
				t.Errorf("a sandbox binds %q\nthe tool: %q", manifests, good)
			}
		})
	}
}

func keys(m map[string][]string) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	return list
}

// A device keeps its identity when a driver lists its devices in another order. A crash is an error with its cause.
func TestModels(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("Radeon", "Radeon 2", "0000:03:00.0", "0000:04:00.0", `"index":0`, `"index":1`).Replace(strings.Split(gpu, "\n")[0])
	first, err := models(t.Context(), scripted(t, 0, create, made, gpu, other))
	if err != nil {
		t.Fatal(err)
	}
	second, err := models(t.Context(), scripted(t, 0, create, made, strings.Replace(other, `"index":1`, `"index":0`, 1), strings.ReplaceAll(gpu, `"index":0`, `"index":1`)))
	if err != nil || len(first) != 2 || len(second) != 2 || first[0] != second[1] || first[1] != second[0] {
		t.Errorf("%v, %v, %v", first, second, err)
	}
	var unmet *discover.UnmetError
	if _, err := models(t.Context(), scripted(t, 0, create, "crash")); !errors.As(err, &unmet) || unmet.Code != discover.UnmetHealth {
		t.Error(err)
	}
	if _, err := models(t.Context(), scripted(t, 0, create, made, cpu)); !errors.As(err, &unmet) || unmet.Code != discover.UnmetNotCPU {
		t.Error(err)
	}
	options := discover.ProbeOptions{Child: built(t, "libexec/vkloader/probe"), Library: built(t, "libvulkan.so.1"),
		Env: []string{"VK_DRIVER_FILES=" + built(t, "drivers/null_icd.json"), "HOME=" + t.TempDir()}}
	if list, err := models(t.Context(), options); !errors.As(err, &unmet) || unmet.Code != discover.UnmetNotCPU { // the null device is no GPU
		t.Errorf("the null driver: %v, %v", list, err)
	}
}
