package doctor

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/standing"
	"vkloader/test/lib/binary"
	"vkloader/test/lib/tree"
)

// twoCards lays out an AMD card that is awake and an Intel card that is off to save power.
func twoCards(t *testing.T) map[string]string {
	t.Helper()
	at := "sys/bus/pci/devices/0000:03:00.0/"
	return desktop(t, map[string]string{at + "class": "0x030000\n", at + "vendor": "0x8086\n", at + "device": "0x5678\n",
		at + "driver": "-> ../../drivers/i915", at + "power/runtime_status": "suspended\n",
		"sys/class/drm/renderD129/device": "-> ../../../bus/pci/devices/0000:03:00.0", "dev/dri/renderD129": "",
		icds + "intel_icd.json":          icd("libvulkan_intel.so", ""),
		libraries + "libvulkan_intel.so": library(t, "soname=libvulkan_intel.so exports=vk_icdGetInstanceProcAddr")})
}

// attempted tries a report's drivers and layers with a shell script as the child process, and returns the report with the
// results and the variables of each child.
func attempted(t *testing.T, report *Report, script string, how Tries) (*Report, []string) {
	t.Helper()
	directory := t.TempDir()
	log, child := filepath.Join(directory, "log"), filepath.Join(directory, "probe")
	script = "#!/bin/sh\nexec 1>&3 3>&-\necho \"$VK_DRIVER_FILES;$VK_LOADER_DRIVERS_DISABLE\" >>" + log + "\n" + script
	if err := binary.WriteProgram(child, []byte(script)); err != nil {
		t.Fatal(err)
	}
	how.At, how.Environ = probe.Companions{Child: child, Library: "none"}, []string{"PATH=" + os.Getenv("PATH")}
	if how.Limit == 0 {
		how.Limit = time.Minute
	}
	report, err := report.Try(context.Background(), how)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return report, strings.Split(strings.TrimSpace(string(lines)), "\n")
}

const fineDevice = `echo '{"event":"device","index":0,"name":"card"}'; echo '{"event":"end"}'`

// A driver whose device sleeps is not loaded, alone or with others, unless the user asks for it. Untried drivers are not
// said to work.
func TestSleepersSleep(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	report, all := attempted(t, examine(t, twoCards(t), Options{}), fineDevice, Tries{})
	for _, had := range all {
		if files, off, _ := strings.Cut(had, ";"); strings.Contains(files, "intel") || files == "" && off != "intel_icd.json" {
			t.Errorf("a child had %q", had)
		}
	}
	want := "1 device works; Intel graphics (8086:5678) sleeps; no problems found"
	if report.Verdict != want {
		t.Errorf("%q", report.Verdict)
	}
	report, had := attempted(t, examine(t, twoCards(t), Options{}), fineDevice, Tries{Wake: true})
	if len(had) != 3 || !strings.Contains(strings.Join(had, " "), "intel_icd.json;") {
		t.Errorf("with Wake: %q", had)
	}
	if strings.Contains(report.Verdict, "not tried") {
		t.Errorf("with Wake: %q", report.Verdict)
	}
}

