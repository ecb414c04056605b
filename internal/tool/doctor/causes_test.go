package doctor

import (
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
)

// cause is a machine with one cause to find. Notes are ignored.
type cause struct {
	name     string
	files    map[string]string
	environ  string   // space-separated
	problems []string // codes of the problems and warnings that follow from no other finding, in order
	code     string   // code of an expected finding
	what, do string   // parts of its text and its advice; "-X": the advice lacks X
	verdict  string
}

func join(list ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, files := range list {
		for name, content := range files {
			all[name] = content
		}
	}
	return all
}

// lavapipe lays out the software renderer.
func lavapipe(t *testing.T) map[string]string {
	t.Helper()
	return join(file(icds+"lvp_icd.json", icd("libvulkan_lvp.so", "")),
		file(libraries+"libvulkan_lvp.so", library(t, "soname=libvulkan_lvp.so exports=vk_icdGetInstanceProcAddr")))
}

// laptop lays out a machine with an AMD and an NVIDIA card, each with its driver.
func laptop(t *testing.T, more ...map[string]string) map[string]string {
	t.Helper()
	const second = "sys/bus/pci/devices/0000:03:00.0/"
	return join(append([]map[string]string{desktop(t), nvidia(t, "550.54.14"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
		file(libraries+"libnvidia-glvkspirv.so.550.54.14", library(t, "exports=x")), file(libraries+"libnvidia-gpucomp.so.550.54.14", library(t, "exports=x")),
		file(second+"class", "0x030200\n"), file(second+"vendor", "0x10de\n"), file(second+"device", "0x2520\n"),
		file(second+"driver", "-> ../../drivers/nvidia")}, more...)...)
}

func checkCauses(t *testing.T, list []cause) {
	t.Helper()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkCause(t, examine(t, c.files, Options{}, strings.Fields(c.environ)...), &c)
		})
	}
}

func checkCause(t *testing.T, report *Report, c *cause) {
	t.Helper()
	var wrong []string
	found := false
	for _, f := range report.Findings {
		if f.Severity != diag.Note && f.Because == nil {
			wrong = append(wrong, f.Code.String())
		}
		without, not := strings.CutPrefix(c.do, "-")
		found = found || f.Code.String() == c.code && strings.Contains(f.What, c.what) && strings.Contains(f.Do, without) != not
	}
	if strings.Join(wrong, " ") != strings.Join(c.problems, " ") {
		t.Errorf("problems and warnings: %q, want %q", wrong, c.problems)
	}
	if c.code != "" && !found {
		t.Errorf("no %s with %q and %q", c.code, c.what, c.do)
	}
	if !strings.Contains(report.Verdict, c.verdict) {
		t.Errorf("verdict %q, want %q", report.Verdict, c.verdict)
	}
	if t.Failed() {
		for _, f := range report.Findings {
			t.Logf("%s %s %s: %s\n    %s\n    because %q", f.Severity, f.Code, f.Subject, f.What, f.Do, f.Because)
		}
		t.Log(report.Verdict)
	}
}

// A device has its nodes, and none of those that belong to no device.
func TestNodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ second, want string }{
		{"", "/dev/dri/renderD128; /dev/nvidiactl /dev/nvidia0"},
		{"dev/nvidia1", "/dev/dri/renderD128; ; /dev/nvidiactl /dev/nvidia0; " + // nothing tells which node belongs to which card
			"/dev/nvidiactl /dev/nvidia1"},
	} {
		more := []map[string]string{file("dev/nvidia-uvm", ""), file("dev/nvidia-modeset", "")}
		if c.second != "" {
			more = append(more, file(c.second, ""))
		}
		var got []string
		for _, g := range examine(t, laptop(t, more...), Options{}, "DISPLAY=:0").GPUs {
			got = append(got, strings.Join(g.Nodes, " "))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q", got)
		}
	}
}

