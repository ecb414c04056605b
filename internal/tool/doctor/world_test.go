package doctor

import (
	order "encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/test/lib/binary"
	"vkloader/test/lib/tree"
)

// examine lays files out below a temporary root and examines them.
func examine(t *testing.T, files map[string]string, options Options, environ ...string) *Report {
	t.Helper()
	root := t.TempDir()
	tree.Lay(t, root, files)
	return examineRoot(t, root, options, environ...)
}

// examineRoot examines the machine below a directory.
func examineRoot(t *testing.T, root string, options Options, environ ...string) *Report {
	t.Helper()
	source := &machine.Source{Machine: machine.Machine{Root: root, Environ: environ}}
	report, err := Examine(source, options)
	if err != nil {
		t.Fatal(err)
	}
	checkRules(t, source, options)
	return report
}

// card lays out a PCI device with a kernel driver ("": none) and, if node is set, a node.
func card(vendor, kernel string, node bool, more ...map[string]string) map[string]string {
	files := map[string]string{"sys/bus/pci/devices/0000:01:00.0/class": "0x030000\n",
		"sys/bus/pci/devices/0000:01:00.0/vendor": vendor + "\n", "sys/bus/pci/devices/0000:01:00.0/device": "0x1234\n",
		"sys/bus/pci/devices/0000:02:00.0/class": "0x020000\n", // a network card
	}
	if kernel != "" {
		files["sys/bus/pci/devices/0000:01:00.0/driver"] = "-> ../../drivers/" + kernel
	}
	if node {
		files["sys/class/drm/renderD128/device"] = "-> ../../../bus/pci/devices/0000:01:00.0"
		files["sys/class/drm/card0-HDMI-A-1/device"] = "-> ../card0"
		files["dev/dri/renderD128"] = ""
	}
	for _, m := range more {
		for name, content := range m {
			files[name] = content
		}
	}
	return files
}

func file(name, content string) map[string]string { return map[string]string{name: content} }