// Children that still run at the end of the context are named in the verdict, which does not claim that they work.
func TestStillTried(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	report := examine(t, desktop(t), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	child := filepath.Join(t.TempDir(), "probe")
	if err := binary.WriteProgram(child, []byte("#!/bin/sh\nexec sleep 600\n")); err != nil {
		t.Fatal(err)
	}
	cancel()
	report, err := report.Try(ctx, Tries{At: probe.Companions{Child: child}, Environ: []string{"PATH=" + os.Getenv("PATH")}, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"has a driver", "2 unfinished trials"} {
		if !strings.Contains(report.Verdict, want) {
			t.Errorf("no %q in %q", want, report.Verdict)
		}
	}
}

// Drivers that work alone and fail together, with no driver or layer to exclude, are one problem.
func TestTogetherFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	report, _ := attempted(t, examine(t, desktop(t), Options{}), `echo '{"event":"begin","phase":"load","round":1}'; [ -z "$VK_DRIVER_FILES" ] && kill -SEGV $$`+"\n"+fineDevice, Tries{})
	if want := "Broken: drivers and layers together fail; 1 problem"; report.Verdict != want {
		t.Errorf("%q", report.Verdict)
	}
}

// A driver for an absent device with which the loader gives up is a problem, and the only culprit.
func TestAbsentDriverThatEndsPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	driver := library(t, "exports=vk_icdGetInstanceProcAddr")
	report, _ := attempted(t, examine(t, pci("0x8086", "0x1912", "i915", file(icds+"intel_icd.json", icd("libvulkan_intel.so", "")),
		file(icds+"amd_icd64.json", icd("amdvlk64.so", "")), file(libraries+"libvulkan.so.1", library(t, "soname=libvulkan.so.1 exports=vkCreateInstance release=0.9.0")),
		file(libraries+"libvulkan_intel.so", driver), file(libraries+"amdvlk64.so", driver),
		file("sys/class/drm/renderD128/device", "-> ../../../bus/pci/devices/0000:01:00.0"), file("dev/dri/renderD128", "")), Options{}),
		"case $VK_DRIVER_FILES$VK_LOADER_DRIVERS_DISABLE in ''|*/amd_icd64.json|intel_icd.json)\n"+
			`echo '{"event":"done","phase":"create instance","round":1,"us":1,"result":-1}'; echo '{"event":"end"}'; exit 1`+"\n;; esac\n"+fineDevice, Tries{})
	if want := "Broken: amd_icd64.json makes programs fail; 1 problem"; report.Verdict != want {
		t.Errorf("%q", report.Verdict)
	}
	for _, f := range report.Findings {
		if f.Path == "/"+icds+"amd_icd64.json" && f.Code != TogetherFails || f.Code == TogetherFails && f.Do != "export VK_LOADER_DRIVERS_DISABLE=amd_icd64.json" {
			t.Errorf("%s %s: %s", f.Code, f.What, f.Do)
		}
	}
	if m := report.driverAt("/" + icds + "amd_icd64.json"); m.State(m.Used) != standing.Broken {
		t.Errorf("%+v", m.Standing)
	}
}

// A driver for an absent device that ends its program has one finding, a problem. The note about idle drivers names the others only.
func TestAbsentDriverIsJudgedOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	for end, code := range map[string]Code{"kill -SEGV $$": DriverCrashes, "kill -ABRT $$": DriverCrashes, "exit 0": DriverExits} {
		driver := library(t, "exports=vk_icdGetInstanceProcAddr")
		report, _ := attempted(t, examine(t, pci("0x8086", "0x1912", "i915", file(icds+"intel_icd.json", icd("libvulkan_intel.so", "")),
			file(icds+"radeon_icd.json", icd("libvulkan_radeon.so", "")), file(icds+"panfrost_icd.json", icd("libvulkan_panfrost.so", "")),
			file(libraries+"libvulkan_panfrost.so", driver), file(libraries+"libvulkan_intel.so", driver), file(libraries+"libvulkan_radeon.so", driver),
			file(libraries+"libvulkan.so.1", library(t, "soname=libvulkan.so.1 exports=vkCreateInstance release=0.9.0")),
			file("sys/class/drm/renderD128/device", "-> ../../../bus/pci/devices/0000:01:00.0"), file("dev/dri/renderD128", "")), Options{}),
			"case $VK_DRIVER_FILES$VK_LOADER_DRIVERS_DISABLE in ''|*/radeon_icd.json|intel_icd.json|panfrost_icd.json)\n"+
				`echo '{"event":"begin","phase":"create instance","round":1}'; `+end+"\n;; esac\n"+fineDevice, Tries{})
		var about []string
		for _, f := range report.Findings {
			if strings.Contains(f.Subject+f.Path, "radeon_icd.json") {
				about = append(about, f.Severity.String()+" "+f.Code.String())
			}
		}
		if want := []string{"problem " + code.String()}; !slices.Equal(about, want) {
			t.Errorf("%s: %q, not %q", end, about, want)
		}
		if idle := ofCodes(report)[DriverIdle]; idle.Subject != "panfrost_icd.json" || idle.Do != "To start faster: export VK_LOADER_DRIVERS_DISABLE=panfrost_icd.json" {
			t.Errorf("%s: %+v", end, idle)
		}
		if m := report.driverAt("/" + icds + "radeon_icd.json"); m == nil || m.State(m.Used) != standing.Broken || !strings.HasPrefix(report.Verdict, "Broken: radeon_icd.json") {
			t.Errorf("%s: %+v, %s %+v", end, m, report.Verdict, report.Drivers)
		}
	}
}