// A driver that a variable excludes is not reported missing, and a driver that a variable selects is no fault.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	all := laptop(t, lavapipe(t), file("etc/glvnd/egl_vendor.d/10_nvidia.json", "{}"))
	radeon, lvp := "VK_DRIVER_FILES=/"+icds+"radeon_icd.json", "VK_DRIVER_FILES=/"+icds+"lvp_icd.json"
	checkCauses(t, []cause{
		{name: "NVIDIA's driver by VK_DRIVER_FILES", files: all, environ: radeon + " DISPLAY=:0", code: "gpu-left-out",
			what: "its driver nvidia_icd.json is excluded by VK_DRIVER_FILES",
			do:   "Nothing, if this is intended. For a program that needs the device: env -u VK_DRIVER_FILES PROGRAM", verdict: "VK_DRIVER_FILES excludes NVIDIA graphics (Ampere); no problems found"},
		{name: "by VK_ICD_FILENAMES", files: all, environ: "VK_ICD_FILENAMES=/" + icds + "radeon_icd.json DISPLAY=:0", code: "gpu-left-out",
			what: "excluded by VK_ICD_FILENAMES", verdict: "VK_ICD_FILENAMES excludes NVIDIA graphics (Ampere)"},
		{name: "by a selection", files: all, environ: "VK_LOADER_DRIVERS_SELECT=radeon* DISPLAY=:0", code: "gpu-left-out",
			what: "excluded by VK_LOADER_DRIVERS_SELECT", verdict: "VK_LOADER_DRIVERS_SELECT excludes NVIDIA graphics (Ampere)"},
		{name: "switched off beside another", files: all, environ: "VK_LOADER_DRIVERS_DISABLE=nvidia*,intel* DISPLAY=:0", problems: []string{"variable-match"},
			code: "gpu-left-out", what: "excluded by VK_LOADER_DRIVERS_DISABLE", do: "env VK_LOADER_DRIVERS_DISABLE='intel*' PROGRAM"},
		{name: "lavapipe on a machine with cards", files: all, environ: lvp, code: "software-only",
			what: "because VK_DRIVER_FILES names this driver", verdict: "Programs compute on the CPU, as VK_DRIVER_FILES says; no problems found"},
		{name: "lavapipe selected", files: all, environ: "VK_LOADER_DRIVERS_SELECT=lvp*", verdict: "Programs compute on the CPU, as VK_LOADER_DRIVERS_SELECT says"},
		{name: "lavapipe beside a card for a virtual machine", files: join(card("0x10de", "vfio-pci", false), lavapipe(t), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))),
			verdict: "vfio-pci reserves the device; programs compute on the CPU; no problems found"},
		{name: "lavapipe without another driver", files: join(card("0x1002", "amdgpu", true), lavapipe(t), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))),
			environ: lvp, code: "gpu-left-out", what: "names the drivers that programs get, and none of these is for the device", verdict: "no problems found"},
		{name: "the only card's driver switched off", files: desktop(t, lavapipe(t)), environ: "VK_LOADER_DRIVERS_DISABLE=radeon*",
			problems: []string{"gpu-left-out"}, code: "gpu-left-out", do: "unset VK_LOADER_DRIVERS_DISABLE", verdict: "1 problem"},
		{name: "every driver switched off", files: desktop(t), environ: "VK_LOADER_DRIVERS_DISABLE=*", problems: []string{"variable-all-out"},
			code: "variable-all-out", do: "unset VK_LOADER_DRIVERS_DISABLE"},
		{name: "the settings file", files: desktop(t, lavapipe(t), file(settingsFile, `{"file_format_version":"1.0.0","settings":{"additional_drivers":[{"path":"/`+
			icds+`lvp_icd.json"}],"additional_drivers_use_exclusively":true}}`)), problems: []string{"leftover-settings"},
			code: "gpu-left-out", what: "excluded by " + settingsFile},
	})
}

// A driver in a directory outside the search is not reported missing.
func TestUnsearched(t *testing.T) {
	t.Parallel()
	checkCauses(t, []cause{
		{name: "XDG_DATA_DIRS", files: desktop(t), environ: "XDG_DATA_DIRS=/opt/share", problems: []string{"gpu-no-driver"}, code: "gpu-no-driver",
			what: "its driver's manifest is /usr/share/vulkan/icd.d/radeon_icd.json, and XDG_DATA_DIRS excludes that directory from the search",
			do:   "export XDG_DATA_DIRS=/opt/share:/usr/share"},
		{name: "without a device", files: join(lavapipe(t), file("etc/os-release", "ID=debian\n"), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))),
			environ: "XDG_DATA_DIRS=/opt/share", problems: []string{"no-driver"}, code: "no-driver",
			what: "/usr/share/vulkan/icd.d/lvp_icd.json is in a directory that XDG_DATA_DIRS excludes", do: "export XDG_DATA_DIRS=/opt/share:/usr/share"},
		{name: "XDG_CONFIG_DIRS", files: join(card("0x1002", "amdgpu", true), file("etc/xdg/vulkan/icd.d/radeon_icd.json", icd("libvulkan_radeon.so", "")),
			file(libraries+"libvulkan_radeon.so", library(t, "exports=vk_icdGetInstanceProcAddr")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))),
			environ: "XDG_CONFIG_DIRS=/opt/xdg", problems: []string{"gpu-no-driver"}, code: "gpu-no-driver", do: "export XDG_CONFIG_DIRS=/opt/xdg:/etc/xdg"},
	})
}

// installedPackage lays out a dpkg package with its files.
func installedPackage(name, version string, files ...string) map[string]string {
	return join(file("var/lib/dpkg/status", "Package: "+name+"\nStatus: install ok installed\nArchitecture: amd64\nVersion: "+version+"\n"),
		file("var/lib/dpkg/info/"+name+":amd64.list", "/.\n"+strings.Join(files, "\n")+"\n"))
}

