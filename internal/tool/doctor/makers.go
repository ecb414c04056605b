package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/term"
)

// commonNVIDIA is the release of NVIDIA's driver that the usual packages of distributions have at least.
const commonNVIDIA = "535"

// rollingNVIDIA are the package managers whose usual packages have the newest release of NVIDIA's driver.
var rollingNVIDIA = []string{"arch", "void"}

// moduleKind is the kind of NVIDIA's installed kernel modules.
type moduleKind uint8

const (
	unknownModules moduleKind = iota
	openModules
	closedModules
)

// makerRelease returns the release of NVIDIA's installed driver, or else of its loaded module; "": unknown.
func (r *Report) makerRelease() string {
	for i := range r.Drivers {
		if f := drivers.Of(r.Drivers[i].Library); f != nil && f.Name == drivers.NVIDIA {
			return drivers.Version(r.Drivers[i].File)
		}
	}
	return host{&r.source.Machine}.nvidiaLoaded()
}

// branch returns the first number of a release, as in the names of packages.
func branch(release string) string {
	number, _, _ := strings.Cut(release, ".")
	return number
}

// hasPackage reports whether one of several packages of a list for a release is installed.
func (h host) hasPackage(list, release string) bool {
	return slices.ContainsFunc(nameLists()[list], func(name string) bool {
		_, is := h.machine.Package(strings.ReplaceAll(name, "N", branch(release)))
		return is
	})
}

// moduleKind returns the kind of NVIDIA's kernel modules: of the loaded module, or of the installed packages. The packages of RPM
// and of most other systems do not tell the kind.
func (h host) moduleKind(release string) moduleKind {
	if loaded := h.machine.Text("/proc/driver/nvidia/version"); loaded != "" {
		return term.Either(strings.Contains(loaded, "Open Kernel Module"), openModules, closedModules)
	}
	if h.machine.AsksRPM() {
		return unknownModules
	}
	switch open, closed := h.hasPackage("nvidia-open", release), h.hasPackage("nvidia-closed", release); {
	case open && !closed:
		return openModules
	case closed && !open:
		return closedModules
	}
	return unknownModules
}

