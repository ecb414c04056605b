package discover_test

import (
	"context"
	"errors"
	"fmt"
	"testing/fstest"

	"vkloader/discover"
)

// exampleRoot is a machine with two drivers and a layer.
var exampleRoot = fstest.MapFS{
	"usr/share/vulkan/icd.d/intel_icd.json":           manifest("libvulkan_intel.so"),
	"usr/share/vulkan/icd.d/lvp_icd.json":             manifest("libvulkan_lvp.so"),
	"usr/share/vulkan/implicit_layer.d/overlay.json":  layer("VK_LAYER_overlay", `,"disable_environment":{"NO_OVERLAY":"1"}`),
	"usr/share/vulkan/implicit_layer.d/recorder.json": layer("VK_LAYER_recorder", `,"enable_environment":{"RECORD":"1"},"disable_environment":{"NO_RECORDER":"1"}`),
}

func ExampleDecide() {
	host := discover.Files(exampleRoot) // or discover.Local(), or discover.Root("/proc/1234/root")
	answer, err := discover.Decide(context.Background(), host, discover.Program{Env: []string{"VK_LOADER_DRIVERS_DISABLE=lvp*"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range answer.Drivers {
		fmt.Println(d.Name, d.Library, d.Used, d.Reason.Code)
	}
	for _, l := range answer.Layers {
		fmt.Println(l.Name, l.Used, l.Reason.Code)
	}
	// Output:
	// intel_icd.json libvulkan_intel.so true driver-used
	// lvp_icd.json  false driver-disabled
	// VK_LAYER_overlay true layer-active
	// VK_LAYER_recorder false layer-inactive
}

func ExampleDecide_noDriver() {
	host := discover.Files(exampleRoot).WithEnv("VK_DRIVER_FILES=/gone.json")
	answer, err := discover.Decide(context.Background(), host, discover.Program{})
	if errors.Is(err, discover.ErrNoDriver) {
		for _, f := range answer.DriverList().Found {
			fmt.Println(f.Severity, f.Code, f.Subject)
		}
	}
	// Output:
	// problem file-open /gone.json
}

func ExampleGPUs() {
	host := discover.Files(debian())
	list, err := discover.GPUs(context.Background(), host)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range list {
		fmt.Println(g.Name, g.Kernel, g.Render, g.Drivers)
	}
	// Output:
	// 0000:00:02.0 i915 /dev/dri/renderD128 [/usr/share/vulkan/icd.d/intel_icd.x86_64.json]
	// 0000:03:00.0 amdgpu /dev/dri/renderD129 [/usr/share/vulkan/icd.d/radeon_icd.x86_64.json]
}

func ExampleClosure() {
	ctx, host := context.Background(), discover.Files(broken())
	answer, err := discover.Decide(ctx, host, discover.Program{Env: []string{"VK_LOADER_DRIVERS_SELECT=radeon*,intel_icd*"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range answer.Drivers {
		if !d.Used {
			continue
		}
		files, err := discover.Closure(ctx, host, d)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, m := range files.Missing {
			fmt.Println(d.Name, "lacks", m.Name)
		}
		for _, n := range files.TooNew {
			fmt.Println(d.Name, "wants", n.Wants, "of", n.Of)
		}
	}
	// Output:
	// intel_icd.x86_64.json wants GLIBC_2.38 of /usr/lib/x86_64-linux-gnu/libc.so.6
	// radeon_icd.x86_64.json lacks libLLVM-15.so.1
}

func ExampleProbe() {
	report, err := discover.Probe(context.Background(), discover.ProbeOptions{Child: "/opt/none/probe"})
	switch {
	case errors.Is(err, discover.ErrNoProbe):
		fmt.Println("vkloader is not installed")
	case err != nil:
		fmt.Println(err)
	case report.Outcome == discover.Crashed:
		fmt.Println(report.Signal, report.Phase)
	default:
		for _, d := range report.Devices {
			fmt.Println(d.ID(), d.Name, d.APIVersion)
		}
	}
	// Output:
	// vkloader is not installed
}

func ExampleDevice() {
	show := func(report *discover.Report) { // of discover.Probe
		for _, d := range report.Devices {
			fmt.Printf("%s: %s, Vulkan %s, %d GiB\n", d.Name, d.Type, d.APIVersion, d.VRAM>>30)
			fmt.Printf("  driver %s (%s), device %04x:%04x at %s, UUID %s\n", d.DriverName, d.DriverInfo, d.VendorID, d.DeviceID, d.PCI, d.DeviceUUID)
		}
	}
	show(&discover.Report{Devices: []discover.Device{{Name: "AMD Radeon RX 6600", Type: discover.Discrete, APIVersion: discover.V1_3, VRAM: 8 << 30,
		DriverName: "radv", DriverInfo: "Mesa 24.2.8", VendorID: 0x1002, DeviceID: 0x73ff, PCI: "0000:03:00.0",
		DeviceUUID: "00000000030000000000000000000000"}}})
	// Output:
	// AMD Radeon RX 6600: discrete, Vulkan 1.3.0, 8 GiB
	//   driver radv (Mesa 24.2.8), device 1002:73ff at 0000:03:00.0, UUID 00000000030000000000000000000000
}

func ExampleParseRequirement() {
	required, err := discover.ParseRequirement("api=1.3,type=discrete,vram=8G")
	if err != nil {
		fmt.Println(err)
		return
	}
	report := &discover.Report{Outcome: discover.Fine, Devices: []discover.Device{
		{Name: "llvmpipe", Type: discover.CPU, APIVersion: discover.V1_3, VRAM: 16 << 30}}}
	var unmet *discover.UnmetError
	if err := required.Check(report); errors.As(err, &unmet) {
		fmt.Println(unmet.Code, unmet.Text)
	}
	// Output:
	// type no device is of the type discrete; available: llvmpipe (cpu, Vulkan 1.3.0, 16 GiB)
}

func ExampleLoaderOf() {
	files := join(debian(), fstest.MapFS{
		"usr/lib/x86_64-linux-gnu/libvulkan.so.1":       link("libvulkan.so.1.3.239"),
		"usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239": library("soname=libvulkan.so.1"),
	})
	ctx, host, program := context.Background(), discover.Files(files), discover.Program{Env: []string{"VK_LOADER_LAYERS_ALLOW=*"}}
	loader, err := discover.LoaderOf(ctx, host, program)
	if err != nil {
		fmt.Println(err)
		return
	}
	program.Loader = loader // this loader does not read the variable
	answer, err := discover.Decide(ctx, host, program)
	fmt.Println(answer.Loader.File, answer.Loader.Version, err)
	// Output:
	// /usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239 1.3.239 <nil>
}

func ExamplePaths() {
	paths, err := discover.Paths(context.Background(), discover.Files(exampleRoot), discover.Program{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range paths.Places {
		if p.Exists {
			fmt.Println(p.For, p.Path, p.Manifests)
		}
	}
	// Output:
	// drivers /usr/share/vulkan/icd.d [intel_icd.json lvp_icd.json]
	// implicit layers /usr/share/vulkan/implicit_layer.d [overlay.json recorder.json]
}

func ExampleLayerClosure() {
	files := join(debian(), fstest.MapFS{
		"usr/share/vulkan/implicit_layer.d/overlay.json": layer("VK_LAYER_overlay", `,"disable_environment":{"NO_OVERLAY":"1"}`),
		"l/VK_LAYER_overlay.so":                          library("needed=libdrm.so.2,libc.so.6"),
	})
	ctx, host := context.Background(), discover.Files(files)
	answer, err := discover.Decide(ctx, host, discover.Program{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range answer.Layers {
		if l.Name != "VK_LAYER_overlay" {
			continue
		}
		needs, err := discover.LayerClosure(ctx, host, l)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range needs.Files {
			if !f.CLibrary { // a sandbox has its own C library
				fmt.Println(f.Path)
			}
		}
	}
	// Output:
	// /l/VK_LAYER_overlay.so
	// /usr/lib/x86_64-linux-gnu/libdrm.so.2
}