// A file that is missing from an installed package is fixed by reinstalling the package, and by no other advice.
func TestGoneFromPackage(t *testing.T) {
	t.Parallel()
	const driver = "/" + libraries + "libvulkan_radeon.so"
	mesa := installedPackage("mesa-vulkan-drivers", "22.3.6-1", driver, "/"+icds+"radeon_icd.json", "/"+icds+"lvp_icd.json")
	bare := join(card("0x1002", "amdgpu", true), file("etc/os-release", "ID=debian\n"), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")))
	again := "Run as root: apt install --reinstall mesa-vulkan-drivers:amd64"
	checkCauses(t, []cause{
		{name: "a library", files: join(bare, mesa, file(icds+"radeon_icd.json", icd("libvulkan_radeon.so", ""))), problems: []string{"library-missing"},
			code: "library-missing", what: "the package mesa-vulkan-drivers:amd64, which is installed, should contain the file", do: again},
		{name: "a library by its path", files: join(bare, mesa, file(icds+"radeon_icd.json", icd(driver, ""))), problems: []string{"library-missing"},
			code: "library-missing", what: "which is installed, should contain the file", do: again},
		{name: "a library that is cut off", files: join(bare, mesa, file(icds+"radeon_icd.json", icd(driver, "")), file(driver[1:], "\x7fELF")),
			problems: []string{"library-unreadable"}, code: "library-unreadable", do: again},
		{name: "a needed library", files: join(desktop(t), file(libraries+"libvulkan_radeon.so", library(t, "needed=libdrm.so.2 exports=vk_icdGetInstanceProcAddr")),
			installedPackage("libdrm2", "2.4", "/"+libraries+"libdrm.so.2")), problems: []string{"library-needs"},
			code: "library-needs", do: "Run as root: apt install --reinstall libdrm2:amd64"},
		{name: "a manifest", files: join(bare, mesa), problems: []string{"gpu-no-driver"}, code: "gpu-no-driver",
			what: "/" + icds + "radeon_icd.json is missing, although its package is installed", do: "apt install --reinstall mesa-vulkan-drivers"},
		{name: "every manifest, without a device", files: join(file("etc/os-release", "ID=debian\n"), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")),
			mesa, file(icds+"broken", "")), problems: []string{"no-driver"}, code: "no-driver", what: "lvp_icd.json is missing, although its package is installed", do: "Run as root: apt install --reinstall mesa-vulkan-drivers"},
		{name: "a manifest that is cut off", files: join(bare, mesa, file(icds+"radeon_icd.json", "{"), file(driver[1:], library(t, "exports=vk_icdGetInstanceProcAddr"))),
			problems: []string{"file-syntax"}, code: "file-syntax", do: again},
		{name: "no package", files: bare, problems: []string{"gpu-no-driver"}, code: "gpu-no-driver", do: "Run as root: apt install mesa-vulkan-drivers"},
		{name: "a package without the driver", files: join(card("0x10de", "nouveau", true), file("etc/os-release", "ID=debian\n"),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")), installedPackage("mesa-vulkan-drivers", "22.3.6-1", driver)),
			problems: []string{"gpu-no-driver"}, code: "gpu-no-driver", what: "mesa-vulkan-drivers 22.3.6-1 is installed, but contains no driver for the device", do: "-apt install mesa"},
	})
	for id, want := range map[string]string{"fedora": "dnf reinstall p", "opensuse-tumbleweed": "zypper install --force p", "arch": "pacman -S p",
		"alpine": "apk fix p", "void": "xbps-install --force p"} {
		if got := (distribution{ids: []string{id}}).again("p", "/f").text; got != "Run as root: "+want {
			t.Errorf("%s: %s", id, got)
		}
	}
}

// One cause gives one problem, no matter how many drivers and layers it affects.
func TestOneCause(t *testing.T) {
	t.Parallel()
	needs := "needed=libLLVM-15.so.1 exports=vk_icdGetInstanceProcAddr"
	checkCauses(t, []cause{
		{name: "a library that several lack", files: desktop(t, file(libraries+"libvulkan_radeon.so", library(t, needs)), file(icds+"lvp_icd.json", icd("libvulkan_lvp.so", "")),
			file(libraries+"libvulkan_lvp.so", library(t, needs)), file(implicit+"o.json", layerOf("VK_LAYER_o", "libo.so.1", `,"disable_environment":{"NO_O":"1"}`)),
			file(libraries+"libo.so.1", library(t, "needed=libLLVM-15.so.1 exports=vkGetInstanceProcAddr"))),
			problems: []string{"library-needs"}, code: "library-needs", do: "apt install libllvm15", verdict: "; 1 problem"},
		{name: "a driver and a layer of one library", files: join(card("0x10de", "nvidia", false, file("dev/nvidiactl", ""), file("dev/nvidia0", "")),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")), file(icds+"nvidia_icd.json", icd("libGLX_nvidia.so.0", "")),
			file(implicit+"n.json", layerOf("VK_LAYER_NV_optimus", "libGLX_nvidia.so.0", `,"disable_environment":{"NO_O":"1"}`))),
			problems: []string{"library-missing"}, verdict: "; 1 problem"},
		{name: "a manifest that is cut off", files: join(desktop(t), file(icds+"radeon_icd.json", `{"file_format_version":`)), problems: []string{"file-syntax"}},
		{name: "another driver's manifest", files: join(card("0x1002", "amdgpu", true), file("etc/os-release", "ID=debian\n"), file(icds+"intel_icd.json", `{`),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), problems: []string{"file-syntax", "gpu-no-driver"}},
	})
}

// pci lays out a PCI device of a vendor, with a device number and a kernel driver.
func pci(vendor, device, kernel string, more ...map[string]string) map[string]string {
	return join(append([]map[string]string{card(vendor, kernel, kernel != ""), file("sys/bus/pci/devices/0000:01:00.0/device", device+"\n"),
		file("etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n")}, more...)...)
}

// The doctor knows the first release of a driver that serves a chip, and the source of newer releases.
func TestChips(t *testing.T) {
	t.Parallel()
	loader := file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))
	mesa := func(name, version string) map[string]string {
		return join(loader, file(icds+name+"_icd.json", icd("libvulkan_"+name+".so", "")),
			file(libraries+"libvulkan_"+name+".so", library(t, "exports=vk_icdGetInstanceProcAddr")+"in Mesa X\x00Mesa "+version+"%s\x00"))
	}
	linux := func(version string) map[string]string {
		return file("proc/version", "Linux version "+version+"-21-amd64 (x@y)\n")
	}
	backports := "bookworm-backports has Mesa 25.0. With that repository, run as root: apt install -t bookworm-backports mesa-vulkan-drivers"
	trixie := file("etc/os-release", "ID=debian\nVERSION_ID=\"13\"\n")
	names := file("usr/share/misc/pci.ids", "1002  AMD/ATI\n\t7550  Navi 48 [Radeon RX 9070]\n")
	checkCauses(t, []cause{
		{name: "a card that is younger than Mesa", files: pci("0x1002", "0x7550", "amdgpu", mesa("radeon", "22.3.6"), names), problems: []string{"gpu-needs-newer"},
			code: "gpu-needs-newer", what: "AMD Radeon RX 9070 needs Mesa 25.0; this is 22.3.6", do: backports, verdict: "1 problem"},
		{name: "on another distribution", files: pci("0x1002", "0x7550", "amdgpu", mesa("radeon", "24.2.1"), file("etc/os-release", "ID=fedora\n")),
			problems: []string{"gpu-needs-newer"}, code: "gpu-needs-newer", what: "Radeon (RDNA 4) needs Mesa 25.0; this is 24.2.1",
			do: "Update the system to a release with Mesa 25.0 or newer."},
		{name: "with a Mesa that knows it", files: pci("0x1002", "0x7550", "amdgpu", mesa("radeon", "25.0.7")), verdict: "has a driver; no problems found"},
		{name: "Arc B", files: pci("0x8086", "0xe20b", "xe", mesa("intel", "22.3.6")), problems: []string{"gpu-needs-newer"}, code: "gpu-needs-newer", what: "Intel Arc B needs Mesa 24.3"},
		{name: "a kernel that is too old", files: pci("0x1002", "0x7550", "", mesa("radeon", "25.0.7"), linux("6.1.0")), problems: []string{"gpu-no-kernel-driver"},
			code: "gpu-no-kernel-driver", what: "needs Linux 6.12; this is 6.1", do: "apt install -t bookworm-backports linux-image-amd64"},
		{name: "a kernel that is young enough", files: pci("0x1002", "0x7550", "", mesa("radeon", "25.0.7"), linux("6.12.43")), problems: []string{"gpu-no-kernel-driver"},
			code: "gpu-no-kernel-driver", what: "no kernel driver is bound", do: "modprobe amdgpu"},
		{name: "NVIDIA of another release", files: pci("0x10de", "0x1180", "", loader, mesa("lvp", "22.3.6")), problems: []string{"gpu-no-kernel-driver"},
			code: "gpu-no-kernel-driver", what: "NVIDIA's driver serves it up to release 470",
			do: "Install release 470 of NVIDIA's driver"},
		{name: "Kepler with NVK", files: pci("0x10de", "0x1180", "nouveau", mesa("nouveau", "25.0.7")), problems: []string{"gpu-nouveau"}, code: "gpu-nouveau",
			what: "Mesa's driver does not list NVIDIA graphics (Kepler)", do: "release 470"},
		{name: "NVK on an old kernel", files: pci("0x10de", "0x2204", "nouveau", mesa("nouveau", "25.0.7"), linux("6.1.0")), problems: []string{"gpu-needs-newer"},
			code: "gpu-needs-newer", what: "needs Linux 6.6; this is 6.1", do: "linux-image-amd64"},
		{name: "NVK", files: pci("0x10de", "0x2204", "nouveau", mesa("nouveau", "25.0.7"), linux("6.12.0")), verdict: "has a driver; no problems found"},
		{name: "no Vulkan for it", files: pci("0x1002", "0x68b8", "radeon", mesa("lvp", "22.3.6")), code: "gpu-no-vulkan",
			what: "no Vulkan driver exists for it", do: "PROTON_USE_WINED3D=1",
			verdict: "No Vulkan for AMD Radeon from before 2012; nothing else found"},
		{name: "no Vulkan for it, of Intel", files: pci("0x8086", "0x0102", "i915", mesa("intel", "22.3.6"), mesa("lvp", "22.3.6")), code: "gpu-no-vulkan",
			verdict: "No Vulkan for Intel graphics from before 2012"},
		{name: "Raspberry Pi 3", files: join(file("sys/class/drm/renderD128/device", "-> ../../../devices/v3d"), file("sys/devices/v3d/driver", "-> ../../bus/platform/drivers/vc4"),
			file("sys/devices/v3d/uevent", "DRIVER=v3d\nOF_COMPATIBLE_0=brcm,bcm2835-v3d\n"), file("dev/dri/renderD128", ""), mesa("lvp", "22.3.6")),
			code: "gpu-no-vulkan", verdict: "No Vulkan for Broadcom VideoCore IV"},
		{name: "NVK where the package has none", files: pci("0x10de", "0x2204", "nouveau", loader, mesa("lvp", "22.3.6"), installedPackage("mesa-vulkan-drivers", "22.3.6-1", "/x")),
			problems: []string{"gpu-no-driver"}, code: "gpu-no-driver", what: "mesa-vulkan-drivers 22.3.6-1 is installed, but contains no driver for the device", do: backports},
		{name: "NVK not installed", files: pci("0x10de", "0x2204", "nouveau", mesa("lvp", "22.3.6")), problems: []string{"gpu-no-driver"}, code: "gpu-no-driver", do: backports},
		{name: "NVK of Debian 13", files: pci("0x10de", "0x2204", "nouveau", mesa("lvp", "25.0.7"), trixie), problems: []string{"gpu-no-driver"}, code: "gpu-no-driver",
			do: "Run as root: apt install mesa-vulkan-drivers"},
		{name: "WSL without Dozen", files: join(mesa("lvp", "22.3.6"), file("dev/dxg", ""), file("etc/os-release", "ID=ubuntu\nID_LIKE=debian\n")), problems: []string{"gpu-no-driver"},
			code: "gpu-no-driver", do: "add-apt-repository ppa:kisak/kisak-mesa", verdict: "1 problem"},
	})
}

