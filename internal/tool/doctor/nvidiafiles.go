package doctor

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/drivers"
)

// nvidiaFile returns advice for a missing file of NVIDIA's driver. In a container, the driver comes from the host.
func (d *distribution) nvidiaFile(file string) advice {
	h := host{d.machine}
	version := nvidiaVersion(h.text("/proc/driver/nvidia/version"))
	if d.onMusl() {
		return nvidiaOnMusl
	}
	switch {
	case h.systemContainer():
		return ofHostVersion(version)
	case d.kept || !inContainer(d.sandbox):
		return nvidiaWhole
	case d.class == 32:
		return told{text: "NVIDIA's container tools may leave out the 32-bit libraries. Add those of " + versionOf(version) + " to the image, or mount the host's ones."}.untried(outsideOnly)
	case version == "" && d.tegra() && d.sandbox == "docker":
		return startWith(d.sandbox, "--runtime nvidia -e NVIDIA_DRIVER_CAPABILITIES=all")
	case version == "":
		return nvidiaStart(d.sandbox)
	}
	return nvidiaPassed(d.sandbox, h.variable(drivers.NvidiaCapabilities), file)
}

// tegra reports whether the machine is a board of NVIDIA with JetPack, or a container on such a board.
func (d *distribution) tegra() bool {
	return d.machine.Exists("/etc/nv_tegra_release") || d.machine.Exists("/dev/nvmap")
}

// onMusl reports whether the C library of the system is musl.
func (d *distribution) onMusl() bool {
	m := d.manager()
	return m != nil && m.id == "alpine"
}

// glibcOwn are the names of glibc's own libraries.
var glibcOwn = []string{"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux.so.2", "ld-linux-aarch64.so.1"}

// versionOf names NVIDIA's driver of the kernel module's version; "": unknown.
func versionOf(version string) string {
	if version == "" {
		return "the host's version of NVIDIA's driver"
	}
	return "NVIDIA's driver " + version
}

// ofHostVersion returns advice for a container that is a whole system: its packages must have the version of the host's driver.
func ofHostVersion(version string) advice {
	return advised("Install " + versionOf(version) + " in the container, without kernel modules: the version of the host.").untried(ofPackage)
}

// nvidiaStart returns advice to start a container with NVIDIA's devices and driver.
func nvidiaStart(kind string) advice {
	switch kind {
	case "podman":
		return startWith(kind, "--device nvidia.com/gpu=all")
	case "kubernetes":
		return advised("Ask for the device in the pod's resources.limits (nvidia.com/gpu, gpu.intel.com/i915, amd.com/gpu).")
	}
	return startWith(kind, "--gpus all -e NVIDIA_DRIVER_CAPABILITIES=all")
}

// nvidiaPassed returns advice for a container with NVIDIA's devices that lacks one of the driver's files. can is the value of
// NVIDIA_DRIVER_CAPABILITIES; Podman's CDI files have all capabilities.
func nvidiaPassed(kind, can, file string) advice {
	if kind != "podman" && !drivers.GrantsGraphics(can) {
		return capabilities(kind == "kubernetes", can)
	}
	const command = "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"
	return advised("On the host, generate the CDI file again, and start the container again: "+command+"; if that file does not have "+file+
		", update NVIDIA's container toolkit, or mount the file", command).untried(outsideOnly)
}

// replaced returns advice for a library of NVIDIA's driver whose version is not that of the kernel's module. owner is the package of the
// library; "": unknown.
func (e *exam) replaced(kernel, owner string) advice {
	kind := e.containerKind()
	switch {
	case e.systemContainer():
		return ofHostVersion(kernel)
	case kind != "" && owner != "" && !e.entered():
		remove := map[string]string{"debian": "apt-get remove -y ", "fedora": "dnf remove -y ", "rhel": "dnf remove -y ", "arch": "pacman -Rs --noconfirm ",
			"suse": "zypper --non-interactive remove "}
		m := e.system.manager()
		owner, _, _ = strings.Cut(owner, ":")
		do := advised("The image has a driver of its own, in the package " + owner + ". Remove it from the image").untried(outsideOnly)
		if m != nil && remove[m.id] != "" && libraryName.MatchString(owner) {
			line := remove[m.id] + owner
			do = typed(do.text+". In the image's Dockerfile: RUN ", line).untried(outsideOnly)
		}
		return do
	}
	return advised("Start the container again, with the host's driver libraries: --gpus all, or nvidia-ctk cdi " +
		"generate --output=/etc/cdi/nvidia.yaml first").untried(outsideOnly)
}

// nvidiaNodes returns advice about a node of NVIDIA's driver that not everybody may open. The driver itself makes its nodes with the mode
// 0666; options of its module change the mode.
func (e *exam) nvidiaNodes(node string) advice {
	command := "chmod 666 " + node
	for _, name := range e.machine.Names("/dev") {
		if number, is := strings.CutPrefix(name, "nvidia"); is && node != nvidiaModeset && "/dev/"+name != node && number != "" && strings.Trim(number, "0123456789") == "" {
			command += " /dev/" + name
		}
	}
	do := asRoot(command).untried(ofKernel)
	do.text = "The usual mode of the node is 666; the options NVreg_DeviceFile... in /etc/modprobe.d may set another one. Until the next start: " +
		strings.ToLower(do.text[:1]) + do.text[1:]
	return do
}

// nvidiaModeset is the node with which NVIDIA's driver shows images in windows. Without it, programs that only compute work.
const nvidiaModeset = "/dev/nvidia-modeset"

// windowless adds a finding for a device of NVIDIA with a display, if the user may not open the node for windows, or a container lacks it.
// Sources: NVIDIA/libnvidia-container pull request 388 and PierreBeucher/cloudypad issue 381.
func (e *exam) windowless(g *GPU) {
	if g.Kernel != "nvidia" || len(g.Drivers) == 0 || e.variable("DISPLAY")+e.variable("WAYLAND_DISPLAY") == "" {
		return
	}
	const consequence = ", so programs show no window on the device"
	switch kind := e.containerKind(); {
	case !e.machine.Exists(nvidiaModeset) && kind != "":
		do := said("Start the container with: %s run --device %s ...", kind, nvidiaModeset)
		if kind == "kubernetes" || kind == "container" {
			do = "Pass " + nvidiaModeset + " to the container."
		}
		e.found(GPUNoNode, g.Title(), nvidiaModeset, sentence(nvidiaModeset+" does not exist"+consequence), advised(string(do)).untried(outsideOnly)).soften(diag.Note)
	case e.machine.Exists(nvidiaModeset) && !e.user.may(e.host, nvidiaModeset):
		e.found(GPUPermission, g.Title(), nvidiaModeset, said(forbidden+consequence, e.user.name, nvidiaModeset), e.nvidiaNodes(nvidiaModeset)).soften(diag.Warning)
	}
}
