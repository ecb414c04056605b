package discover_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"vkloader/discover"
	"vkloader/internal/tool/cli"
)

// closureMachines returns the machines of the consumers, and machines with special files of drivers and layers.
func closureMachines() []machineTree {
	wsl := join(glibc(triplet, "GLIBC_2.36"), fstest.MapFS{"dev/dxg": text(""),
		"usr/share/vulkan/icd.d/dzn_icd.x86_64.json": manifest("/" + triplet + "libvulkan_dzn.so"),
		triplet + "libvulkan_dzn.so":                 library("soname=libvulkan_dzn.so", driverExports, "needed=libc.so.6"),
		"usr/lib/wsl/lib/libdxcore.so":               library("soname=libdxcore.so", "needed=libc.so.6"),
		"usr/lib/wsl/lib/libd3d12.so":                library("soname=libd3d12.so", "needed=libnear.so.1"),
		triplet + "libnear.so.1":                     library("soname=libnear.so.1"),
		"usr/lib/wsl/drivers/a.inf/libdx.so":         library("soname=libdx.so")})
	windows := join(ubuntu(), fstest.MapFS{
		triplet + "libnvidia-egl-gbm.so.1": library("soname=libnvidia-egl-gbm.so.1", "needed=libgbm.so.1"),
		triplet + "libgbm.so.1":            library("soname=libgbm.so.1"),
		triplet + "gbm/nvidia-drm_gbm.so":  library("soname=libnvidia-allocator.so")})
	later := ubuntu()
	later[triplet+"libnvidia-glvkspirv.so."+nvidiaVersion] = library("soname=libnvidia-glvkspirv.so."+nvidiaVersion, "needed=libgone.so.1")
	odd := debian()
	odd[triplet+"libvulkan_radeon.so"] = library("soname=libvulkan_radeon.so", "needed=libc.so.6")
	odd[triplet+"libvulkan_intel.so"] = library("soname=libvulkan.so.1", driverExports, "needed=libc.so.6")
	odd[triplet+"libvulkan_lvp.so"] = library("soname=libvulkan_lvp.so", driverExports, "needed=libc.so.6", "imports=nowhere", "data=elsewhere")
	layers := debian()
	for name, words := range map[string]string{"whole": "exports=vkGetInstanceProcAddr", "renamed": "exports=mine", "empty": "exports=nothing",
		"lacking": "exports=vkGetInstanceProcAddr needed=libgone.so.1"} {
		more := `,"disable_environment":{"NO_` + name + `":"1"}`
		if name == "renamed" {
			more += `,"functions":{"vkGetInstanceProcAddr":"mine"}`
		}
		layers["usr/share/vulkan/implicit_layer.d/"+name+".json"] = layer("VK_LAYER_"+name, more)
		layers["l/VK_LAYER_"+name+".so"] = library(append(strings.Fields(words), "soname="+name)...)
	}
	return append(machines(), machineTree{"wsl", wsl, nil}, machineTree{"windows", windows, nil}, machineTree{"later", later, nil},
		machineTree{"odd", odd, nil}, machineTree{"layers", layers, nil})
}