// A driver that does not list its device is one problem of the device, and no problem if another driver lists it. Debian
// installs two drivers for Intel's chips, and each machine needs one.
func TestDriverWithoutItsDevice(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	intel := func(chip string) *Report {
		driver := library(t, "exports=vk_icdGetInstanceProcAddr")
		return examine(t, pci("0x8086", chip, "i915", file(icds+"intel_icd.json", icd("libvulkan_intel.so", "")),
			file(icds+"intel_hasvk_icd.json", icd("libvulkan_intel_hasvk.so", "")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")),
			file(libraries+"libvulkan_intel.so", driver), file(libraries+"libvulkan_intel_hasvk.so", driver),
			file("sys/class/drm/renderD128/device", "-> ../../../bus/pci/devices/0000:01:00.0"), file("dev/dri/renderD128", "")), Options{})
	}
	const empty = `echo '{"event":"done","phase":"list devices","round":1,"us":1,"result":0}'; echo '{"event":"end"}'; exit 1`
	const skylake, haswell, unknown = "0x1912", "0x0412", "0xfff0"
	for _, c := range []struct{ name, chip, silent, verdict string }{
		{"the other one is for older chips", skylake, "hasvk", "works; no problems found"},
		{"the other one is for younger chips", haswell, "intel_icd", "works"},
		{"an unknown chip", unknown, "hasvk", "works; no problems found"},
		{"neither lists it", skylake, "icd", "1 problem: intel_icd.json: it works, but does not list Intel graphics (Skylake to Comet Lake)"},
		{"neither lists an unknown chip", unknown, "icd", "1 problem: intel_"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report, _ := attempted(t, intel(c.chip), "case $VK_DRIVER_FILES in ''|*"+c.silent+"*) if [ -n \"$VK_DRIVER_FILES\" ] || [ "+c.silent+" = icd ]; then\n"+empty+
				"\nfi;; esac\n"+fineDevice, Tries{})
			if !strings.Contains(withFirst(report), c.verdict) {
				t.Errorf("%q is not in %q", c.verdict, report.Verdict)
			}
			if not := "not tried"; strings.Contains(report.Verdict, not) {
				t.Errorf("%q in %q", not, report.Verdict)
			}
		})
	}
}

// A node that cannot be opened, although its permissions allow it, is why the driver lists no device: the driver needs no update. Sandboxes
// refuse nodes, and a node may be of a device that is gone, as a socket is here.
func TestNodeThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	root := t.TempDir()
	tree.Lay(t, root, pci("0x8086", "0x1912", "i915", file(icds+"intel_icd.json", icd("libvulkan_intel.so", "")),
		file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")), file(libraries+"libvulkan_intel.so", library(t, "exports=vk_icdGetInstanceProcAddr")),
		file("sys/class/drm/renderD128/device", "-> ../../../bus/pci/devices/0000:01:00.0")))
	if err := os.Remove(root + "/dev/dri/renderD128"); err != nil {
		t.Fatal(err)
	}
	node, err := net.Listen("unix", root+"/dev/dri/renderD128")
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	report, _ := attempted(t, examineRoot(t, root, Options{}), `echo '{"event":"done","phase":"list devices","round":1,"us":1,"result":0}'; echo '{"event":"end"}'; exit 1`, Tries{})
	if got := withFirst(report); !strings.Contains(got, "1 problem: Intel graphics (Skylake to Comet Lake): /dev/dri/renderD128 cannot be opened") {
		t.Error(got)
	}
}

