package doctor

import (
	"strings"

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
	case version == "":
		return nvidiaStart(d.sandbox)
	}
	return nvidiaPassed(d.sandbox, h.variable(drivers.NvidiaCapabilities), file)
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
		if m != nil && remove[m.id] != "" {
			line := remove[m.id] + owner
			do = typed(do.text+". In the image's Dockerfile: RUN ", line).untried(outsideOnly)
		}
		return do
	}
	return advised("Start the container again, with the host's driver libraries: --gpus all, or nvidia-ctk cdi " +
		"generate --output=/etc/cdi/nvidia.yaml first").untried(outsideOnly)
}