// The obstacles between a device and a program have findings in each environment, with the fix.
func TestDevices(t *testing.T) {
	t.Parallel()
	fedora, ubuntu := file("etc/os-release", "ID=fedora\n"), file("etc/os-release", "ID=ubuntu\nID_LIKE=debian\n")
	docker, podman := file(".dockerenv", ""), file("run/.containerenv", "name=\"box\"\n")
	flatpak := file(".flatpak-info", "[Application]\nname=org.a.B\n")
	nouveau := file("etc/vulkan/icd.d/nvidia_icd.json",
		`{"file_format_version":"1.0.0","ICD":{"library_path":"libGLX_nvidia.so.0","api_version":"1.3.0"}}`)
	kepler := card("0x10de", "nvidia", false, ubuntu, file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
		file("sys/bus/pci/devices/0000:01:00.0/device", "0x128b\n"),
		file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  340.108\n"))
	for _, c := range []struct {
		name    string
		files   map[string]string
		environ []string
		code    Code
		what    string
		do      string
	}{
		{"no kernel driver", card("0x1002", "", false), nil, GPUNoKernelDriver, "no kernel driver is bound", "modprobe amdgpu"},
		{"no kernel driver, Intel", card("0x8086", "", false), nil, GPUNoKernelDriver, "", "modprobe i915"},
		{"no kernel driver, NVIDIA", card("0x10de", "", false, ubuntu), nil, GPUNoKernelDriver, "", "ubuntu-drivers install"},
		{"server", card("0x1a03", "", false), nil, GPUDisplayOnly, "", ""},
		{"virtual machine's display", card("0x1234", "bochs-drm", true), nil, GPUDisplayOnly, "", ""},
		{"passed through", card("0x10de", "vfio-pci", false), nil, GPUReserved, "vfio-pci", ""},
		{"old AMD", card("0x1002", "radeon", true), nil, GPUOldKernelDriver, "radeon", "amdgpu.si_support=1"},
		{"no node", card("0x1002", "amdgpu", false), nil, GPUNoNode, "/dev/dri", "dmesg | grep amdgpu"},
		{"no node, NVIDIA", card("0x10de", "nvidia", false), nil, GPUNoNode, "/dev/nvidiactl", "nvidia-modprobe"},
		{"Docker", card("0x1002", "amdgpu", false, docker), nil, GPUNoNode, "the container", "docker run --device /dev/dri"},
		{"Podman", card("0x1002", "amdgpu", false, podman), nil, GPUNoNode, "the container", "podman run --device /dev/dri"},
		{"Podman, NVIDIA", card("0x10de", "nvidia", false, podman), nil, GPUNoNode, "", "--device nvidia.com/gpu=all"},
		{"pod", card("0x10de", "nvidia", false), []string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}, GPUNoNode, "the pod", "nvidia.com/gpu"},
		{"nspawn", card("0x1002", "amdgpu", false, file("run/systemd/container", "systemd-nspawn")), nil, GPUNoNode, "", "Pass /dev/dri"},
		{"Snap", card("0x1002", "amdgpu", false), []string{"SNAP=/snap/a/1", "SNAP_NAME=a"}, GPUNoNode, "Snap", "snap connect a:opengl"},
		{"nouveau", card("0x10de", "nouveau", true, nouveau), nil, GPUNouveau, "nouveau", "modprobe.blacklist=nouveau"},
		{"no driver, Fedora", card("0x8086", "xe", true, fedora), nil, GPUNoDriver, "", "dnf install mesa-vulkan-drivers"},
		{"no driver, Snap", card("0x8086", "xe", true), []string{"SNAP=/snap/a/1", "SNAP_NAME=a"}, GPUNoDriver, "", "snap connect a:gpu-2404"},
		{"no driver, Flatpak", card("0x8086", "xe", true, flatpak), nil, GPUNoDriver, "", "org.freedesktop.Platform.GL.default"},
		{"no driver, Steam", card("0x8086", "xe", true, file("run/host/container-manager", "pressure-vessel")), nil, GPUNoDriver, "",
			"Steam's runtime"},
		{"CDI", card("0x10de", "nvidia", false, docker, file("dev/nvidiactl", ""), file("dev/nvidia0", "")),
			[]string{"NVIDIA_DRIVER_CAPABILITIES=compute,graphics"}, GPUNoDriver, "", "nvidia-ctk cdi generate"},
		{"a module before Vulkan on the container's host", join(kepler, docker), nil, GPUNoDriver, "the installed one is 340.108",
			"On the host, install release 470 of NVIDIA's driver"},
		{"a module before Vulkan on the host of a system", join(kepler, file("run/systemd/container", "lxc")), nil, GPUNoDriver, "340.108",
			"On the host, install release 470 of NVIDIA's driver"},
		{"WSL", map[string]string{"dev/dxg": "", "etc/os-release": "ID=ubuntu\n"}, nil, GPUNoDriver, "no Vulkan driver for this device", "apt install mesa-vulkan-drivers"},
		{"Adreno with its maker's kernel driver", map[string]string{"dev/kgsl-3d0": "", "etc/os-release": "ID=debian\n"}, nil, GPUNoDriver, "no Vulkan driver for this device",
			"apt install mesa-vulkan-drivers"},
		{"unknown kernel driver", card("0x1234", "newgpu", true), nil, GPUNoDriver, "newgpu", "Install the Vulkan driver"},
		{"node alone", map[string]string{"dev/dri/renderD128": "", "etc/os-release": "ID=arch\n"}, nil, GPUNoDriver,
			"no Vulkan driver for this device is installed", ""},
		{"host's manifests", card("0x8086", "xe", true, file("run/host/usr/share/vulkan/icd.d/i.json",
			`{"file_format_version":"1.0.0","ICD":{"library_path":"libvulkan_gone.so","api_version":"1.3.0"}}`)), nil, GPUNoDriver,
			"/run/host/usr/share/vulkan/icd.d", "Install the package that has the Vulkan driver ANV (Mesa)."}, // the driver's library is not here
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := examine(t, c.files, Options{}, c.environ...)
			for _, f := range report.Findings {
				if f.Code == c.code && strings.Contains(f.What, c.what) && strings.Contains(f.Do, c.do) {
					return
				}
			}
			t.Errorf("no %s with %q and %q in %+v\n%+v", c.code, c.what, c.do, report.Findings, report.GPUs)
		})
	}
}

