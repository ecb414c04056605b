package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
)

// commonNVIDIA is the release of NVIDIA's driver that the usual packages of distributions have at least.
const commonNVIDIA = "535"

// rollingNVIDIA are the package managers whose usual packages have the newest release of NVIDIA's driver.
var rollingNVIDIA = []string{"arch", "void"}

// openPackages are the packages with NVIDIA's open kernel modules. A release's number stands for N.
var openPackages = []string{"nvidia-open", "nvidia-open-dkms", "nvidia-open-lts", "nvidia-lts-open", "nvidia-open-kernel-dkms", "nvidia-kernel-open-dkms",
	"nvidia-driver-N-open", "nvidia-driver-N-server-open", "nvidia-dkms-N-open", "nvidia-dkms-N-server-open"}

// makerRelease returns the release of NVIDIA's installed driver; "": unknown.
func (r *Report) makerRelease() string {
	for i := range r.Drivers {
		if f := drivers.Of(r.Drivers[i].Library); f != nil && f.Name == drivers.NVIDIA {
			return drivers.Version(r.Drivers[i].File)
		}
	}
	return ""
}

// branch returns the first number of a release, as in the names of packages.
func branch(release string) string {
	number, _, _ := strings.Cut(release, ".")
	return number
}

// openModules reports whether NVIDIA's kernel modules are the open ones: by the loaded module, or by the installed packages.
func (h host) openModules(release string) bool {
	if loaded := h.text("/proc/driver/nvidia/version"); loaded != "" {
		return strings.Contains(loaded, "Open Kernel Module")
	}
	return !h.machine.AsksRPM() && slices.ContainsFunc(openPackages, func(name string) bool {
		_, is := h.machine.Package(strings.ReplaceAll(name, "N", branch(release)))
		return is
	})
}

// makersModule returns the fact and the advice for a device of NVIDIA without a kernel driver.
func (e *deviceExam) makersModule(g *GPU) (what fact, do advice) {
	releases := e.makersReleases(g)
	if what, do = e.unserved(g); do != nil {
		return said("%s; %s; %s", untaken, releases, what.say()), do
	}
	if what, do = untaken, e.nvidiaModule(); releases == "" {
		return what, do
	}
	if last := e.chip(g).Last; last != "" && !e.hasFamily(drivers.NVIDIA) && e.containerKind() == "" {
		m := e.system.manager()
		if binary.CompareVersions(last, commonNVIDIA) < 0 || m != nil && slices.Contains(rollingNVIDIA, m.id) {
			do = e.system.makersDriver(last)
		}
	}
	return said("%s; %s", untaken, releases), do
}

// unserved returns the reason why NVIDIA's installed driver does not serve a device, with the release or the kernel modules that do.
// do is nil if the driver may serve it.
func (e *deviceExam) unserved(g *GPU) (what fact, do advice) {
	c, have := e.chip(g), e.makerRelease()
	if c == nil || !c.Maker || have == "" || e.containerKind() != "" {
		return nil, nil
	}
	switch is := said("the installed one is %s", have); {
	case c.Last != "" && binary.CompareVersions(branch(have), branch(c.Last)) > 0:
		return is, e.system.makersDriver(c.Last)
	case c.First != "" && binary.CompareVersions(have, c.First) < 0:
		return is, advised("Install release " + c.First + " or newer of NVIDIA's driver.").untried(ofPackage)
	case c.Last != "" && e.openModules(have):
		return said("the installed kernel modules are NVIDIA's open ones, which serve only Turing and newer"), e.system.closedModules(have)
	case c.Open && !e.openModules(have):
		return said("only NVIDIA's open kernel modules serve it"), e.system.openModules(have)
	}
	return nil, nil
}

// makersDriver returns advice to install an older release of NVIDIA's driver.
func (d distribution) makersDriver(last string) advice {
	m := d.manager()
	switch {
	case d.sandbox != "" || d.image != changeable:
	case m != nil && m.id == "arch":
		return advised("Install the packages nvidia-" + last + "xx-dkms and nvidia-" + last + "xx-utils from the AUR, in place of NVIDIA's other packages: " +
			"release " + last + " is the last release for this device.").untried(ofUsual)
	case d.is("ubuntu"):
		return d.choose("nvidia-driver-" + last)
	}
	return advised("Install release " + last + " of NVIDIA's driver, the last release for this device.").untried(ofPackage)
}

