package cdi

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	cncf "tags.cncf.io/container-device-interface/pkg/cdi"
)

// With groups, a device has the groups of its nodes except root's, and the file has the first CDI version with groups.
func TestGroups(t *testing.T) {
	t.Parallel()
	s := host(t)
	group := os.Getegid()
	if group == 0 {
		group = 4242
		for _, name := range []string{"dev/dri/renderD128", "dev/nvidia1"} {
			if err := os.Chown(filepath.Join(s.Root, name), 0, group); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, groups := range []bool{false, true} {
		spec, _, err := Generate(s, Options{Machines: []string{"x86_64"}, Hook: "/usr/bin/vkloader", Groups: groups})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range spec.Devices {
			var want []uint32
			for _, n := range d.ContainerEdits.DeviceNodes {
				info, err := os.Stat(filepath.Join(s.Root, n.Path))
				if err != nil {
					t.Fatal(err)
				}
				if gid := info.Sys().(*syscall.Stat_t).Gid; groups && gid != 0 && !slices.Contains(want, gid) {
					want = append(want, gid)
				}
			}
			if !slices.Equal(d.ContainerEdits.AdditionalGIDs, want) {
				t.Errorf("groups %v: %s has %v, want %v", groups, d.Name, d.ContainerEdits.AdditionalGIDs, want)
			}
		}
		text, err := YAML(spec)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := cncf.ReadSpec(file, 0); err != nil || (spec.Version == "0.7.0") != groups {
			t.Errorf("groups %v: version %s, %v", groups, spec.Version, err)
		}
	}
	spec, _, err := Generate(s, Options{Machines: []string{"x86_64"}, Groups: true, Hook: "/x"})
	if err != nil || !slices.Contains(spec.Devices[len(spec.Devices)-1].ContainerEdits.AdditionalGIDs, uint32(group)) {
		t.Errorf("%v: the device for all has not the group %d", err, group)
	}
}
