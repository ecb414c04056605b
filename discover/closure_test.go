package discover_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"vkloader/discover"
)

// decided returns the decision for a program on a machine.
func decided(t *testing.T, m *machineTree) (*discover.Host, *discover.Answer) {
	t.Helper()
	host := discover.Files(m.files).WithEnv(m.env...)
	answer, err := discover.Decide(t.Context(), host, discover.Program{})
	if err != nil && !errors.Is(err, discover.ErrNoDriver) {
		t.Fatal(err)
	}
	return host, answer
}

// closures returns the closures of the used drivers, by the manifest's name up to its first dot.
func closures(t *testing.T, m *machineTree) map[string]*discover.DriverFiles {
	t.Helper()
	host, answer := decided(t, m)
	all := map[string]*discover.DriverFiles{}
	for _, d := range answer.Drivers {
		if !d.Used {
			continue
		}
		name, _, _ := strings.Cut(d.Name, ".")
		files, err := discover.Closure(t.Context(), host, d)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = files
	}
	return all
}

// On each machine, GPUs returns the devices of the tool's doctor, with the drivers that serve them. The doctor's nodes also
// contain those of NodesFor.
func TestGPUsAreTheDoctors(t *testing.T) {
	t.Parallel()
	for _, m := range machines() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			host := discover.Files(m.files).WithEnv(m.env...)
			list, err := discover.GPUs(t.Context(), host)
			if err != nil {
				t.Fatal(err)
			}
			report, _ := tool(t, m.args(t, "doctor")...).(map[string]any)
			files, all, shown := closures(t, &m), slices.Clone(list), fmt.Sprint(report["gpus"])
			for i := range list {
				for _, manifest := range list[i].Drivers {
					name, _, _ := strings.Cut(path.Base(manifest), ".")
					for _, node := range files[name].NodesFor(&all[i], all) {
						if !slices.Contains(list[i].Nodes, node) && strings.Contains(shown, node) { // others belong to no device
							list[i].Nodes = append(list[i].Nodes, node)
						}
					}
				}
			}
			if got := said(t, list); !reflect.DeepEqual(got, report["gpus"]) || len(list) == 0 {
				t.Errorf("%v\nthe tool: %v", got, report["gpus"])
			}
			for _, g := range list {
				if g.Card == "" || g.Render == "" {
					t.Errorf("%+v", g)
				}
			}
		})
	}
	none, err := discover.GPUs(t.Context(), discover.Files(fstest.MapFS{}))
	if data, wrong := json.Marshal(none); err != nil || wrong != nil || string(data) != "[]" {
		t.Errorf("without devices: %s, %v, %v", data, err, wrong)
	}
}