// used returns the closures of the drivers and layers that a program gets, by their manifests.
func used(t *testing.T, host *discover.Host) map[string]*discover.DriverFiles {
	t.Helper()
	answer, err := discover.Decide(t.Context(), host, discover.Program{})
	if err != nil && !errors.Is(err, discover.ErrNoDriver) {
		t.Fatal(err)
	}
	all := map[string]*discover.DriverFiles{}
	for _, d := range answer.Drivers {
		if d.Used {
			if all[d.Manifest], err = discover.Closure(t.Context(), host, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, l := range answer.Layers {
		if l.Used && l.Name != "VK_LAYER_MESA_device_select" { // no machine here has its library
			if all[l.Manifest], err = discover.LayerClosure(t.Context(), host, l); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// Only one package judges whether a driver or a layer works, so the doctor, the list of devices and the closures agree.
func TestOneJudgement(t *testing.T) {
	t.Parallel()
	broken := 0
	for _, m := range closureMachines() {
		args := m.args(t, "doctor")
		report, _ := tool(t, args...).(map[string]any)
		if m.name == "later" { // the message names the missing dependency of the library that is opened at run time
			const want = "libnvidia-glvkspirv.so." + nvidiaVersion + " needs libgone.so.1"
			if what := texts(report["findings"], "what"); !strings.Contains(strings.Join(what, "\n"), want) {
				t.Errorf("%q has no %q", what, want)
			}
		}
		host := discover.Root(args[3]).WithEnv(m.env...)
		good := map[string]bool{}
		for _, kind := range []string{"drivers", "layers"} {
			list, _ := report[kind].([]any)
			for _, one := range list {
				v, _ := one.(map[string]any)
				good[texts(one, "manifest")[0]] = v["good"] == true
			}
		}
		for manifest, files := range used(t, host) {
			if files.Works() != good[manifest] {
				t.Errorf("%s: %s works: %t; the tool's doctor: %t", m.name, manifest, files.Works(), good[manifest])
			}
			if !good[manifest] {
				broken++
			}
		}
		gpus, err := discover.GPUs(t.Context(), host)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range gpus {
			for _, manifest := range g.Drivers {
				if !good[manifest] {
					t.Errorf("%s: %s serves %s, and does not work", m.name, manifest, g.Name)
				}
			}
		}
	}
	if broken != 11 { // this includes the driver of "wsl": no configuration of the linker names the directory of its libraries
		t.Errorf("%d are broken", broken)
	}
}

// stands has example files of each kind of need, by machine.
var stands = map[string][]string{
	"wsl":     {"/usr/lib/wsl/lib/libdxcore.so", "/usr/lib/wsl/drivers", "/" + triplet + "libnear.so.1"},
	"windows": {"/" + triplet + "libnvidia-egl-gbm.so.1", "/" + triplet + "libgbm.so.1", "/" + triplet + "gbm/nvidia-drm_gbm.so"},
}

// cdiFile returns the CDI file of the tool for a root directory.
func cdiFile(t *testing.T, root string) (spec any) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.json")
	var errOut strings.Builder
	cli.Main([]string{"vkloader", "cdi", "generate", "-o", name, "--root", root}, nil, io.Discard, &errOut)
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &spec)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &errOut)
	}
	return spec
}

// vkloader cdi puts the files of the closures into a container, and no others.
func TestOneClosure(t *testing.T) {
	t.Parallel()
	for _, m := range closureMachines() {
		if m.env != nil || m.name == "container" || m.name == "broken" || m.name == "later" {
			continue // cdi ignores the variables of a program; a machine without a driver has no files
		}
		root := m.args(t)[2]
		host := discover.Root(root)
		spec := cdiFile(t, root)
		got := append(texts(spec, "containerEdits", "mounts", "hostPath"), texts(spec, "devices", "containerEdits", "mounts", "hostPath")...)
		got = slices.DeleteFunc(got, func(p string) bool { return p == "tmpfs" })
		for _, file := range stands[m.name] {
			if !slices.Contains(got, file) {
				t.Errorf("%s: %s is not in the file", m.name, file)
			}
		}
		var want []string
		for manifest, files := range used(t, host) {
			if !slices.Contains(got, manifest) {
				if files.Works() && !strings.Contains(manifest, "layer.d") {
					t.Errorf("%s: %s is not in the file", m.name, manifest)
				}
				continue
			}
			want = append(append(want, manifest), files.Data...)
			for _, f := range files.Files {
				if !f.CLibrary {
					want = append(want, f.Path)
				}
			}
		}
		if !same(got, want) {
			slices.Sort(got)
			slices.Sort(want)
			t.Errorf("%s: the tool: %q\nthe closures: %q", m.name, got, slices.Compact(want))
		}
	}
}