// If the only driver of a device ends programs, they work without it on the CPU, until its package is fixed (microsoft/wslg issue 1492).
func TestOnlyDriverThatEndsPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	report, _ := attempted(t, examine(t, desktop(t, file("etc/os-release", "ID=debian\n"), file(icds+"lvp_icd.json", icd("libvulkan_lvp.so", "")),
		file(libraries+"libvulkan_lvp.so", library(t, "exports=vk_icdGetInstanceProcAddr")), installedPackage("mesa-vulkan-drivers", "1", "/"+icds+"radeon_icd.json")), Options{}),
		`case "$VK_DRIVER_FILES$VK_LOADER_DRIVERS_DISABLE" in ''|*/radeon_icd.json) echo '{"event":"begin","phase":"create instance","round":1}'; kill -ABRT $$;; esac; `+
			fineDevice, Tries{})
	if f := ofCodes(report)[DriverCrashes]; f.Do != "export VK_LOADER_DRIVERS_DISABLE=radeon_icd.json" {
		t.Errorf("%+v", report.Findings)
	}
}

// A device with Vulkan 1.0 is too old for most programs, if its driver could offer more.
func TestDeviceOfAnOldVersion(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	for driver, want := range map[string]bool{"1.1.107": true, "1.0.61": false} {
		report, _ := attempted(t, examine(t, desktop(t, file(icds+"radeon_icd.json", strings.Replace(icd("libvulkan_radeon.so", ""), "1.3.0", driver, 1))), Options{}),
			`echo '{"event":"device","index":0,"name":"card","type":2,"api_version":4194365,"library":"/`+libraries+`libvulkan_radeon.so"}'; echo '{"event":"end"}'`, Tries{})
		if f, is := ofCodes(report)[DeviceOldVersion]; is != want || is && (!f.Shown() || !strings.Contains(f.What, "Vulkan 1.0.61, and up to 1.1.107")) {
			t.Errorf("%s: %v: %+v", driver, is, report.Findings)
		}
	}
}

// Wine's usual Direct3D needs Vulkan 1.3: a note for Wine alone, if no device offers it.
func TestDeviceThatIsTooOldForWine(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	update, choose := "Update the driver", "Use DXVK 1.10, which requires Vulkan 1.1"
	for _, c := range []struct{ program, api, device, do string }{
		{"/usr/lib/wine/wine64", "4202627", "29631", update}, {"/usr/lib/wine/wine64", "4206592", "29631", ""},
		{"/usr/bin/vkcube", "4202627", "29631", ""},
		{"/usr/lib/wine/wine64", "4202627", "1054", choose}, // Haswell (ValveSoftware/Proton issue 7051)
		{"/steam/Proton - Experimental/files/bin/wine64", "4202627", "29631", update},
		{"/steam/Proton 5.0/dist/bin/wine64", "4202627", "29631", ""}, // its DXVK needs 1.1 (ValveSoftware/Proton issue 3585)
	} {
		r := examine(t, desktop(t), Options{})
		r.source.Program = c.program
		vendor := map[bool]string{true: "32902", false: "4098"}[c.device == "1054"]
		report, _ := attempted(t, r, `echo '{"event":"device","index":0,"name":"card","type":2,"vendor_id":`+vendor+`,"device_id":`+c.device+
			`,"api_version":`+c.api+`}'; echo '{"event":"end"}'`, Tries{})
		if f, is := ofCodes(report)[ProgramNeeds]; is != (c.do != "") || is && (!f.Shown() || !strings.HasPrefix(f.Do, c.do)) {
			t.Errorf("%s, %s: %v: %+v", c.program, c.api, is, report.Findings)
		}
	}
}

// An obstacle of a device that the trial lists is a note: NVIDIA's driver makes its missing nodes when root opens it.
func TestObstacleOfAListedDevice(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	report, _ := attempted(t, examine(t, card("0x10de", "nvidia", false, nvidia(t, "535.1"),
		file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))),
		Options{}, "DISPLAY=:0"), fineDevice, Tries{})
	if f := ofCodes(report)[GPUNoNode]; f.Severity != diag.Note || !strings.Contains(withFirst(report), "works; no problems found") {
		t.Errorf("%v: %q", f, withFirst(report))
	}
}

