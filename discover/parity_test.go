package discover_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vkloader/discover"
)

// The package, like the tool, decides for the loader that Program.Loader names. This loader ignores a settings file.
func TestLoaderIsTheTools(t *testing.T) {
	t.Parallel()
	files := join(mixed(), glibc(triplet, "GLIBC_2.2.5"))
	files[triplet+"libvulkan.so.1"] = link("libvulkan.so.1.3.239")
	files[triplet+"libvulkan.so.1.3.239"] = library("soname=libvulkan.so.1")
	files["etc/vulkan/loader_settings.d/vk_loader_settings.json"] = text(`{"file_format_version":"1.0.0","settings":{"additional_drivers":[{"path":"/d/more.json"}],"additional_drivers_use_exclusively":true}}`)
	files["d/more.json"] = manifest("libmore.so")
	root := below(t, files)
	host := discover.Root(root).WithEnv(variables...)
	loader, err := discover.LoaderOf(t.Context(), host, discover.Program{})
	if err != nil || loader.Version != "1.3.239" || loader.File != "/usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239" || loader.Release != "" {
		t.Fatalf("%+v, %v", loader, err)
	}
	args := []string{"--json", "--root", root}
	for _, v := range variables {
		args = append(args, "--env", v)
	}
	answer, err := discover.Decide(t.Context(), host, discover.Program{Loader: loader})
	if err != nil {
		t.Fatal(err)
	}
	if want := tool(t, append([]string{"explain"}, args...)...); !reflect.DeepEqual(said(t, answer), want) {
		t.Errorf("%v\nthe tool: %v", said(t, answer), want)
	}
	if want := tool(t, append([]string{"list", "drivers"}, args...)...); !reflect.DeepEqual(said(t, answer.DriverList()), want) {
		t.Errorf("%v\nthe tool: %v", said(t, answer.DriverList()), want)
	}
	if answer.Drivers[0].Name == "more.json" {
		t.Error("the loader reads a settings file that it does not know")
	}
	ours, err := discover.Decide(t.Context(), host, discover.Program{})
	if err != nil || ours.Drivers[0].Name != "more.json" || ours.Loader != nil {
		t.Errorf("this module's loader: %+v, %v", ours, err)
	}
	if loader, err := discover.LoaderOf(t.Context(), discover.Files(mixed()), discover.Program{}); !errors.Is(err, discover.ErrNoLoader) || loader != nil {
		t.Errorf("without a loader: %+v, %v", loader, err)
	}
}

// Only programs that enable portability get a portability driver.
func TestPortability(t *testing.T) {
	t.Parallel()
	files := mixed()
	files["usr/share/vulkan/icd.d/port.json"] = text(`{"file_format_version":"1.0.1","ICD":{"library_path":"libp.so","api_version":"1.3.0","is_portability_driver":true}}`)
	for _, program := range []discover.Program{{}, {Portability: true, API: discover.V1_3}} {
		answer, err := discover.Decide(t.Context(), discover.Files(files), program)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range answer.Drivers {
			if d.Name == "port.json" && (d.Used != program.Portability || d.Used == (d.Reason.Code == discover.DriverPortability)) {
				t.Errorf("%+v: %+v", program, d)
			}
		}
	}
}

// Paths lists the same places as the tool.
func TestPathsAreTheTools(t *testing.T) {
	t.Parallel()
	root := below(t, mixed())
	paths, err := discover.Paths(t.Context(), discover.Root(root).WithEnv(variables...), discover.Program{})
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"list", "paths", "--json", "--root", root}
	for _, v := range variables {
		args = append(args, "--env", v)
	}
	if want := tool(t, args...); !reflect.DeepEqual(said(t, paths), want) {
		t.Errorf("%v\nthe tool: %v", said(t, paths), want)
	}
	if !slices.ContainsFunc(paths.Places, func(p discover.Searched) bool {
		return p.For == "drivers" && p.Path == "/etc/vulkan/icd.d" && p.Exists && strings.Join(p.Manifests, ",") == "c.json"
	}) {
		t.Errorf("%+v", paths)
	}
	memory, err := discover.Paths(t.Context(), discover.Files(mixed()).WithEnv(variables...), discover.Program{})
	if err != nil || !reflect.DeepEqual(memory, paths) {
		t.Errorf("in memory: %+v, %v", memory, err)
	}
}