// openModules returns advice to install NVIDIA's open kernel modules of a release.
func (d distribution) openModules(release string) advice {
	m := d.manager()
	switch {
	case d.sandbox != "" || d.image != changeable || m == nil:
	case d.is("ubuntu"):
		return d.choose("nvidia-driver-" + branch(release) + "-open")
	case m.id == "debian":
		return d.choose("nvidia-open-kernel-dkms")
	case m.id == "arch":
		return d.choose("nvidia-open-dkms")
	}
	return advised("Install NVIDIA's open kernel modules of release " + release + " in place of the closed ones.").untried(ofPackage)
}

// closedModules returns advice to install NVIDIA's closed kernel modules of a release.
func (d distribution) closedModules(release string) advice {
	m := d.manager()
	switch {
	case d.sandbox != "" || d.image != changeable || m == nil:
	case d.is("ubuntu"):
		return d.choose("nvidia-driver-" + branch(release))
	case m.id == "debian":
		return d.choose("nvidia-kernel-dkms")
	}
	return advised("Install NVIDIA's closed kernel modules of release " + release + " in place of the open ones.").untried(ofPackage)
}

// makersReleases returns the releases of NVIDIA's driver that serve a chip; "" if every release in use does.
func (h host) makersReleases(g *GPU) string {
	c := h.chip(g)
	switch {
	case c == nil || !c.Maker:
		return ""
	case c.Last != "":
		return "NVIDIA's driver serves it up to release " + c.Last
	case binary.CompareVersions(c.First, "500") > 0:
		return "NVIDIA's driver serves it from release " + c.First + " on"
	}
	return ""
}

// nvidiaModule returns advice to install or load the kernel module of NVIDIA. If its libraries are installed, so is the
// package: then the module was not built for this kernel or is not loaded.
func (e *deviceExam) nvidiaModule() advice {
	if kind := e.containerKind(); kind != "" {
		return advised("Load NVIDIA's module of the kernel on the host of " + sandboxWords[kind] + ".")
	}
	if !e.hasFamily(drivers.NVIDIA) {
		return e.system.install(drivers.For("nvidia"))
	}
	if m := e.system.manager(); m == nil || m.id != "debian" {
		return nvidiaModuleMissing
	}
	if headers := e.withoutHeaders(); headers != "" {
		do := e.system.choose(headers)
		if told, is := do.(told); is {
			told.text = "The libraries are installed, but the kernel module was not built, because the headers of this kernel are missing. " + told.text
			do = told
		}
		return do
	}
	return nvidiaModuleDebian
}

// withoutHeaders returns Debian's package with the headers of the running kernel if its modules are there and the headers are not; ""
// otherwise.
func (h host) withoutHeaders() string {
	words := strings.Fields(h.text("/proc/version"))
	if len(words) < 3 || strings.Contains(words[2], "/") {
		return ""
	}
	modules := "/lib/modules/" + words[2]
	if !h.machine.Exists(modules) {
		modules = "/usr" + modules
	}
	if !h.machine.Exists(modules) || h.machine.Exists(modules+"/build") {
		return ""
	}
	return "linux-headers-" + words[2]
}

// computeOnly returns Debian's or Ubuntu's package that adds Vulkan to NVIDIA's packages for computing; "": none of these is installed.
func (d distribution) computeOnly() string {
	m := d.manager()
	if d.machine == nil || m == nil || m.id != "debian" || d.image != changeable {
		return ""
	}
	loaded := host{d.machine}.text("/proc/driver/nvidia/version")
	number := branch(nvidiaVersion(loaded))
	for _, variant := range []string{"", "-server"} {
		if _, is := d.machine.Package("libnvidia-compute-" + number + variant); is && number != "" {
			return "libnvidia-gl-" + number + variant
		}
	}
	if _, is := d.machine.Package("libcuda1"); is && loaded != "" {
		return "nvidia-vulkan-icd"
	}
	return ""
}