// Variables with which programs choose devices are examined against the list of the trial, of which each must leave one.
func TestDeviceFilters(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]string{
		"DXVK_FILTER_DEVICE_NAME=GTX 1070": "no listed device matches GTX 1070: programs with DXVK get no device",
		"DXVK_FILTER_DEVICE_NAME=RX 7800":  "", "GGML_VK_VISIBLE_DEVICES=0,4": "", "GGML_VK_VISIBLE_DEVICES=2, 3": "no listed device matches 2, 3",
	} {
		e := newEvidence(examine(t, desktop(t), Options{}, environ))
		e.Devices = []probe.Device{{Name: "AMD Radeon RX 7800 XT"}, {Name: "llvmpipe"}}
		e.addDeviceFilters()
		got := ""
		for _, f := range e.Findings {
			if f.Code == VariableHides {
				got = f.fact.say()
			}
		}
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", environ, got)
		}
	}
}

// A device is without windows if its driver or the programs' loader lacks an extension for the session's windows.
func TestDevicesWithoutWindows(t *testing.T) {
	t.Parallel()
	const both = "WAYLAND_DISPLAY=wayland-0 DISPLAY=:0"
	for _, c := range []struct {
		environ, instance, device, want string
		severity                        diag.Severity
	}{
		{"DISPLAY=:5", "VK_KHR_xcb_surface", "VK_KHR_swapchain", "the X server of DISPLAY=:5 does not offer DRI3", diag.Warning},
		{"DISPLAY=:5 WAYLAND_DISPLAY=w", "VK_KHR_xcb_surface", "VK_KHR_swapchain", "its driver does not offer VK_KHR_wayland_surface", diag.Note},
		{"", "", "VK_KHR_maintenance1", "", 0},
		{"DISPLAY=:0", "VK_KHR_xlib_surface", "VK_KHR_swapchain", "", 0},
		{"DISPLAY=:0", "VK_KHR_xlib_surface", "VK_KHR_maintenance1", "its driver does not offer VK_KHR_swapchain", diag.Warning},
		{"DISPLAY=:0", "VK_KHR_wayland_surface", "VK_KHR_swapchain", "its driver does not offer VK_KHR_xcb_surface", diag.Warning},
		{both, "VK_KHR_xcb_surface", "VK_KHR_swapchain", "its driver does not offer VK_KHR_wayland_surface", diag.Note},
		{both, "VK_KHR_surface", "VK_KHR_swapchain", "its driver does not offer VK_KHR_wayland_surface and VK_KHR_xcb_surface", diag.Warning},
	} {
		e := newEvidence(examine(t, desktop(t), Options{}, strings.Fields(c.environ)...))
		e.alone = []alone{{Probe: Probe{Result: ProbeOK}, saw: &probe.Result{Extensions: []probe.Extension{{Name: c.instance}},
			Devices: []probe.Device{{Name: "AMD Radeon RX 7800 XT", Extensions: []string{c.device}}}}}}
		e.withoutDRI3 = strings.HasPrefix(c.environ, "DISPLAY=:5")
		e.windowless()
		got, severity := "", diag.Severity(0)
		for _, f := range e.Findings {
			if f.Code == DeviceWindowless {
				got, severity = f.fact.say(), f.Severity
			}
		}
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) || severity != c.severity {
			t.Errorf("%s: %q, %v", c.environ, got, severity)
		}
	}
}

