package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/test/lib/tree"
)

// silentDriver is a child whose driver works and lists no device.
const silentDriver = `echo '{"event":"done","phase":"list devices","round":1,"us":1,"result":0}'; echo '{"event":"end"}'; exit 1`

// refusingDriver is a child whose driver fails in vkCreateInstance.
const refusingDriver = `echo '{"event":"done","phase":"create instance","round":1,"us":1,"result":-3}'; echo '{"event":"end"}'; exit 1`

// ofCodes returns the findings of a report by code.
func ofCodes(r *Report) map[Kind]Finding {
	list := map[Kind]Finding{}
	for _, f := range r.Findings {
		list[f.Code] = f
	}
	return list
}

func withoutWindows(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the child")
	}
}

// A driver that lists no device because the user may not open the node is a consequence of the permission: it does not count,
// and no finding says that the driver is too old. The same holds for each other cause that was found.
func TestUpdateOnlyAfterOtherCauses(t *testing.T) {
	t.Parallel()
	withoutWindows(t)
	users := join(file("etc/passwd", "svc:x:10001:10001::/:/bin/false\n"), file("etc/group", "render:x:991:\n"))
	for name, c := range map[string]struct {
		files   map[string]string
		options Options
		mode    os.FileMode
		cause   Kind
	}{
		"permission": {desktop(t, users), Options{User: "svc"}, 0o600, GPUPermission},
		"nothing":    {desktop(t), Options{}, 0o666, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			tree.Lay(t, root, c.files)
			if err := os.Chmod(filepath.Join(root, "dev/dri/renderD128"), c.mode); err != nil {
				t.Fatal(err)
			}
			report := examineRoot(t, root, c.options)
			report, _ = attempted(t, report, silentDriver, Tries{})
			idle := ofCodes(report)[DriverNoDevice]
			if c.cause == nil {
				if idle.Severity != diag.Problem || !strings.HasPrefix(idle.Do, "Update the driver") {
					t.Errorf("%+v", idle)
				}
				return
			}
			if idle.Because != c.cause || idle.Severity == diag.Problem || strings.Contains(idle.Do, "Update") {
				t.Errorf("%+v, not because of %s", idle, c.cause)
			}
			problems := slices.DeleteFunc(slices.Clone(report.Findings), func(f Finding) bool { return f.Severity != diag.Problem || f.Because != nil })
			if len(problems) != 1 || problems[0].Code != c.cause {
				t.Errorf("problems: %+v", problems)
			}
		})
	}
}

// Beside a driver that works, the failure of a driver whose device is absent has no finding: the driver is one of the idle ones, which have one
// finding and one fix (an external GPU that was unplugged).
// If the driver delays programs, that is a warning. If no driver works, the failure is a problem.
func TestAbsentDeviceIsANote(t *testing.T) {
	t.Parallel()
	withoutWindows(t)
	unplugged := desktop(t, file("sys/class/drm/card0/x", ""), file(icds+"nvidia_icd.json", icd("libGLX_nvidia.so.0", "")),
		file(libraries+"libGLX_nvidia.so.0", library(t, "soname=libGLX_nvidia.so.0 exports=vk_icdGetInstanceProcAddr")))
	report := examine(t, unplugged, Options{})
	report, _ = attempted(t, report, "case $VK_DRIVER_FILES in *nvidia*) "+refusingDriver+";; esac\n"+fineDevice, Tries{})
	const leaveOut = "To start faster: export VK_LOADER_DRIVERS_DISABLE=nvidia_icd.json"
	if f := ofCodes(report)[DriverIdle]; has(report.Findings, DriverFails) || f.Severity != diag.Note || f.Do != leaveOut || report.Has(diag.Problem) || !strings.HasSuffix(report.Verdict, "no problems found") {
		t.Errorf("%q: %+v", report.Verdict, f)
	}
	for _, m := range report.Drivers {
		if m.Name == "nvidia_icd.json" && (!m.Harmless || m.Fault != string(DriverFails)) {
			t.Errorf("%+v", m)
		}
	}
	report, _ = attempted(t, examine(t, unplugged, Options{}),
		"case $VK_DRIVER_FILES in *nvidia*) "+strings.Replace(refusingDriver, `"us":1`, `"us":700000`, 1)+";; esac\n"+fineDevice, Tries{})
	if f := ofCodes(report)[DriverSlow]; f.Severity != diag.Warning || f.Do != leaveOut {
		t.Errorf("slow: %+v", f)
	}
	report = examine(t, unplugged, Options{})
	report, _ = attempted(t, report, refusingDriver, Tries{})
	if f := ofCodes(report)[DriverFails]; f.Severity != diag.Problem {
		t.Errorf("no driver works: %+v", f)
	}
}

// An unknown driver that fails, for a device without its own driver: the advice is that driver, not an update (rpi-vk-driver issue 13).
func TestUnknownDriverInPlaceOfTheDevices(t *testing.T) {
	t.Parallel()
	withoutWindows(t)
	report := examine(t, join(file("sys/class/drm/renderD128/device", "-> ../../../devices/v3d"), file("sys/devices/v3d/driver", "-> ../../bus/platform/drivers/v3d"),
		file("sys/devices/v3d/uevent", "DRIVER=v3d\nOF_COMPATIBLE_0=brcm,2711-v3d\n"), file("dev/dri/renderD128", ""), file("etc/os-release", "ID=raspbian\nVERSION_ID=10\nID_LIKE=debian\n"),
		file(icds+"odd.json", icd("libodd.so", "")), file(libraries+"libodd.so", library(t, "soname=libodd.so exports=vk_icdGetInstanceProcAddr")),
		file(libraries+"libvulkan.so.1", library(t, "soname=libvulkan.so.1 exports=vkCreateInstance release=0.9.0"))), Options{})
	report, _ = attempted(t, report, refusingDriver, Tries{})
	if f := ofCodes(report)[DriverFails]; !strings.Contains(f.Do, "V3DV (Mesa). Mesa has it from release 20.3 on") || strings.Contains(f.Do, "Update or reinstall") {
		t.Errorf("%+v", f)
	}
}