// A virtual machine has only the Vulkan that its host offers; the lack of Vulkan is no fault.
func TestVirtualMachine(t *testing.T) {
	t.Parallel()
	const offered, not = "1001100000000000000000000000000000000000000000000000000000000000", "0100000000000000000000000000000011000000000000000000000000000000"
	kvm := func(features string, more ...map[string]string) map[string]string {
		const device = "sys/bus/pci/devices/0000:01:00.0/"
		return join(append([]map[string]string{pci("0x1af4", "0x1050", "virtio-pci", lavapipe(t)), file(device+"virtio0/features", features+"\n"),
			file("sys/class/drm/renderD128/device", "-> ../../../bus/pci/devices/0000:01:00.0/virtio0"), file("dev/dri/renderD128", ""),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))}, more...)...)
	}
	venus := join(file(icds+"virtio_icd.json", icd("libvulkan_virtio.so", "")), file(libraries+"libvulkan_virtio.so", library(t, "exports=vk_icdGetInstanceProcAddr")))
	software := "rograms compute on the CPU; no problems found"
	checkCauses(t, []cause{
		{name: "without Venus", files: kvm(not), code: "gpu-virtual", what: "the host does not offer Vulkan to the machine", verdict: software},
		{name: "without Venus, whose driver is there", files: kvm(not, venus), code: "gpu-virtual", what: "the host does not offer Vulkan to the machine", verdict: software},
		{name: "without the driver", files: kvm(offered), code: "gpu-virtual", what: "no Vulkan driver for it is installed", verdict: "no problems found"},
		{name: "with Venus", files: kvm(offered, venus), verdict: "has a driver; no problems found"},
	})
	found := ofCodes(examine(t, kvm(not, venus), Options{}))
	if _, idle := found[DriverIdle]; idle || found[SoftwareOnly].Because != GPUVirtual {
		t.Errorf("without Venus: %+v", found)
	}
	report := examine(t, kvm(offered, venus), Options{})
	e := newEvidence(report)
	for _, a := range report.driversAlone() {
		a.Result = ProbeNoDevice
		e.addResult(&a)
	}
	if report = e.finish(); report.Has(diag.Problem) {
		t.Errorf("a host without Venus is no problem, also when it is tried: %+v", report.Findings)
	}
	if len(report.GPUs) != 1 || len(report.GPUs[0].Nodes) != 1 {
		t.Errorf("one device twice: %+v", report.GPUs)
	}
}