// A line of the X server's configuration that turns DRI3 off is named (ValveSoftware/Proton issue 3585).
func TestServerWithoutDRI3(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Section \"Device\"\n  Driver \"intel\"\n  Option \"DRI\" \"2\"\nEndSection\n": "/etc/X11/xorg.conf.d/20-intel.conf, line 3, turns DRI3 off",
		"Driver \"intel\"\n# Option \"DRI\" \"2\"\nOption \"DRI\" \"3\"\n": "the X server of DISPLAY=:0 does not offer DRI3", "Driver \"modesetting\"\nOption \"DRI\" \"2\"\n": "the X server"} {
		e := newEvidence(examine(t, desktop(t, file("etc/X11/xorg.conf.d/20-intel.conf", text)), Options{}, "DISPLAY=:0"))
		e.alone = []alone{{Probe: Probe{Result: ProbeOK}, saw: &probe.Result{Extensions: []probe.Extension{{Name: "VK_KHR_xcb_surface"}},
			Devices: []probe.Device{{Name: "card", Extensions: []string{"VK_KHR_swapchain"}}}}}}
		e.withoutDRI3, e.olderDRI = true, e.lineOfDRI()
		e.windowless()
		at := slices.IndexFunc(e.Findings, func(f Finding) bool { return f.Code == DeviceWindowless })
		named := at >= 0 && strings.HasPrefix(e.Findings[at].remedies[0].text, "Write Option \"DRI\" \"3\" in /etc")
		if at < 0 || !strings.HasPrefix(e.Findings[at].fact.say(), want) || named != strings.Contains(want, "line 3") {
			t.Errorf("%q: %+v", text, e.Findings)
		}
	}
}

// The quoted line of a driver is the one with a known sign, here of a kernel that is too old (vinegarhq/sober issue 214), or the last one.
func TestLineOfADriver(t *testing.T) {
	t.Parallel()
	const harmless, sign = "couldn't determine if two DRM fds reference the same file description.", "but this driver is only compatible with 3.27.0 (kernel 4.20+) or later."
	for want, lines := range map[string][]string{sign: {harmless, sign, "If they do, bad things may happen!"}, "b": {"a", "b"}, "": nil} {
		a := alone{Probe: Probe{Kind: "driver", Name: "radeon_icd.json", Manifest: "/" + icds + "radeon_icd.json", Result: ProbeFails, Wrote: lines}}
		e := newEvidence(examine(t, desktop(t), Options{}))
		a.of = e.driverAt(a.Manifest)
		e.addResult(&a)
		r := e.finish()
		at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Code == DriverFails })
		if at < 0 || r.Quote(&r.Findings[at]) != want || strings.Contains(r.Findings[at].Do, "The kernel is too old") != (want == sign) {
			t.Errorf("%q is not the line of %+v", want, r.Findings)
		}
	}
}

// A driver that opens another one names the missing file itself: its package is installed again, or the library is installed. A node or another
// file is no package's.
func TestFileThatADriverNames(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"primus: failed to open /opt/wrap/inner.conf: No such file or directory": "apt install --reinstall wrapper:amd64",
		"dlopen: /usr/lib/libxcb-dri3.so.0: cannot open shared object file":      "apt install libxcb-dri3-0",
		"open('/dev/nvidia0') failed.":                                           "", "/etc/os-release: bad line": "",
	} {
		files := join(desktop(t), file("etc/os-release", "ID=debian\n"), installedPackage("wrapper", "1", "/opt/wrap/inner.conf"))
		e := newEvidence(examine(t, files, Options{}))
		a := alone{Probe: Probe{Kind: "driver", Name: "radeon_icd.json", Manifest: "/" + icds + "radeon_icd.json", Result: ProbeFails, Wrote: []string{line}}}
		a.of = e.driverAt(a.Manifest)
		got := ""
		if do := e.missingFileAdvice(&a); do != nil {
			got = do.text
		}
		if !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// Slow drivers of absent devices do not hide each other: a driver for this machine is the measure.
func TestSlowDriversOfAbsentDevices(t *testing.T) {
	t.Parallel()
	e := newEvidence(examine(t, desktop(t), Options{}))
	one := func(name, library string, millis float64) alone {
		return alone{Probe: Probe{Kind: "driver", Name: name, Manifest: name, Result: ProbeNoDevice, Millis: millis}, of: &Entry{Manifest: name, Library: library}}
	}
	e.alone = []alone{one("nvidia.json", "libGLX_nvidia.so.0", 3000), one("intel.json", "libvulkan_intel.so", 2500), one("radeon.json", "libvulkan_radeon.so", 100)}
	e.addSlowDrivers()
	var slow []string
	for _, f := range e.Findings {
		if f.Code == DriverSlow {
			slow = append(slow, f.Subject+": "+f.fact.say())
		}
	}
	if len(slow) != 2 || !strings.HasPrefix(slow[0], "nvidia.json: a short program took 3.0 s with it alone, and at most 100 ms") {
		t.Errorf("%q", slow)
	}
}

// A report keeps a few short lines of a driver, and marks a line that it cuts.
func TestDriversLinesAreCut(t *testing.T) {
	t.Parallel()
	lines := driverLines(strings.Repeat("\u00e4", 4<<20)+"\n"+strings.Repeat("short\n", 3)+strings.Repeat("x", maxLine), false)
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "\u00e4 … (cut)") || len(lines[0]) > maxLine+20 || lines[1] != "short" || len(lines[2]) != maxLine {
		t.Errorf("%d lines: %.100q", len(lines), lines)
	}
}

