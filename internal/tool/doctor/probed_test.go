package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/standing"
	"vkloader/internal/decide/vk"
	"vkloader/internal/tool/term"
	"vkloader/test/lib/tree"
)

// A driver that fails because of an earlier finding gives one problem: the earlier finding, with the failure as its
// consequence. A crash is a separate finding.
func TestProbeConfirms(t *testing.T) {
	t.Parallel()
	for result, want := range map[ProbeResult]struct {
		root    diag.Severity
		because Kind
		verdict string
	}{
		ProbeFails:   {diag.Problem, DriverHeadless, "1 problem: "},
		ProbeCrashes: {diag.Warning, nil, "Broken: nvidia_icd.json crashes; 1 problem"},
	} {
		t.Run(string(result), func(t *testing.T) {
			t.Parallel()
			report := examine(t, card("0x10de", "nvidia", false, nvidia(t, "535.1"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
				file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")),
				file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), Options{})
			drivers := report.driversAlone()
			if len(drivers) != 1 {
				t.Fatalf("%d drivers", len(drivers))
			}
			drivers[0].Result, drivers[0].Detail = result, "create instance"
			e := newEvidence(report)
			e.addResult(&drivers[0])
			e.conclude()
			report = e.finish()
			severity, because := diag.Note, Kind(nil)
			for _, f := range report.Findings {
				switch f.Code {
				case DriverHeadless:
					severity = f.Severity
				case DriverFails, DriverCrashes:
					because = f.Because
				}
			}
			if severity != want.root || because != want.because {
				t.Errorf("%v because of %v, want %v and %v", severity, because, want.root, want.because)
			}
			if !strings.Contains(withFirst(report), want.verdict) {
				t.Errorf("verdict %q", report.Verdict)
			}
		})
	}
}

// Two manifests of one driver, as NVIDIA's container tools and an image bring them, have one problem.
func TestProbeOfADriverWithTwoManifests(t *testing.T) {
	t.Parallel()
	files := nvidia(t, "535.1")
	files["etc/vulkan/icd.d/nvidia_icd.json"] = files[icds+"nvidia_icd.json"]
	for display, want := range map[string]Kind{"": DriverHeadless, "DISPLAY=:0": DriverFails} {
		e := newEvidence(examine(t, card("0x10de", "nvidia", false, files, file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
			file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), Options{}, display))
		for a := range each(e.driversAlone()) {
			a.Result, a.Detail = ProbeFails, "create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER"
			e.addResult(a)
		}
		e.conclude()
		var roots []Kind
		for _, f := range e.finish().Findings {
			if f.Severity == diag.Problem && f.Because == nil {
				roots = append(roots, f.Code)
			}
		}
		if len(roots) != 1 || roots[0] != want {
			t.Errorf("%q: %v", display, roots)
		}
	}
}

// Of two manifests of one driver, the one that a container's runtime mounts cannot be removed.
func TestMountedManifest(t *testing.T) {
	t.Parallel()
	files := nvidia(t, "535.1")
	files["etc/vulkan/icd.d/nvidia_icd.json"] = files[icds+"nvidia_icd.json"]
	for mounts, removed := range map[string]string{"": "/" + icds, "9 8 0:7 /x /" + icds + "nvidia_icd.json ro - ext4 /dev/a ro\n": "/etc/vulkan/icd.d/"} {
		report := examine(t, card("0x10de", "nvidia", false, files, file("dev/nvidiactl", ""), file("dev/nvidia0", ""), file(".dockerenv", ""),
			file("proc/self/mountinfo", mounts)), Options{}, "DISPLAY=:0")
		if do := ofCodes(report)[LibraryTwice].Do; !strings.Contains(do, "rm -- "+removed+"nvidia_icd.json") {
			t.Errorf("%q: %q", mounts, do)
		}
	}
}

// NVIDIA's driver may fail in a container with the nodes of some devices only (NVIDIA/libnvidia-container issue 134).
func TestProbeWithTheNodesOfSomeDevices(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]bool{".dockerenv": true, "run/x": false} {
		second := "sys/bus/pci/devices/0000:03:00.0/"
		e := newEvidence(examine(t, card("0x10de", "nvidia", false, nvidia(t, "460.56"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""), file("dev/nvidia-modeset", ""),
			file(second+"class", "0x030000\n"), file(second+"vendor", "0x10de\n"), file(second+"device", "0x1234\n"), file(second+"driver", "-> ../../drivers/nvidia"),
			file("proc/driver/nvidia/gpus/0000:01:00.0/information", "Device Minor: 0\n"), file("proc/driver/nvidia/gpus/0000:03:00.0/information", "Device Minor: 1\n"),
			file(libraries+"libnvidia-glvkspirv.so.460.56", library(t, "exports=x")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")),
			file(place, "")), Options{}, "DISPLAY=:0"))
		for a := range each(e.driversAlone()) {
			a.Result, a.Detail = ProbeFails, "list devices failed with VK_ERROR_INITIALIZATION_FAILED"
			e.addResult(a)
		}
		e.conclude()
		for _, f := range e.finish().Findings {
			if f.Code == DriverFails && (strings.Contains(f.Do, "--gpus all") != want || f.Because != nil) {
				t.Errorf("%s: %v because of %v: %s, %s", place, f.Severity, f.Because, f.What, f.Do)
			}
		}
	}
}

// NVIDIA's driver may use no device without its library for ray tracing, which is a package of its own on Debian (ValveSoftware/Dota-2 issue 2787).
func TestProbeWithoutAPartOfTheDriver(t *testing.T) {
	t.Parallel()
	const use = "using device 0 failed with VK_ERROR_INITIALIZATION_FAILED"
	for _, c := range []struct {
		detail, part string
		want         bool
	}{{use, "libnvidia-x.so", true}, {use, "libnvidia-rtcore.so.535.1", false}, {"list devices failed", "libnvidia-x.so", false}} {
		e := newEvidence(examine(t, card("0x10de", "nvidia", false, nvidia(t, "535.1"), file("etc/os-release", "ID=debian\n"), installedPackage("libglx-nvidia0", "1", "/x"),
			file("dev/nvidiactl", ""), file("dev/nvidia0", ""), file("dev/nvidia-modeset", ""), file(libraries+c.part, ""),
			file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))),
			Options{}, "DISPLAY=:0"))
		for a := range each(e.driversAlone()) {
			a.Result, a.Detail = ProbeFails, c.detail
			e.addResult(a)
		}
		if f := ofCodes(e.finish())[DriverFails]; strings.HasSuffix(f.Do, "apt install libnvidia-rtcore") != c.want {
			t.Errorf("%v: %+v", c, f)
		}
	}
}