// Without certain knowledge, the doctor reports no finding, or at most a warning.
func TestUnknownDevices(t *testing.T) {
	t.Parallel()
	library, err := binary.Parse([]string{"exports=vk_icdGetInstanceProcAddr"})
	if err != nil {
		t.Fatal(err)
	}
	unknown := card("0x1234", "newgpu", true, file("lib/libnewgpu.so", string(library.Bytes())), file("etc/vulkan/icd.d/new.json",
		`{"file_format_version":"1.0.0","ICD":{"library_path":"/lib/libnewgpu.so","api_version":"1.3.0"}}`))
	for _, f := range examine(t, unknown, Options{}).Findings {
		if f.Code == GPUNoDriver || f.Code == SoftwareOnly || f.Code == NoDriver {
			t.Errorf("%+v", f)
		}
	}
	for _, f := range examine(t, card("0x1234", "newgpu", true), Options{}).Findings {
		if f.Code == GPUNoDriver && f.Severity != diag.Warning {
			t.Errorf("%+v", f)
		}
	}
}

// A user may open a node through its group, and in a container through an additional group.
func TestPermission(t *testing.T) {
	t.Parallel()
	gid := strconv.Itoa(os.Getgid())
	base := card("0x1002", "amdgpu", true, file("etc/passwd", "mia:x:61000:61000::/:/bin/sh\nleo:x:61001:61001::/:/bin/sh\n"),
		file("etc/group", "render:x:"+gid+":leo\nmia:x:61000:\n"), file("usr/lib/udev/rules.d/50-udev-default.rules", ""))
	check := func(user string, mode os.FileMode, more map[string]string) string {
		t.Helper()
		root := t.TempDir()
		tree.Lay(t, root, base)
		tree.Lay(t, root, more)
		if err := os.Chmod(filepath.Join(root, "dev/dri/renderD128"), mode); err != nil {
			t.Fatal(err)
		}
		report, err := Examine(&machine.Source{Machine: machine.Machine{Root: root}}, Options{User: user})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.Code == GPUPermission {
				return f.Do
			}
		}
		return ""
	}
	const udev = "The group of the node may not open the node. Let udev set the group, usually render, then join that group. " +
		"Run as root: udevadm trigger --subsystem-match=drm"
	const closed = "The group of /dev/dri/renderD128 may not open it. On the host, let udev set a group that may, usually render. " +
		"Then start the container with the number of that group as an additional group."
	group := "Run as root, then log in again: usermod -aG render mia"
	if gid == "0" { // no group opens a node of the group root
		group = udev
	}
	for _, c := range []struct {
		user string
		mode os.FileMode
		more map[string]string
		want string
	}{
		{"mia", 0o660, nil, group}, {"61000", 0o660, nil, group}, {"leo", 0o660, nil, ""}, {"mia", 0o666, nil, ""},
		{"mia", 0o600, file("etc/group", "render:x:105:leo\n"), udev},
		{"leo", 0o600, file("etc/group", "render:x:105:leo\n"), "The user is in the group render, and udev has not opened the node to this group; udevadm test, " +
			"with the device's path in /sys, shows its reasons. Until the machine's next start, run as root: chgrp render /dev/dri/renderD128 && chmod 660 /dev/dri/renderD128"},
		{"mia", 0o664, nil, group},
		{"mia", 0o660, file("run/.containerenv", ""), "Start the container with: podman run --group-add " + gid + " ..."},
		{"mia", 0o660, file(".dockerenv", ""), "Start the container with: docker run --group-add " + gid + " ..."},
		{"mia", 0o660, file("var/run/secrets/kubernetes.io/x", ""), "In the pod's spec.securityContext: supplementalGroups: [" + gid + "]"},
		{"mia", 0o600, file("run/.containerenv", ""), closed}, {"mia", 0o600, file(".dockerenv", ""), closed},
		{"mia", 0o600, file("var/run/secrets/kubernetes.io/x", ""), closed}, {"mia", 0o600, file("run/systemd/container", "rkt"), closed},
		{"mia", 0o660, join(file("run/systemd/container", "lxc"), file("etc/group", "syslog:x:"+gid+":\nrender:x:108:\n")), // jellyfin/jellyfin issue 6505
			"The host gives the node to the container with another group than render. On the host, let the container's configuration set the group render, 108: on Incus, " +
				"incus config device set CONTAINER DEVICE gid=108; on Proxmox, dev0: /dev/dri/renderD128,gid=108. In the container, the user must be in that group."},
		{"0", 0o600, nil, ""}, {"", 0o600, nil, ""},
	} {
		if got := check(c.user, c.mode, c.more); got != c.want {
			t.Errorf("%s, %o: %q, want %q", c.user, c.mode, got, c.want)
		}
	}
}