// A device whose driver has passed no conformance test works, and the report names the programs that ignore it.
func TestDeviceThatIsNotConformant(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	for version, want := range map[string]bool{"0.0.0.0": true, "1.3.6.0": false, "": false} {
		report, _ := attempted(t, examine(t, desktop(t), Options{}),
			`echo '{"event":"device","index":0,"name":"card","type":1,"conformance":"`+version+`"}'; echo '{"event":"end"}'`, Tries{})
		if f, is := ofCodes(report)[DeviceNotConformant]; is != want || is && (!f.Shown() || !strings.Contains(f.Do, "WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER=1")) {
			t.Errorf("version %q: %v: %+v", version, is, f)
		}
	}
}

// The report of a working device has its driver's own words that it is incomplete.
func TestDeviceOfAnIncompleteDriver(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	const words = "MESA-INTEL: warning: Ivy Bridge Vulkan support is incomplete"
	report, _ := attempted(t, examine(t, desktop(t), Options{}), "echo '"+words+"' >&2\n"+fineDevice, Tries{})
	if f, is := ofCodes(report)[DeviceNotConformant]; !is || !f.Shown() || f.Severity != diag.Note || f.What != "its driver writes: "+words {
		t.Errorf("%v: %+v", is, f)
	}
}

// A layer that the rules make active and that is not in the chain of the trial is a problem, with the loader's message about it.
func TestLayerThatTheLoaderLeavesOut(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
	layer := func(name string) map[string]string {
		return join(file(implicit+name+".json", layerOf("VK_LAYER_"+name, "lib"+name+".so", `,"disable_environment":{"NO_`+name+`":"1"}`)),
			file(libraries+"lib"+name+".so", library(t, "exports=vkGetInstanceProcAddr")))
	}
	twin := layer("in_32") // of the other word size
	twin[libraries+"libin_32.so"] = library(t, "class=32 machine=i386 exports=vkGetInstanceProcAddr")
	report, _ := attempted(t, examine(t, desktop(t, layer("in"), layer("out"), twin), Options{}), `cat >&2 <<'END'
[Vulkan Loader] ERROR | LAYER:  loader_create_instance_chain: Failed to find 'vkGetInstanceProcAddr' in layer "libout.so"
[Vulkan Loader] LAYER:          Insert instance layer "VK_LAYER_in" (libin.so)
[Vulkan Loader] LAYER:          vkCreateInstance layer callstack setup to:
END
`+fineDevice, Tries{})
	var got []string
	for _, f := range report.Findings {
		if f.Code == LayerLeftOut {
			got = append(got, f.Severity.String()+" "+f.Subject+" "+f.What)
		}
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "problem VK_LAYER_out the rules make it active") ||
		!strings.HasSuffix(got[0], `Failed to find 'vkGetInstanceProcAddr' in layer "libout.so"`) {
		t.Errorf("%q", got)
	}
}

// A driver's line that calls itself an error says more than the line after it (loongson-community/discussions issue 27).
func TestLineOfAFailure(t *testing.T) {
	t.Parallel()
	p := Probe{Wrote: []string{"a note", "LLVM ERROR: Cannot select", "In function: sample"}}
	if got := p.line(); got != "LLVM ERROR: Cannot select" {
		t.Errorf("%q", got)
	}
}