// A settings file of this tool is no leftover. The doctor compares the decision with and without a settings file, and checks
// that the files named in it exist.
func TestSettings(t *testing.T) {
	t.Parallel()
	ours := func(content string) map[string]string {
		return file(settingsFile, `{"file_format_version":"1.0.0","`+explain.SettingsMark+`":{"written_by":"`+explain.SettingsWriter+`"},"settings":{`+content+`}}`)
	}
	theirs := func(content string) map[string]string {
		return file(settingsFile, `{"file_format_version":"1.0.0","settings":{`+content+`}}`)
	}
	overlay := join(file(implicit+"o.json", layerOf("VK_LAYER_o", "libvulkan_radeon.so", `,"disable_environment":{"NO_O":"1"}`)),
		file(libraries+"libvulkan_radeon.so", library(t, "exports=vk_icdGetInstanceProcAddr,vkGetInstanceProcAddr")))
	const rest = `{"name":"","path":"","control":"unordered_layer_location"}`
	layer := func(control, path string) string {
		return `"layers":[{"name":"VK_LAYER_o","path":"` + path + `","control":"` + control + `","treat_as_implicit_manifest":true},` + rest + `]`
	}
	place := "/" + implicit + "o.json"
	checkCauses(t, []cause{
		{name: "an excluded layer", files: desktop(t, overlay, ours(layer("off", place))), code: "settings-own", what: "vkloader wrote it", verdict: "no problems found"},
		{name: "another's layer that is off", files: desktop(t, overlay, theirs(layer("off", place))), problems: []string{"leftover-settings"}, verdict: "1 leftover"},
		{name: "what is so without it", files: desktop(t, overlay, theirs(layer("auto", place))), code: "leftover-settings", what: "it is in force, but changes nothing",
			verdict: "no problems found"},
		{name: "a layer that is gone", files: desktop(t, overlay, theirs(`"layers":[{"name":"VK_LAYER_p","path":"/opt/gone.json","control":"on"},`+rest+`]`)),
			problems: []string{"settings-path"}, code: "settings-path", what: "it names /opt/gone.json, which does not exist", do: "rm -- " + settingsFile},
		{name: "a driver that is gone", files: desktop(t, theirs(`"additional_drivers":[{"path":"/opt/a.json"},{"path":"/opt/b.json"}]`)),
			problems: []string{"settings-path"}, code: "settings-path", what: "it names /opt/a.json and /opt/b.json, which do not exist"},
		{name: "of this tool's file", files: desktop(t, ours(`"additional_drivers":[{"path":"/opt/a.json"}]`)), problems: []string{"settings-path"},
			code: "settings-path", do: "vkloader settings clear"},
	})
}