// The current user has the name of passwd(5), else that in the environment, or a number.
func TestCurrentUser(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, want := range map[string]string{"mia": "mia", "": "user " + strconv.Itoa(os.Getuid())} {
		h := host{&machine.Machine{Root: root, Environ: []string{"USER=" + name}}}
		if u, err := h.findUser("", nil); err != nil || u.name != want {
			t.Errorf("%q: %+v, %v", name, u, err)
		}
	}
	if u, err := (host{&machine.Machine{}}).findUser("", nil); err != nil || !u.current {
		t.Errorf("of this machine: %+v, %v", u, err)
	}
	tree.Lay(t, root, file("etc/passwd", "root:x:"+strconv.Itoa(os.Getuid())+":0::/:/bin/sh\n"))
	m := &machine.Machine{Environ: []string{"USER=mia"}, Root: root}
	if u, err := (host{m}).findUser("", nil); err != nil || u.name != "root" {
		t.Errorf("after su: %+v, %v", u, err)
	}
}

// An access control list in the kernel's format gives one user a node, within the limits of its mask.
func TestAccessControl(t *testing.T) {
	t.Parallel()
	list := func(entries ...[3]uint32) []byte {
		b := order.LittleEndian.AppendUint32(nil, 2)
		for _, e := range entries {
			b = order.LittleEndian.AppendUint16(b, uint16(e[0]))
			b = order.LittleEndian.AppendUint16(b, uint16(e[1]))
			b = order.LittleEndian.AppendUint32(b, e[2])
		}
		return b
	}
	const owner, group, any = 0, 106, 0xffffffff
	const aclOwner, aclUser, aclGroup, aclGroups, aclMask, aclOthers = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
	const seatMode, maskedMode = 0o660, 0o646
	seat := list([3]uint32{aclOwner, 6, any}, [3]uint32{aclUser, 6, 61000}, [3]uint32{aclGroup, 6, any},
		[3]uint32{aclGroups, 6, 70}, [3]uint32{aclMask, 6, any}, [3]uint32{aclOthers, 0, any})
	masked := list([3]uint32{aclOwner, 6, any}, [3]uint32{aclUser, 6, 61000}, [3]uint32{aclGroup, 6, any},
		[3]uint32{aclMask, 4, any}, [3]uint32{aclOthers, 6, any})
	for _, c := range []struct {
		list []byte
		mode uint32
		user user
		want bool
	}{
		{seat, seatMode, user{id: 61000}, true}, {seat, seatMode, user{id: 61001}, false}, {seat, seatMode, user{id: 61001, groups: []uint32{group}}, true},
		{seat, seatMode, user{id: 61001, groups: []uint32{70}}, true}, {seat, seatMode, user{id: owner}, true},
		{masked, maskedMode, user{id: 61000}, false}, {masked, maskedMode, user{id: 61001, groups: []uint32{group}}, false}, {masked, maskedMode, user{id: owner}, true},
		{masked, maskedMode, user{id: 61001}, true}, {nil, seatMode, user{id: 61001}, false},
	} {
		if got := machine.MayOpen(c.user.id, c.user.groups, owner, group, c.mode, c.list); got != c.want {
			t.Errorf("%x, %+v: %v", c.list, c.user, got)
		}
	}
}