// The dynamic linker's rules find a driver's files. Missing files and libraries for newer versions are reported.
func TestClosure(t *testing.T) {
	t.Parallel()
	all := machines()
	paths := func(files *discover.DriverFiles) (list []string) {
		for _, f := range files.Files {
			list = append(list, f.Real)
		}
		return list
	}
	files := closures(t, &all[0])["radeon_icd"]
	want := []string{"/usr/lib/x86_64-linux-gnu/libvulkan_radeon.so", "/usr/lib/x86_64-linux-gnu/libdrm.so.2.4.0", "/usr/lib/x86_64-linux-gnu/libc.so.6"}
	if !files.Works() || !slices.Equal(paths(files), want) || !slices.Equal(files.Data, []string{"/usr/share/drirc.d/00-mesa-defaults.conf"}) || files.Software {
		t.Errorf("debian: %+v", files)
	}
	if lvp := closures(t, &all[0])["lvp_icd"]; !lvp.Software || !lvp.Works() {
		t.Errorf("lavapipe: %+v", lvp)
	}
	files = closures(t, &all[1])["nvidia_icd"]
	atRunTime := 0
	for _, f := range files.Files {
		if f.Needed == discover.AtRunTime {
			atRunTime++
		}
	}
	if !files.Works() || atRunTime != 5 || !slices.Contains(files.Nodes, "/dev/nvidia1") {
		t.Errorf("ubuntu: %d %+v", atRunTime, files)
	}
	if files = closures(t, &all[3])["radeon_icd"]; !files.Works() || paths(files)[1] != "/nix/store/bbb-libdrm-2.4/lib/libdrm.so.2" {
		t.Errorf("nixos: %+v", files)
	}
	wrong := closures(t, &all[4])
	if m := wrong["radeon_icd"].Missing; wrong["radeon_icd"].Works() || len(m) != 1 || m[0].Name != "libLLVM-15.so.1" || m[0].Needed != discover.AtLink {
		t.Errorf("a missing library: %+v", m)
	}
	if o := wrong["intel_icd"].TooNew; wrong["intel_icd"].Works() || len(o) != 1 || o[0].Wants != "GLIBC_2.38" || o[0].Version != "GLIBC_2.36" {
		t.Errorf("too new a library: %+v", o)
	}
	for _, name := range []string{"intel_hasvk_icd", "lvp_icd"} {
		if f := wrong[name]; f.Works() || f.Library != "" || len(f.Missing) != 1 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	delete(all[1].files, triplet+"libnvidia-glvkspirv.so."+nvidiaVersion)
	if m := closures(t, &all[1])["nvidia_icd"].Missing; len(m) != 1 || m[0].Needed != discover.AtRunTime {
		t.Errorf("what a driver opens later: %+v", m)
	}
}

// The variables of the decision's program apply to the search for a driver's libraries.
func TestClosureOfProgram(t *testing.T) {
	t.Parallel()
	files := broken()
	files["opt/lib/libLLVM-15.so.1"] = library("soname=libLLVM-15.so.1")
	host := discover.Files(files)
	for env, want := range map[string]bool{"LD_LIBRARY_PATH=/opt/lib": true, "A=b": false} {
		answer, err := discover.Decide(t.Context(), host, discover.Program{Env: []string{env, "VK_LOADER_DRIVERS_SELECT=radeon*"}})
		if err != nil {
			t.Fatal(err)
		}
		if f, err := discover.Closure(t.Context(), host, answer.Drivers[0]); err != nil || f.Works() != want {
			t.Errorf("%s: %+v, %v", env, f, err)
		}
	}
}

// GPUs and Closure return errors for hosts and drivers that they cannot examine.
func TestGPUsAndClosureErrors(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	host, answer := decided(t, &machines()[0])
	if list, err := discover.GPUs(over, host); !errors.Is(err, context.Canceled) || list != nil {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := discover.Closure(over, host, answer.Drivers[0]); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := discover.Closure(t.Context(), host, discover.Driver{Manifest: "/a.json"}); err == nil {
		t.Error("a driver without a library has a closure")
	}
}

// A layer's files are found like those of a driver, for the program of the decision.
func TestLayerClosure(t *testing.T) {
	t.Parallel()
	files := debian()
	files["usr/share/vulkan/implicit_layer.d/near.json"] = layer("VK_LAYER_near", `,"disable_environment":{"NO_NEAR":"1"}`)
	files["l/VK_LAYER_near.so"] = library("soname=near", "exports=vkGetInstanceProcAddr", "needed=libdrm.so.2,libown.so,libc.so.6")
	files["opt/own/libown.so"] = library("soname=libown.so", "needed=libc.so.6")
	answer, err := discover.Decide(t.Context(), discover.Files(files), discover.Program{Env: []string{"LD_LIBRARY_PATH=/opt/own"}})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(answer.Layers, func(l discover.Layer) bool { return l.Name == "VK_LAYER_near" })
	closure, err := discover.LayerClosure(t.Context(), discover.Files(files), answer.Layers[at])
	if err != nil || !closure.Works() {
		t.Fatalf("%+v, %v", closure, err)
	}
	var got []string
	for _, f := range closure.Files {
		if f.CLibrary != (f.Soname == "libc.so.6") {
			t.Errorf("%+v", f)
		}
		got = append(got, f.Soname)
	}
	slices.Sort(got)
	if want := []string{"libc.so.6", "libdrm.so.2", "libown.so", "near"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := discover.LayerClosure(t.Context(), discover.Files(files), discover.Layer{Name: "VK_LAYER_meta"}); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}

// A container with one of several GPUs gets its nodes, the nodes of its parts, and the nodes that belong to no GPU.
func TestNodesFor(t *testing.T) {
	t.Parallel()
	all := []discover.GPU{
		{Name: "a", Nodes: []string{"/dev/nvidiactl", "/dev/nvidia0"}},
		{Name: "b", Nodes: []string{"/dev/nvidiactl", "/dev/nvidia1"}, Parts: []discover.GPUPart{{Name: "gi1", Nodes: []string{"/dev/nvidia-caps/nvidia-cap12"}}}},
	}
	files := &discover.DriverFiles{Nodes: []string{"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidia1"}}
	for at, want := range [][]string{{"/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidiactl"},
		{"/dev/nvidia-caps/nvidia-cap12", "/dev/nvidia-uvm", "/dev/nvidia1", "/dev/nvidiactl"}} {
		if got := files.NodesFor(&all[at], all); !slices.Equal(got, want) {
			t.Errorf("%s: %q", all[at].Name, got)
		}
	}
	if got := (&discover.DriverFiles{}).NodesFor(&discover.GPU{}, nil); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