// A driver that the host gives to a container is updated there (ublue-os/bazzite issue 4402).
func TestProbeOfAGivenDriver(t *testing.T) {
	t.Parallel()
	for devices, want := range map[string]string{"NVIDIA_VISIBLE_DEVICES=void": "The driver is the host's. There, ", "A=1": "Update or reinstall it, from where it came. "} {
		e := newEvidence(examine(t, card("0x10de", "nvidia", false, nvidia(t, "535.1"), file(".dockerenv", ""), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
			file("dev/nvidia-modeset", ""), file("usr/lib64/libnvidia-ml.so.535.1", ""), file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), Options{}, "DISPLAY=:0", devices))
		for a := range each(e.driversAlone()) {
			a.Result, a.Detail = ProbeFails, "list devices failed with VK_ERROR_INITIALIZATION_FAILED"
			e.addResult(a)
		}
		if f := ofCodes(e.finish())[DriverFails]; !strings.HasPrefix(f.Do, strings.TrimSpace(want)) {
			t.Errorf("%s: %s", devices, f.Do)
		}
	}
}

// A driver whose device has an obstacle fails: the obstacle is the only problem.
func TestProbeOfAnObstructedDriver(t *testing.T) {
	t.Parallel()
	nodes := join(file("dev/nvidiactl", ""), file("dev/nvidia0", ""))
	for because, files := range map[Kind]map[string]string{
		GPUNouveau:    card("0x10de", "nouveau", true, nvidia(t, "535.1")),
		GPUNoNode:     card("0x10de", "nvidia", false, nvidia(t, "535.1")),
		NvidiaVersion: card("0x10de", "nvidia", false, nvidia(t, "535.1"), nodes, file("sys/module/nvidia/version", "530.41.03")),
		nil:           card("0x10de", "nvidia", false, nvidia(t, "535.1"), nodes, file("sys/module/nvidia/version", "535.1")),
	} {
		files = join(files, file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")))
		e := newEvidence(examine(t, files, Options{}, "DISPLAY=:0"))
		for a := range each(e.driversAlone()) {
			a.Result, a.Detail = ProbeFails, "create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER"
			e.addResult(a)
		}
		e.conclude()
		for _, f := range e.finish().Findings {
			if f.Code == DriverFails && f.Because != because || f.Code != DriverFails && f.Severity == diag.Problem && f.Code != because {
				t.Errorf("%v: %v because of %v: %s", because, f.Code, f.Because, f.What)
			}
		}
	}
}

// A layer that ends programs is one problem with its undefined symbol. The first step is the variable that keeps it out of programs, or that no
// longer asks for it; its package is the second (flightlessmango/MangoHud issue 814).
func TestStepsAgainstALayer(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{"": "export NO_HUD=1. Update", "HUD": "unset HUD. Update"} {
		enables, environ := "", []string(nil)
		if variable != "" {
			enables, environ = `,"enable_environment":{"HUD":"1"}`, []string{"HUD=1"}
		}
		e := newEvidence(examine(t, desktop(t, file(implicit+"hud.json", layerOf("VK_LAYER_hud", "libhud.so", `,"disable_environment":{"NO_HUD":"1"}`+enables)),
			file(libraries+"libhud.so", library(t, "exports=vkGetInstanceProcAddr,vkNegotiateLoaderLayerInterfaceVersion imports=some_function")),
			file("etc/os-release", "ID=debian\n"), installedPackage("hud", "1", "/"+implicit+"hud.json")), Options{}, environ...))
		e.addResult(&alone{of: &e.Layers[0], Probe: Probe{Kind: "layer", Name: "VK_LAYER_hud", Manifest: "/" + implicit + "hud.json", Result: ProbeExits, Detail: "ended"}})
		e.conclude()
		for _, f := range e.finish().Findings {
			wrong := f.Code == LayerExits && (!strings.HasPrefix(f.Do, want) || !strings.Contains(f.Do, "apt install --reinstall hud") || !strings.Contains(f.What, "some_function"))
			if wrong || f.Code == LibrarySymbol && f.Because != LayerExits {
				t.Errorf("%v because of %v: %s: %s", f.Code, f.Because, f.What, f.Do)
			}
		}
	}
}

// The package of a missing loader lasts, and the change of a variable serves until it is installed (haosulab/SAPIEN issue 50).
func TestChangeUntilAPackage(t *testing.T) {
	t.Parallel()
	r := &Report{Findings: []Finding{}}
	f := r.add(LoaderMissing, loaderName, "", loaderless("", "/opt/vkloader/libvulkan.so.1"), nil).
		offer(fixing, explain.SetVariable("LD_LIBRARY_PATH", "/opt/vkloader"))
	f.outlast(shellAdvice("Run as root: ", "apt install libvulkan1"))
	e := examOf(r, &machine.Source{Machine: machine.Machine{Root: t.TempDir()}})
	if do := e.place(f.remedies[0]); do.text != "Run as root: apt install libvulkan1. Until then: export LD_LIBRARY_PATH=/opt/vkloader" || len(do.lines) != 2 || do.fixes {
		t.Errorf("%+v", do)
	}
}

// Two drivers of a device list it twice only if each of them lists a device.
func TestOneOfTwoDriversListsNone(t *testing.T) {
	t.Parallel()
	e := newEvidence(examine(t, desktop(t, file(icds+"amd_icd64.json", icd("amdvlk64.so", "")),
		file(libraries+"amdvlk64.so", library(t, "exports=vk_icdGetInstanceProcAddr"))), Options{}))
	if e.dropCovered(); !has(e.Findings, DeviceTwice) {
		t.Fatalf("%+v", e.Findings)
	}
	e.alone = e.driversAlone()
	e.alone[0].Result, e.alone[1].Result = ProbeOK, ProbeNoDevice
	if e.dropCovered(); has(e.Findings, DeviceTwice) {
		t.Errorf("%+v", e.Findings)
	}
}

// A driver of no known family and a known one list one device twice: without the first, programs see the device once
// (felixdoerre/primus_vk).
func TestWrapperOfADriverListsItsDevice(t *testing.T) {
	t.Parallel()
	e := newEvidence(examine(t, desktop(t, file(icds+"wrapper.json", icd("libwrapper.so.1", "")),
		file(libraries+"libwrapper.so.1", library(t, "exports=vk_icdGetInstanceProcAddr"))), Options{}))
	card := probe.Device{Name: "card", VendorID: 0x1002, DeviceID: 0x1234, PCI: "0000:01:00.0", Type: vk.Discrete}
	e.alone = e.driversAlone()
	for i := range e.alone {
		e.alone[i].Result, e.alone[i].saw = ProbeOK, &probe.Result{Devices: []probe.Device{card}}
	}
	e.Devices = []probe.Device{card, card}
	e.addTwice()
	f := find(e.Findings, func(f *Finding) bool { return f.Code == DeviceTwice })
	if f == nil || !strings.Contains(f.remedy().text, "VK_LOADER_DRIVERS_DISABLE=wrapper.json") {
		t.Fatalf("%+v", e.Findings)
	}
	count := len(e.Findings)
	e.alone[0].Result = ProbeNoDevice
	if e.Findings = nil; count != 1 {
		t.Errorf("%d findings", count)
	}
	if e.addTwice(); len(e.Findings) > 0 {
		t.Errorf("%+v", e.Findings)
	}
}

// A driver for an absent device fails. The one for programs of the other word size is left out with it.
func TestTwinOfABrokenDriverIsLeftOut(t *testing.T) {
	t.Parallel()
	for vendor, want := range map[string]string{"0x10de": "amd_icd32.json,amd_icd64.json", "0x1002": "amd_icd64.json"} {
		files := card(vendor, map[string]string{"0x10de": "nvidia", "0x1002": "amdgpu"}[vendor], true, lavapipe(t),
			file(icds+"amd_icd32.json", icd("/usr/lib32/amdvlk32.so", "")), file(icds+"amd_icd64.json", icd("amdvlk64.so", "")),
			file(libraries+"amdvlk64.so", library(t, "exports=vk_icdGetInstanceProcAddr")),
			file("usr/lib32/amdvlk32.so", library(t, "class=32 machine=i386 exports=vk_icdGetInstanceProcAddr")))
		e := newEvidence(examine(t, files, Options{}))
		e.alone = e.driversAlone()
		var broken *Entry
		for i := range e.alone {
			if a := &e.alone[i]; a.Name == "amd_icd64.json" {
				a.Result, broken = ProbeFails, a.of
			}
		}
		if c, ok := e.leaveOutBroken(broken); !ok || c.Value != want {
			t.Errorf("%s: %v, %+v", vendor, ok, c)
		}
	}
}

// NVIDIA's driver lists its device without the node for shared memory, and Direct3D 12 fails.
func TestNodeOfSharedMemory(t *testing.T) {
	t.Parallel()
	files := card("0x10de", "nvidia", false, nvidia(t, "515.49"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
		file("proc/modules", "nvidia_drm 1 2 - Live 0x0\nnvidia 1 2 - Live 0x0\n"))
	for _, there := range []bool{false, true} {
		if there {
			files["proc/modules"] += "nvidia_uvm 1 2 - Live 0x0\n"
		}
		for program, want := range map[string]diag.Severity{"": diag.Note, "/usr/bin/vkcube": diag.Note, "/opt/proton/wine64": diag.Warning} {
			e := newEvidence(examine(t, files, Options{}))
			e.source.Program = program
			e.alone, e.Devices = e.driversAlone(), []probe.Device{{Name: "card", Type: vk.Discrete}}
			e.alone[0].Result, e.alone[0].saw = ProbeOK, &probe.Result{Devices: e.Devices}
			e.addLimited()
			f := find(e.Findings, func(f *Finding) bool { return f.Code == DeviceLimited })
			if there != (f == nil) || f != nil && (f.Severity != want || !f.Shown() || f.remedy().text != "Run as root: nvidia-modprobe -u -c=0") {
				t.Errorf("%q, %v: %+v", program, there, f)
			}
		}
	}
}

// A machine whose drivers all fail: that no driver exists for one of its devices is shown, which is a note.
func TestDeviceWithoutVulkanBesideABrokenDriver(t *testing.T) {
	t.Parallel()
	r := examine(t, desktop(t, file("sys/bus/pci/devices/0000:02:00.0/class", "0x030000\n"), file("sys/bus/pci/devices/0000:02:00.0/vendor", "0x10de\n"),
		file("sys/bus/pci/devices/0000:02:00.0/device", "0x0def\n"), file("sys/bus/pci/devices/0000:02:00.0/driver", "-> ../../drivers/nvidia")), Options{})
	shown := func(r *Report) bool {
		return contains(r.Findings, func(f *Finding) bool { return f.Code == GPUNoVulkan && f.Shown() })
	}
	if !has(r.Findings, GPUNoVulkan) || shown(r) {
		t.Fatalf("%+v", r.Findings)
	}
	if r, _ = attempted(t, r, `echo '{"event":"end"}'; exit 1`, Tries{}); !shown(r) {
		t.Errorf("%+v", r.Findings)
	}
}

// A driver whose library cannot be loaded fails. The library is the problem, or a note if the driver's device is absent. A
// driver for the other word size is not tried.
func TestProbeOfWhatCannotLoad(t *testing.T) {
	t.Parallel()
	gone := join(file(icds+"intel_icd.json", icd("libvulkan_intel.so", "")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")))
	small := join(file(icds+"radeon_icd.i686.json", icd("/usr/lib/i386-linux-gnu/libvulkan_radeon.so", "")),
		file("usr/lib/i386-linux-gnu/libvulkan_radeon.so", library(t, "class=32 machine=i386 exports=vk_icdGetInstanceProcAddr")),
		file("usr/lib/i386-linux-gnu/libvulkan.so.1", library(t, "class=32 machine=i386 exports=vkCreateInstance")))
	needs := file(libraries+"libvulkan_intel.so", library(t, "needed=libz.so.1 exports=vk_icdGetInstanceProcAddr"))
	for _, c := range []struct {
		name    string
		files   map[string]string
		tried   int
		verdict string
	}{
		{"a library that is gone", join(lavapipe(t), gone), 2, "1 problem: intel_icd.json: libvulkan_intel.so is in no directory"},
		{"a library that needs another", join(lavapipe(t), gone, needs), 2, "1 problem: intel_icd.json: /usr/lib/x86_64-linux-gnu/libvulkan_intel.so needs libz.so.1"},
		{"a leftover of another card", desktop(t, gone), 2, "; no problems found"},
		{"the other word size", desktop(t, small), 1, "; no problems found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := examine(t, c.files, Options{})
			e := newEvidence(report)
			if e.Tried, e.alone = true, report.driversAlone(); len(e.alone) != c.tried {
				t.Fatalf("%d drivers are tried, want %d", len(e.alone), c.tried)
			}
			for i := range e.alone {
				if e.alone[i].Result = ProbeOK; e.alone[i].Name == "intel_icd.json" {
					e.alone[i].Result, e.alone[i].Detail = ProbeFails, "create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER"
				}
				e.addResult(&e.alone[i])
			}
			e.conclude()
			if report = e.finish(); !strings.Contains(withFirst(report), c.verdict) || strings.Contains(report.Verdict, "Broken") {
				t.Errorf("verdict %q, want %q", report.Verdict, c.verdict)
			}
		})
	}
}

// withFirst returns the verdict and the first finding of a report.
func withFirst(r *Report) string {
	if len(r.Findings) == 0 {
		return r.Verdict
	}
	return r.Verdict + ": " + Headed(r.Findings[0].Subject, r.Findings[0].What)
}

// A driver that crashes and whose device is absent is removed with its package, unless the package has other drivers.
func TestRemovalOfDriver(t *testing.T) {
	t.Parallel()
	for others, want := range map[string]string{"": "If this machine never has a device for it, remove the driver. Run as root: pacman -R vulkan-intel. " +
		"Otherwise: export VK_LOADER_DRIVERS_DISABLE=intel_icd.json", "usr/share/vulkan/icd.d/radeon_icd.json\n": "export VK_LOADER_DRIVERS_DISABLE=intel_icd.json"} {
		report := examine(t, desktop(t, join(file("etc/os-release", "ID=arch\n"), file(icds+"intel_icd.json", icd("libvulkan_intel.so", "")),
			file(libraries+"libvulkan_intel.so", library(t, "exports=vk_icdGetInstanceProcAddr")), file("var/lib/pacman/local/vulkan-intel-1-1/desc", "%NAME%\nvulkan-intel\n"),
			file("var/lib/pacman/local/vulkan-intel-1-1/files", "%FILES%\nusr/share/vulkan/icd.d/intel_icd.json\n"+others))), Options{})
		e := newEvidence(report)
		e.Tried, e.alone = true, report.driversAlone()
		for i := range e.alone {
			if e.alone[i].Result = ProbeOK; e.alone[i].Name == "intel_icd.json" {
				e.alone[i].Result = ProbeCrashes
			}
			e.addResult(&e.alone[i])
		}
		e.conclude()
		if f := find(e.finish().Findings, func(f *Finding) bool { return f.Code == DriverCrashes }); f == nil || f.Do != want {
			t.Errorf("%+v, want %q", f, want)
		}
	}
}

// A driver that does not know the device is updated. It is never disabled alone where only the CPU stays (mudler/LocalAI issue 7327).
func TestDriverThatFailsForItsDevice(t *testing.T) {
	t.Parallel()
	const unknown = "amdgpu: unknown (family_id, chip_external_rev): (150, 193)"
	image, strix := file(".dockerenv", ""), file("sys/bus/pci/devices/0000:01:00.0/device", "0x1586\n")
	for _, c := range []struct {
		files map[string]string
		wrote string
		want  string
	}{
		{join(image, strix), unknown, "The driver does not know the device. Use an image of a release with Mesa 24.1 or newer."},
		{image, unknown, "The driver does not know the device. The image's driver may be older than the device"},
		{strix, unknown, "The driver does not know the device. Update the system to a release with Mesa 24.1 or newer."},
		{nil, unknown, "The driver does not know the device. Update the driver"},
		{nil, "", "Update or reinstall it, from where it came. To compute on the CPU until then: export VK_LOADER_DRIVERS_DISABLE=radeon_icd.json"},
	} {
		report := examine(t, join(desktop(t, file(icds+"lvp_icd.json", icd("libvulkan_lvp.so", "")),
			file(libraries+"libvulkan_lvp.so", library(t, "exports=vk_icdGetInstanceProcAddr"))), c.files), Options{})
		e := newEvidence(report)
		e.Tried, e.alone = true, report.driversAlone()
		for i := range e.alone {
			if e.alone[i].Result = ProbeOK; e.alone[i].Name == "radeon_icd.json" {
				e.alone[i].Result, e.alone[i].Wrote = ProbeFails, []string{c.wrote}
			}
			e.addResult(&e.alone[i])
		}
		e.conclude()
		if f := find(e.finish().Findings, func(f *Finding) bool { return f.Code == DriverFails }); f == nil || !strings.HasPrefix(f.Do, c.want) {
			t.Errorf("%+v, want %q", f, c.want)
		}
	}
}

// A device without a driver is one problem. The failure of its vendor's driver for newer chips follows from it, and so does that of a layer
// that shows the images of one device with another (ValveSoftware/Proton issue 6108, felixdoerre/primus_vk issue 34).
func TestFailuresForWantOfADriver(t *testing.T) {
	t.Parallel()
	fermi := examine(t, card("0x10de", "nvidia", false, nvidia(t, "390.1"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""), file("sys/module/nvidia/version", "390.1"),
		file("sys/bus/pci/devices/0000:01:00.0/device", "0x0de1\n"), file(libraries+"libnvidia-glvkspirv.so.390.1", library(t, "exports=x"))), Options{}, "DISPLAY=:0")
	laptop := desktop(t, file(implicit+"primus.json", layerOf("VK_LAYER_PRIMUS_PrimusVK", "libprimus.so", `,"enable_environment":{"ON":"1"},"disable_environment":{"OFF":"1"}`)),
		file(libraries+"libprimus.so", library(t, "exports=vkGetInstanceProcAddr,vkNegotiateLoaderLayerInterfaceVersion")))
	delete(laptop, icds+"radeon_icd.json")
	delete(laptop, libraries+"libvulkan_radeon.so")
	hybrid := examine(t, laptop, Options{}, "ON=1")
	for because, r := range map[Code]*Report{GPUNoVulkan: fermi, GPUNoDriver: hybrid} {
		e := newEvidence(r)
		for a := range each(e.driversAlone()) {
			a.Result, a.Detail = ProbeFails, "list devices failed with VK_ERROR_INITIALIZATION_FAILED"
			e.addResult(a)
		}
		for m := range each(e.Layers) {
			e.addResult(&alone{of: m, Probe: Probe{Kind: "layer", Name: m.Name, Manifest: m.Manifest, Result: ProbeFails, Detail: "create instance failed"}})
		}
		e.conclude()
		failures := 0
		for _, f := range e.finish().Findings {
			if f.Code == DriverFails || f.Code == LayerFails {
				if failures++; f.Because != because {
					t.Errorf("%v because of %v, want %v", f.Code, f.Because, because)
				}
			}
		}
		if failures != 1 {
			t.Errorf("%v: %d failures", because, failures)
		}
	}
}

// Drivers that fail are left out by one change. For a loader without filters, it names the manifests of the others, and those for programs of
// the other word size stay.
func TestBrokenDriversAreLeftOut(t *testing.T) {
	t.Parallel()
	for loader, want := range map[string]string{
		"libvulkan.so.1.3.239": "export VK_LOADER_DRIVERS_DISABLE=amd_icd64.json,pro_icd64.json",
		"libvulkan.so.1.2.162": "export VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/radeon_icd.i686.json:/usr/share/vulkan/icd.d/radeon_icd.json",
	} {
		files := desktop(t, file(icds+"amd_icd64.json", icd("amdvlk64.so", "")), file(libraries+"amdvlk64.so", library(t, "exports=vk_icdGetInstanceProcAddr")),
			file(icds+"pro_icd64.json", icd("amdvlkpro64.so", "")), file(libraries+"amdvlkpro64.so", library(t, "exports=vk_icdGetInstanceProcAddr")),
			file(icds+"radeon_icd.i686.json", icd("/usr/lib/i386-linux-gnu/libvulkan_radeon.so", "")),
			file("usr/lib/i386-linux-gnu/libvulkan_radeon.so", library(t, "class=32 machine=i386 exports=vk_icdGetInstanceProcAddr")),
			file(libraries+loader, library(t, "soname=libvulkan.so.1 exports=vkCreateInstance,vkEnumerateInstanceVersion")))
		delete(files, libraries+"libvulkan.so.1")
		root := t.TempDir()
		tree.Lay(t, root, files)
		if err := os.Symlink(loader, filepath.Join(root, libraries, "libvulkan.so.1")); err != nil {
			t.Fatal(err)
		}
		e := newEvidence(examineRoot(t, root, Options{}))
		e.alone = e.driversAlone()
		for i := range e.alone {
			e.alone[i].Result = term.Either(e.alone[i].Name == "radeon_icd.json", ProbeOK, ProbeFails)
		}
		broken := find(e.Drivers, func(m *Entry) bool { return m.Name == "amd_icd64.json" })
		if c, _ := e.leaveOutBroken(broken); string(c.Line()) != want {
			t.Errorf("%s: %q, want %q", loader, c.Line(), want)
		}
	}
}

// A driver that a trial finds working is not broken by its files (a part that it opens at run time is not there).
func TestTrialDecidesStanding(t *testing.T) {
	t.Parallel()
	m := Entry{}
	m.Standing = standing.Standing{Stage: standing.Chosen, But: "it opens a library at run time"}
	a := alone{of: &m, Probe: Probe{Kind: "driver", Result: ProbeOK}}
	if a.setStanding(); !m.Good || m.Stage != standing.ShowsDevices || m.But != "" {
		t.Errorf("%+v", m)
	}
}

// Where a variable excludes the card's driver and a software renderer is left, programs get Vulkan.
func TestVerdictWithTheRendererLeft(t *testing.T) {
	t.Parallel()
	r := examine(t, desktop(t, lavapipe(t)), Options{}, "VK_LOADER_DRIVERS_DISABLE=radeon_icd.json")
	if strings.Contains(r.Verdict, "no program") || !strings.HasPrefix(r.Verdict, "VK_LOADER_DRIVERS_DISABLE excludes ") {
		t.Error(r.Verdict)
	}
}

// A driver that lists one of two cards does not serve the other (GPUOpen-Drivers/AMDVLK issue 401), also if it tells no
// address.
func TestDriverListsOneOfTwoCards(t *testing.T) {
	t.Parallel()
	r := &Report{Tried: true, Works: true}
	for address, device := range map[string]string{"0000:03:00.0": "0x7550", "0000:0c:00.0": "0x164e"} {
		r.GPUs = append(r.GPUs, GPU{GPU: discover.GPU{Name: address, Vendor: "0x1002", Device: device, Kernel: "amdgpu", Drivers: []string{"/d"}, Nodes: []string{"/n"}}})
	}
	slices.SortFunc(r.GPUs, func(a, b GPU) int { return strings.Compare(a.Name, b.Name) })
	r.Devices = []probe.Device{{Name: "AMD Radeon Graphics", VendorID: 0x1002, DeviceID: 0x164e}}
	r.Probes = []Probe{{Kind: "driver", Result: ProbeOK, Manifest: "/d", devices: r.Devices}}
	if first, second := r.unmet(&r.GPUs[0]), r.unmet(&r.GPUs[1]); !strings.Contains(first, "does not list it") || second != "" {
		t.Errorf("%q, %q", first, second)
	}
}