// In a container, a variable is unset where it was set: in the shell, or with the runtime's option.
func TestContainerVariables(t *testing.T) {
	t.Parallel()
	box := func(mark, first string) map[string]string {
		return desktop(t, file(mark, ""), file("proc/1/environ", first))
	}
	const name, off = "VK_LOADER_DRIVERS_DISABLE", "PATH=/bin\x00VK_LOADER_DRIVERS_DISABLE=*\x00"
	problem := []string{"variable-all-out"}
	checkCauses(t, []cause{
		{name: "of the shell, in Docker", files: box(".dockerenv", "PATH=/bin\x00"), environ: name + "=*", problems: problem, code: problem[0], do: "unset " + name},
		{name: "another value in the shell", files: box(".dockerenv", "VK_LOADER_DRIVERS_DISABLE=intel*\x00"), environ: name + "=*", problems: problem, code: problem[0],
			do: "unset " + name},
		{name: "of the image, in Docker", files: box(".dockerenv", off), environ: name + "=*", problems: problem, code: problem[0],
			do: "Start the container with: docker run ... env -u " + name + " PROGRAM"},
		{name: "… and no shell", files: box(".dockerenv", off), environ: name + "=*", problems: problem, code: problem[0], do: "-unset " + name},
		{name: "of the image, in Podman", files: box("run/.containerenv", off), environ: name + "=*", problems: problem, code: problem[0],
			do: "Start the container with: podman run --unsetenv=" + name + " ..."},
		{name: "two of the image, in Docker", files: box(".dockerenv", "VK_LOADER_DRIVER_DISABLE=x\x00"), environ: "VK_LOADER_DRIVER_DISABLE=x", problems: []string{"variable-unknown"},
			code: "variable-unknown", do: "Write VK_LOADER_DRIVERS_DISABLE instead, start the container with: docker run -e VK_LOADER_DRIVERS_DISABLE=x ... " +
				"env -u VK_LOADER_DRIVER_DISABLE PROGRAM"},
		{name: "… and no line for a shell", files: box(".dockerenv", "VK_LOADER_DRIVER_DISABLE=x\x00"), environ: "VK_LOADER_DRIVER_DISABLE=x", problems: []string{"variable-unknown"},
			code: "variable-unknown", do: "-export"},
		{name: "two, in Podman", files: box("run/.containerenv", "VK_LOADER_DRIVER_DISABLE=x\x00"), environ: "VK_LOADER_DRIVER_DISABLE=x", problems: []string{"variable-unknown"},
			code: "variable-unknown", do: "podman run -e VK_LOADER_DRIVERS_DISABLE=x --unsetenv=VK_LOADER_DRIVER_DISABLE ..."},
		{name: "two, in a pod", files: box("var/run/secrets/kubernetes.io/x", "VK_LOADER_DRIVER_DISABLE=x\x00"), environ: "VK_LOADER_DRIVER_DISABLE=x", problems: []string{"variable-unknown"},
			code: "variable-unknown", do: `in the container's env of the pod: {name: VK_LOADER_DRIVERS_DISABLE, value: "x"}; without VK_LOADER_DRIVER_DISABLE`},
		{name: "two of the shell", files: box(".dockerenv", "PATH=/bin\x00"), environ: "VK_LOADER_DRIVER_DISABLE=x", problems: []string{"variable-unknown"},
			code: "variable-unknown", do: "export VK_LOADER_DRIVERS_DISABLE=x; unset VK_LOADER_DRIVER_DISABLE"},
		{name: "of a pod", files: box("var/run/secrets/kubernetes.io/x", off), environ: name + "=*", problems: problem, code: problem[0],
			do: `["env", "-u", "` + name + `", ...]`},
	})
	report := examine(t, box(".dockerenv", off), Options{}, name+"=*")
	for _, f := range report.Findings {
		if _, is := f.Change(); f.Code.String() == problem[0] && is {
			t.Errorf("%s: --fix changes what is set when the container starts", f.Code)
		}
	}
	override := file(implicit+"o.json", `{"file_format_version":"1.1.2","layer":{"name":"VK_LAYER_LUNARG_override","type":"GLOBAL","api_version":"1.3.0",`+
		`"implementation_version":"1","description":"o","component_layers":["VK_LAYER_x"],"disable_environment":{"NO_O":"1"}}}`)
	changes := 0
	for _, f := range examine(t, join(box(".dockerenv", ""), override), Options{}).Findings {
		if change, is := f.Change(); is && f.Code == LeftoverOverride && change.File == "/"+implicit+"o.json" {
			changes++
		}
	}
	if changes != 1 {
		t.Errorf("%d changes of a file in a container: it is a file as any other", changes)
	}
}

