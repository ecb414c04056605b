package survey

import (
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/machine"
	"vkloader/test/lib/binary"
	"vkloader/test/lib/tree"
)

// A device that two drivers list has two numbers.
func TestOrderOfTheSameTwice(t *testing.T) {
	t.Parallel()
	base := []discover.Device{{Index: 0, Name: "a"}, {Index: 1, Name: "a"}, {Index: 2, Name: "b"}, {Index: 3, Name: "a"}}
	var list []Device
	for i := range base {
		list = append(list, Device{Device: base[i]})
	}
	steps := orderOf(&machine.Source{Machine: machine.Machine{Root: t.TempDir()}}, &plan.Answer{}, list, base)
	for i, want := range []string{"0 a before 1 a: ", "1 a before 2 b: ", "2 b before 3 a: "} {
		if len(steps) != 3 || !strings.HasPrefix(steps[i].What, want) {
			t.Fatalf("%+v, want %q", steps, want)
		}
	}
}

// A loader of programs that is older than VK_LOADER_DISABLE_SELECT sorts no devices.
func TestOrderOfAnOlderLoader(t *testing.T) {
	t.Parallel()
	base := []discover.Device{{Name: "A", TypeText: "discrete GPU", Type: discover.Discrete}, {Name: "B", Index: 1, TypeText: "integrated GPU", Type: discover.Integrated}}
	for version, older := range map[string]bool{"1.2.162": true, "1.3.239": false} {
		root := t.TempDir()
		library, err := binary.Parse([]string{"soname=libvulkan.so.1", "exports=vkCreateInstance"})
		if err != nil {
			t.Fatal(err)
		}
		tree.Lay(t, root, map[string]string{"usr/lib/libvulkan.so." + version: string(library.Bytes()), "usr/lib/libvulkan.so.1": "-> libvulkan.so." + version})
		source := &machine.Source{Machine: machine.Machine{Root: root}}
		steps := orderOf(source, &plan.Answer{}, []Device{{Device: base[0]}, {Device: base[1]}}, base)
		if last := steps[len(steps)-1]; strings.Contains(last.What, "programs get") != older {
			t.Errorf("%s: %+v", version, steps)
		}
	}
}