// The manifest that snapd puts into a directory of its own is found.
func TestManifestOfSnapd(t *testing.T) {
	t.Parallel()
	const manifest = "var/lib/snapd/lib/vulkan/icd.d/nvidia_icd.json"
	report := examine(t, pci("0x10de", "0x1b80", "nvidia", file(manifest, icd("libGLX_nvidia.so.0", "")), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
		file(libraries+"libGLX_nvidia.so.0", library(t, "soname=libGLX_nvidia.so.0 exports=vk_icdGetInstanceProcAddr"))), Options{})
	if f := ofCodes(report)[GPUNoDriver]; !strings.Contains(f.What, "manifests are in /var/lib/snapd/lib/vulkan/icd.d") {
		t.Errorf("%+v", report.Findings)
	}
}

// A library that two searches find is named once.
func TestLibraryFoundTwice(t *testing.T) {
	t.Parallel()
	report := examine(t, desktop(t, file("run/opengl-driver/share/vulkan/icd.d/other_icd.json", icd("libvulkan_other.so", "")),
		file("run/opengl-driver/lib/libvulkan_other.so", library(t, "exports=vk_icdGetInstanceProcAddr"))), Options{},
		"VK_DRIVER_FILES=/run/opengl-driver/share/vulkan/icd.d/other_icd.json")
	const exists = "/run/opengl-driver/lib/libvulkan_other.so exists"
	if f := ofCodes(report)[LibraryMissing]; strings.Count(f.What, exists) != 1 {
		t.Errorf("%+v", report.Findings)
	}
}

// A tried driver that lists a device covers it. The name of its file does not count.
func TestTriedDriverCovers(t *testing.T) {
	t.Parallel()
	withoutWindows(t)
	base := card("0x1002", "amdgpu", true, file(icds+"odd.json", icd("libodd.so", "")), file(libraries+"libodd.so", library(t, "exports=vk_icdGetInstanceProcAddr")),
		file(libraries+"libvulkan.so.1", library(t, "soname=libvulkan.so.1 exports=vkCreateInstance release=0.9.0")))
	for script, covered := range map[string]bool{
		`echo '{"event":"device","index":0,"name":"card","vendor_id":4098,"device_id":4660}'; echo '{"event":"end"}'`: true,
		`echo '{"event":"device","index":0,"name":"card","vendor_id":4098,"device_id":1}'; echo '{"event":"end"}'`:    false,
		`echo '{"event":"device","index":0,"name":"card","pci":"0000:01:00.0"}'; echo '{"event":"end"}'`:              true,
	} {
		report := examine(t, base, Options{})
		report, _ = attempted(t, report, script, Tries{})
		if _, missing := ofCodes(report)[GPUNoDriver]; missing == covered || covered && (len(report.GPUs[0].Drivers) != 1 || !strings.Contains(report.Verdict, "works")) {
			t.Errorf("%s: %q, %+v", script, report.Verdict, report.GPUs)
		}
	}
}

// Drivers for graphics devices alone, and no device: no program gets Vulkan, and the fix is a software renderer. With one,
// nothing is wrong.
func TestNoDeviceAndNoSoftware(t *testing.T) {
	t.Parallel()
	display := card("0x15ad", "vmwgfx", true, file(icds+"radeon_icd.json", icd("libvulkan_radeon.so", "")), file("etc/os-release", "ID=arch\n"),
		file(libraries+"libvulkan_radeon.so", library(t, "soname=libvulkan_radeon.so exports=vk_icdGetInstanceProcAddr")),
		file(libraries+"libvulkan.so.1", library(t, "soname=libvulkan.so.1 exports=vkCreateInstance release=0.9.0")))
	report := examine(t, display, Options{})
	if f := ofCodes(report)[NoDevice]; f.Severity != diag.Problem || !strings.Contains(f.Do, "pacman -S vulkan-swrast") {
		t.Errorf("%q: %+v", report.Verdict, f)
	}
	report = examine(t, join(display, lavapipe(t)), Options{})
	if _, is := ofCodes(report)[NoDevice]; is || report.Has(diag.Problem) {
		t.Errorf("%q: %+v", report.Verdict, report.Findings)
	}
}

// A driver that lists a device in a trial without a display has no finding about EGL.
func TestTrialWithoutDisplay(t *testing.T) {
	t.Parallel()
	withoutWindows(t)
	report := examine(t, card("0x10de", "nvidia", false, nvidia(t, "535.1"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
		file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")),
		file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), Options{})
	if !has(report.Findings, DriverHeadless) {
		t.Fatalf("%+v", report.Findings)
	}
	if report, _ = attempted(t, report, fineDevice, Tries{}); has(report.Findings, DriverHeadless) {
		t.Errorf("%+v", ofCodes(report)[DriverHeadless])
	}
}