// A filter against the software renderer is a note when a device works, and a problem when it removes the last device.
func TestSoftwareLeftOut(t *testing.T) {
	t.Parallel()
	const off = "VK_LOADER_DRIVERS_DISABLE=lvp*"
	checkCauses(t, []cause{
		{name: "no other device", files: join(lavapipe(t), file(icds+"radeon_icd.json", icd("libvulkan_radeon.so", "")), file(libraries+"libvulkan_radeon.so",
			library(t, "exports=vk_icdGetInstanceProcAddr")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), environ: off, problems: []string{"driver-disabled"}, code: "driver-disabled",
			what: "VK_LOADER_DRIVERS_DISABLE excludes the software renderer", do: "unset VK_LOADER_DRIVERS_DISABLE", verdict: "1 problem"},
		{name: "a device works", files: desktop(t, lavapipe(t)), environ: off, verdict: "no problems found"},
	})
}

// Headed adds the subject only to a sentence that does not begin with it.
func TestHeaded(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"VK_A", "VK_A leaves no driver", "VK_A leaves no driver"}, {"VK_A", "it is not set", "VK_A: it is not set"},
		{"/opt/game", "game is statically linked", "game is statically linked"}, {"VK_A", "VK_AB is set", "VK_A: VK_AB is set"}} {
		if got := Headed(c[0], c[1]); got != c[2] {
			t.Errorf("%q, want %q", got, c[2])
		}
	}
}