// together returns the facts that are not empty as one sentence.
func together(parts ...fact) sentence {
	texts := term.Words(parts, fact.say)
	return sentence(strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; "))
}

// makersModule returns the fact and the advice for a device of NVIDIA without a kernel driver.
func (e *exam) makersModule(g *GPU) (what fact, do *Remedy) {
	releases := sentence(e.makersReleases(g))
	why, do := e.whyUnserved(g)
	what = together(untaken, releases, why)
	if do != nil {
		return what, do
	}
	if do = e.nvidiaModule(); releases == "" {
		return what, do
	}
	if last := e.chip(g).Last; last != "" && !e.hasFamily(drivers.NVIDIA) && e.containerKind() == "" {
		if binary.CompareVersions(last, commonNVIDIA) < 0 || slices.Contains(rollingNVIDIA, e.system.family()) {
			do = e.system.by("nvidia-last", with("last", last))
		}
	}
	return what, do
}

// whyUnserved returns the reason why NVIDIA's installed driver does not serve a device, with advice to install the
// release or the kernel modules that do. do is nil if the driver may serve the device; why is then a remark, or empty. In
// a container, the driver is that of the host, whose module is loaded.
func (e *exam) whyUnserved(g *GPU) (why sentence, do *Remedy) {
	c, have := e.chip(g), e.makerRelease()
	contained := e.containerKind() != ""
	if contained {
		have = e.nvidiaLoaded()
	}
	if c == nil || !c.Maker || have == "" {
		return "", nil
	}
	is := textf(term.Either(e.makersReleases(g) == "", "the installed release of NVIDIA's driver is %s", "the installed one is %s"), have)
	const onlyOpen sentence = "only NVIDIA's open kernel modules serve it"
	switch kind := e.moduleKind(have); {
	case c.Last != "" && (binary.CompareVersions(branch(have), branch(c.Last)) > 0 || binary.CompareVersions(have, c.First) < 0):
		return is, e.system.by("nvidia-last", with("last", c.Last))
	case c.First != "" && binary.CompareVersions(have, c.First) < 0:
		return is, e.system.by("nvidia-first", with("first", c.First))
	case contained:
	case c.Last != "" && kind == openModules:
		return "the installed kernel modules are NVIDIA's open ones, which serve only Turing and newer", e.system.modules(false, have)
	case c.Open && kind == closedModules:
		return onlyOpen, e.system.modules(true, have)
	case c.Open && kind == unknownModules:
		return onlyOpen, nil
	}
	return "", nil
}

// modules returns advice to install NVIDIA's kernel modules of a release: the open ones, or the closed ones.
func (d distribution) modules(open bool, release string) *Remedy {
	return d.by(term.Either(open, "nvidia-open", "nvidia-closed"), with("release", release, "branch", branch(release)))
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
func (e *exam) nvidiaModule() *Remedy {
	do, headers := e.system.by("load-of-nvidia", nil), e.missingHeaders()
	switch {
	case do.because != ofKernel: // the host's kernel
	case !e.hasFamily(drivers.NVIDIA):
		return e.system.install(drivers.For("nvidia"), false)
	case headers != "":
		return e.system.by("headers", with("p", headers))
	default:
		return e.addSigning(do)
	}
	return do
}

// missingHeaders returns the package with the kernel's headers, if DKMS needs them for NVIDIA's missing module.
func (e *exam) missingHeaders() string {
	release := e.kernelRelease()
	tree := e.machine.ModulesOf(release)
	if tree == "" || e.machine.Exists(tree+"/build") || !e.hasPackage("nvidia-dkms", e.makerRelease()) || e.machine.MayHaveModule(tree, isMakersModule) {
		return ""
	}
	return "linux-headers-" + release
}

// isMakersModule reports whether a module is one of NVIDIA's driver: nvidia.ko, or nvidia-current.ko and others of Debian. The
// kernel's own nvidiafb.ko and nvidia-wmi-ec-backlight.ko are not.
func isMakersModule(name string) bool {
	return name == "nvidia" || strings.HasPrefix(name, "nvidia-current") || strings.HasPrefix(name, "nvidia-open") ||
		strings.HasPrefix(name, "nvidia-tesla") || strings.HasPrefix(name, "nvidia-legacy")
}

// computeOnly returns Debian's or Ubuntu's package that adds Vulkan to NVIDIA's packages for computing; "": none of these is installed.
func (d distribution) computeOnly() string {
	if d.machine == nil || d.family() != "debian" {
		return ""
	}
	number := branch(host{d.machine}.nvidiaLoaded())
	for _, variant := range []string{"", "-server"} {
		if _, is := d.machine.Package("libnvidia-compute-" + number + variant); is && number != "" {
			return "libnvidia-gl-" + number + variant
		}
	}
	if _, is := d.machine.Package("libcuda1"); is && number != "" {
		return "nvidia-vulkan-icd"
	}
	return ""
}

// replacementAdvice returns advice for a library of NVIDIA's driver whose version is not that of the kernel's module.
func (d *distribution) replacementAdvice(owner string) *Remedy {
	owner, _, _ = strings.Cut(owner, ":")
	return d.by(term.Either(isFileName(owner), "nvidia-own", "nvidia-replaced"), with("p", owner))
}

// nvidiaNodes returns advice about a node of NVIDIA's driver that not everybody may open. The driver itself makes its nodes with the mode
// 0666; options of its module change the mode.
func (e *exam) nvidiaNodes(node string) *Remedy {
	nodes := []string{node}
	for _, other := range drivers.Matches(e.machine, []string{"/dev/nvidia[0-9]*"}) {
		if node != nvidiaModeset && other != node {
			nodes = append(nodes, other)
		}
	}
	return e.system.by("nvidia-nodes", arguments{"nodes": nodes})
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
	switch {
	case !e.machine.Exists(nvidiaModeset) && e.containerKind() != "":
		do := e.system.by("node-for-windows", with("node", nvidiaModeset))
		e.add(GPUNoNode, g.Title(), nvidiaModeset, sentence(nvidiaModeset+" does not exist"+consequence), do, something)
	case e.machine.Exists(nvidiaModeset) && !e.user.may(e.host, nvidiaModeset):
		e.add(GPUPermission, g.Title(), nvidiaModeset, textf(forbidden+consequence, e.user.name, nvidiaModeset), e.nvidiaNodes(nvidiaModeset), little)
	}
}