// The advice that installs a library uses the distribution's command.
func TestPackages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ release, library, want string }{
		{"ID=debian", "libxcb-present.so.0", "Run as root: apt install libxcb-present0"},
		{"ID=debian", "libX11-xcb.so.1", "Run as root: apt install libx11-xcb1"},
		{"ID=debian", "libdrm_amdgpu.so.1", "Run as root: apt install libdrm-amdgpu1"},
		{"ID=debian", "libLLVM-15.so.1", "Run as root: apt install libllvm15"},
		{"ID=debian", "libLLVM.so.19.1", "Run as root: apt install libllvm19"},
		{"ID=debian", "libfoo2.so.3", "Run as root: apt install libfoo2-3"},
		{"ID=debian", "libfoo-1.2.so", "Find the package that has it, and install that. Run as root: apt install apt-file && apt-file update && apt-file search libfoo-1.2.so"},
		{"ID=ubuntu\nID_LIKE=debian", "libVkLayer_khronos_validation.so", "Run as root: apt install vulkan-validationlayers"},
		{"ID=debian", "libVkLayer_own.so", "Find the package that has it, and install that. Run as root: apt install apt-file && apt-file update && apt-file search libVkLayer_own.so"},
		{"ID=pop\nID_LIKE=\"ubuntu debian\"", "libelf.so.1", "Run as root: apt install libelf1"},
		{"ID=opensuse-tumbleweed", "libelf.so.1", "Run as root: zypper install 'libelf.so.1()(64bit)'"},
		{"ID=alpine", "libelf.so.1", "Run as root: apk add so:libelf.so.1"},
		{"ID=arch", "libelf.so.1", "Find the package that has it, and install that. Run as root: pacman -Fy libelf.so.1"},
		{"", "libelf.so.1", "Install the package that has libelf.so.1."},
		{"ID=debian", "libnvidia-glvkspirv.so.550.54.14", "Install NVIDIA's driver completely: all of its packages, of one version."},
	} {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "etc/os-release"), []byte(c.release+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := readDistribution(&machine.Machine{Root: root}).libraryAdvice(c.library).text; got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.release, c.library, got, c.want)
		}
	}
}

// An elevated program gets a finding.
func TestElevatedProgram(t *testing.T) {
	t.Parallel()
	for mode, want := range map[os.FileMode]bool{0o755: false, 0o755 | os.ModeSetuid: true, 0o755 | os.ModeSetgid: true, 0o745 | os.ModeSetgid: false} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, "game"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(root, "game"), mode); err != nil {
			t.Fatal(err)
		}
		m := machine.Machine{Root: root}
		report, err := Examine(&machine.Source{Machine: m, Program: "/game", Elevated: process.RightsOf(&m, "/game") != ""}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		has := false
		for _, f := range report.Findings {
			has = has || f.Code == ElevatedProgram && strings.HasPrefix(f.What, "it runs with more rights than its user (set-")
		}
		if has != want {
			t.Errorf("%v: %+v", mode, report.Findings)
		}
	}
}

// A display whose socket is gone is none. One of another host or machine cannot be seen.
func TestDisplaysThatAreThere(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	tree.Lay(t, directory, file("wayland-1", ""))
	for value, want := range map[string]bool{"wayland-1": true, "wayland-2": false, directory + "/wayland-1": true, directory + "/none": false,
		":64999": false, ":64999.0": false, "host:0": true} {
		e := &exam{host: host{&machine.Machine{Environ: []string{"XDG_RUNTIME_DIR=" + directory}}}}
		if e.hasDisplay(value) != want {
			t.Errorf("%s: %v", value, !want)
		}
		if e.machine.Root = directory; !e.hasDisplay(value) {
			t.Errorf("%s of another machine is not there", value)
		}
	}
}