// For a lone portability driver, the fix is a manifest in the user's home directory that offers it to every program. Without
// a home directory, the program has to enable the extension.
func TestPortable(t *testing.T) {
	t.Parallel()
	files := join(file(icds+"x_icd.json", `{"file_format_version":"1.0.1","ICD":{"library_path":"../../../lib/x86_64-linux-gnu/libx.so","api_version":"1.2.0",`+
		`"is_portability_driver":true}}`), file(libraries+"libx.so", library(t, "exports=vk_icdGetInstanceProcAddr")),
		file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")))
	checkCauses(t, []cause{
		{name: "with a home", files: files, environ: "HOME=/home/u", problems: []string{"no-driver"}, code: "no-driver",
			do: `mkdir -p -- /home/u/.local/share/vulkan/icd.d && echo '{"ICD":{"api_version":"1.2.0","library_path":"/usr/lib/x86_64-linux-gnu/libx.so"}`},
		{name: "without", files: files, problems: []string{"no-driver"}, code: "no-driver", do: "-mkdir"},
	})
}

// Both names of one variable with equal values serve every loader version. With different values, one of them is ignored.
func TestBothNames(t *testing.T) {
	t.Parallel()
	const file = "/usr/share/vulkan/icd.d/radeon_icd.json"
	checkCauses(t, []cause{
		{name: "one value", files: desktop(t), environ: "VK_DRIVER_FILES=" + file + " VK_ICD_FILENAMES=" + file, verdict: "no problems found"},
		{name: "two", files: desktop(t), environ: "VK_DRIVER_FILES=" + file + " VK_ICD_FILENAMES=/other.json", problems: []string{"variable-ignored"},
			code: "variable-ignored", what: "VK_ICD_FILENAMES is set"},
	})
}

// A filter that excludes layers gives no warning; a variable that contradicts the filter does.
func TestFilteredLayers(t *testing.T) {
	t.Parallel()
	overlay := join(desktop(t), file(implicit+"o.json", layerOf("VK_LAYER_o", "libvulkan_radeon.so", `,"disable_environment":{"NO_O":"1"}`)),
		file(implicit+"p.json", layerOf("VK_LAYER_p", "libvulkan_radeon.so", `,"disable_environment":{"NO_P":"1"}`)),
		file(libraries+"libvulkan_radeon.so", library(t, "exports=vk_icdGetInstanceProcAddr,vkGetInstanceProcAddr")))
	checkCauses(t, []cause{
		{name: "all implicit ones", files: overlay, environ: "VK_LOADER_LAYERS_DISABLE=~implicit~", code: "layer-disabled",
			what: "VK_LOADER_LAYERS_DISABLE excludes it", verdict: "no problems found"},
		{name: "one that is asked for", files: overlay, environ: "VK_LOADER_LAYERS_DISABLE=~implicit~ VK_INSTANCE_LAYERS=VK_LAYER_o",
			problems: []string{"variable-contradiction"}, code: "variable-contradiction", what: "VK_LAYER_o"},
	})
}

// A library with an undefined data symbol does not load; an undefined function fails when it is called.
func TestUndefinedSymbols(t *testing.T) {
	t.Parallel()
	driver := func(words string) map[string]string {
		return desktop(t, file(libraries+"libvulkan_radeon.so", library(t, "exports=vk_icdGetInstanceProcAddr "+words)))
	}
	checkCauses(t, []cause{
		{name: "data", files: driver("imports=some_function data=some_table"), problems: []string{"library-symbol"}, code: "library-symbol",
			what: "uses some_table and 1 more, which no dependency defines: the dynamic linker refuses the library", verdict: "1 problem"},
		{name: "a function", files: driver("imports=some_function"), problems: []string{"library-symbol"}, code: "library-symbol",
			what: "uses some_function, which no dependency defines", verdict: "1 warning"},
	})
}

// Image-based and declarative systems get advice in their terms.
func TestImageSystems(t *testing.T) {
	t.Parallel()
	bare := func(release string, more ...map[string]string) map[string]string {
		return join(append([]map[string]string{card("0x1002", "amdgpu", true), file("etc/os-release", release+"\n"),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))}, more...)...)
	}
	needs := join(file(icds+"radeon_icd.json", icd("libvulkan_radeon.so", "")), file(libraries+"libvulkan_radeon.so", library(t, "needed=libdrm.so.2 exports=vk_icdGetInstanceProcAddr")))
	none, lacks := []string{"gpu-no-driver"}, []string{"library-needs"}
	booted := file("run/ostree-booted", "")
	checkCauses(t, []cause{
		{name: "Silverblue", files: bare("ID=fedora\nVARIANT_ID=silverblue", booted), problems: none, code: none[0],
			do: "Run as root, then restart the machine: rpm-ostree install mesa-vulkan-drivers"},
		{name: "Silverblue, a library", files: bare("ID=fedora", booted, needs), problems: lacks, code: lacks[0], do: "rpm-ostree install 'libdrm.so.2()(64bit)'"},
		{name: "MicroOS", files: bare("ID=opensuse-microos\nID_LIKE=\"suse opensuse\""), problems: none, code: none[0],
			do: "Run as root, then restart the machine: transactional-update pkg install libvulkan_radeon"},
		{name: "SteamOS", files: bare("ID=steamos\nID_LIKE=arch"), problems: none, code: none[0], do: "steamos-update"},
		{name: "SteamOS, a library", files: bare("ID=steamos\nID_LIKE=arch", needs), problems: lacks, code: lacks[0], do: "-pacman"},
		{name: "NixOS", files: bare("ID=nixos"), problems: none, code: none[0], do: "hardware.graphics.enable = true;"},
		{name: "NixOS, a library", files: bare("ID=nixos", needs), problems: lacks, code: lacks[0], do: "programs.nix-ld.libraries"},
	})
	atomic := distribution{ids: []string{"fedora"}, image: ostree}
	if got := atomic.again("mesa-vulkan-drivers", "/f").text; !strings.Contains(got, "rpm-ostree rollback") {
		t.Error(got)
	}
	if got := (distribution{ids: []string{"opensuse-microos", "suse"}, image: microOS}).again("p", "/f").text; got != "Run as root, then restart the machine: transactional-update pkg install --force p" {
		t.Error(got)
	}
}
