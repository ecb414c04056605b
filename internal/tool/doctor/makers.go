package doctor

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
)

// commonNVIDIA is the release of NVIDIA's driver that the usual packages of distributions have at least.
const commonNVIDIA = "535"

// Kinds of NVIDIA's installed kernel modules; "": unknown.
const (
	openModules   = "open"
	closedModules = "closed"
)

// makerRelease returns the release of NVIDIA's installed driver, or else of its loaded module; "": unknown.
func (r *Report) makerRelease() string {
	if m := find(r.Drivers, func(m *Entry) bool { return m.family().Is(drivers.NVIDIA) }); m != nil {
		return drivers.Version(m.File)
	}
	return r.host().nvidiaLoaded()
}

// branch returns the first number of a release, as in the names of packages.
func branch(release string) string {
	number, _, _ := strings.Cut(release, ".")
	return number
}

// hasPackage reports whether one of several packages of a list for a release is installed.
func (h host) hasPackage(list, release string) bool {
	d := &distribution{machine: h.machine}
	return slices.ContainsFunc(nameLists()[list],
		func(name string) bool { return d.packageNamed(strings.ReplaceAll(name, "N", branch(release))) != nil })
}

// moduleKind returns the kind of NVIDIA's kernel modules: of the loaded module, or of the installed packages. The
// packages of RPM and of most other systems do not tell the kind.
func (h host) moduleKind(release string) string {
	if loaded := h.machine.Text("/proc/driver/nvidia/version"); loaded != "" {
		return term.Either(strings.Contains(loaded, "Open Kernel Module"), openModules, closedModules)
	}
	if h.machine.AsksRPM() {
		return ""
	}
	switch open, closed := h.hasPackage("nvidia-open", release), h.hasPackage("nvidia-closed", release); {
	case open && !closed:
		return openModules
	case closed && !open:
		return closedModules
	}
	return ""
}

// together returns the facts that are not empty as one sentence.
func together(parts ...fact) sentence {
	texts := term.Words(parts, fact.say)
	return sentence(strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; "))
}

// makersDriver returns advice to install NVIDIA's driver for a chip: its last release, where the usual packages are
// newer.
func (e *exam) makersDriver(c *drivers.Chip) *Remedy {
	if c.Last != "" && (binary.CompareVersions(c.Last, commonNVIDIA) < 0 ||
		slices.Contains([]string{"arch", "void"}, e.system.family())) { // they have the newest release alone
		return e.system.by("nvidia-last", with("last", c.Last))
	}
	return e.system.install(drivers.For("nvidia"), false)
}

// whyUnserved returns the reason why NVIDIA's installed driver does not serve a device, with advice to install the
// release or the kernel modules that do. do is nil if the driver may serve the device; why is then a remark, or empty.
// In a container, the driver is that of the host, whose module is loaded.
func (e *exam) whyUnserved(g *GPU) (why sentence, do *Remedy) {
	c, have := e.chip(g), e.makerRelease()
	contained := e.containerKind() != ""
	if contained {
		have = e.nvidiaLoaded()
	}
	if c == nil || !c.Maker || have == "" {
		return "", nil
	}
	is := textf(term.Either(e.makersReleases(g) == "", "the installed release of NVIDIA's driver is %s",
		"the installed one is %s"), have)
	const onlyOpen sentence = "only NVIDIA's open kernel modules serve it"
	switch kind := e.moduleKind(have); {
	case c.Last != "" &&
		(binary.CompareVersions(branch(have), branch(c.Last)) > 0 || binary.CompareVersions(have, c.First) < 0):
		return is, e.system.by("nvidia-last", with("last", c.Last))
	case c.First != "" && binary.CompareVersions(have, c.First) < 0:
		return is, e.system.by("nvidia-first", with("first", c.First))
	case contained:
	case c.Last != "" && kind == openModules:
		return "the installed kernel modules are NVIDIA's open ones, which serve only Turing and newer",
			e.system.modules(false, have)
	case c.Open && kind == closedModules:
		return onlyOpen, e.system.modules(true, have)
	case c.Open && kind == "":
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
	if tree == "" || e.machine.Exists(tree+"/build") || !e.hasPackage("nvidia-dkms", e.makerRelease()) ||
		e.machine.MayHaveModule(tree, isMakersModule) {
		return ""
	}
	return "linux-headers-" + release
}

// isMakersModule reports whether a module is one of NVIDIA's driver: nvidia.ko, or nvidia-current.ko and others of
// Debian. The kernel's own nvidiafb.ko and nvidia-wmi-ec-backlight.ko are not.
func isMakersModule(name string) bool {
	return name == "nvidia" || strings.HasPrefix(name, "nvidia-current") || strings.HasPrefix(name, "nvidia-open") ||
		strings.HasPrefix(name, "nvidia-tesla") || strings.HasPrefix(name, "nvidia-legacy")
}

// graphicsPackage returns the package that adds Vulkan to the installed packages of NVIDIA's driver for computing; "":
// they are not installed, or it is.
func (d distribution) graphicsPackage() string {
	if d.machine == nil {
		return ""
	}
	number := branch(host{d.machine}.nvidiaLoaded())
	isInstalled := func(name string) bool {
		return number != "" && d.packageNamed(strings.ReplaceAll(name, "N", number)) != nil
	}
	missing := pairValue("nvidia-graphics", isInstalled)
	return term.Either(isInstalled(missing), "", strings.ReplaceAll(missing, "N", number))
}

// replacementAdvice returns advice for a library of NVIDIA's driver whose version is not that of the kernel's module.
func (d *distribution) replacementAdvice(owner string) *Remedy {
	owner, _, _ = strings.Cut(owner, ":")
	do := d.by(term.Either(isFileName(owner), "nvidia-own", "nvidia-replaced"), with("p", owner))
	if conditions["image"](d) && conditions["passed"](d) && !conditions["graphics"](d) { // iree-org/iree issue 3550
		do = do.before(d.by("nvidia-passed", nil)) // the host's graphics libraries are not there yet
	}
	return do
}

// nvidiaNodes returns advice about a node of NVIDIA's driver that not everybody may open. The driver itself makes its
// nodes with the mode 0666; options of its module change the mode.
func (e *exam) nvidiaNodes(node string) *Remedy {
	nodes := []string{node}
	for _, other := range drivers.Matches(e.machine, []string{"/dev/nvidia[0-9]*"}) {
		if node != nvidiaModeset && other != node {
			nodes = append(nodes, other)
		}
	}
	return e.system.by("nvidia-nodes", arguments{"node": {node}, "nodes": nodes})
}

// nvidiaModeset is the node with which NVIDIA's driver shows images in windows. Without it, programs that only compute
// work.
const nvidiaModeset = "/dev/nvidia-modeset"

// makeNode returns advice to make a node of NVIDIA's driver with options of nvidia-modprobe.
func (d *distribution) makeNode(node string, options ...string) *Remedy {
	return d.by("modeset", arguments{"node": {node}, "load": options})
}

// windowless adds a finding for a device of NVIDIA with a display, if the user may not open the node for windows, or if
// the node is missing and the driver cannot make it with a setuid nvidia-modprobe; and for a program that draws on the
// screens itself, if the kernel driver does not drive them. Sources: linuxserver/docker-steam pull request 2,
// NVIDIA/libnvidia-container pull request 388, PierreBeucher/cloudypad issue 381 and ValveSoftware/gamescope issues 493
// and 833.
func (e *exam) windowless(g *GPU) {
	compositor := e.source.Program != "" && hasPrefixOf("compositor", path.Base(e.source.Program))
	displays := e.variable("DISPLAY") + e.variable("WAYLAND_DISPLAY")
	if g.Kernel != "nvidia" || len(g.Drivers) == 0 || displays == "" && !compositor {
		return
	}
	const consequence = ", so programs show no window on the device"
	missing := !e.machine.Exists(nvidiaModeset)
	switch {
	case missing && (e.containerKind() != "" || e.machine.Exists("/sys/module/nvidia_modeset") &&
		process.RightsOf(e.machine, "/usr/bin/nvidia-modprobe") == ""):
		e.add(DeviceWindowless, g.Title(), nvidiaModeset, sentence(nvidiaModeset+" does not exist"+consequence),
			e.system.makeNode(nvidiaModeset, "-m"))
	case compositor && e.lacksModeset():
		e.add(DeviceWindowless, g.Title(), nvidiaParameter, textf("the kernel driver nvidia_drm runs without modeset, "+
			"and %s needs it to show images", path.Base(e.source.Program)),
			e.system.bootWords([]string{"nvidia-drm.modeset=1"}, nil))
	case e.machine.Exists(nvidiaModeset) && !e.user.may(e.host, nvidiaModeset):
		e.add(GPUPermission, g.Title(), nvidiaModeset, textf(forbidden+consequence, e.user.name, nvidiaModeset),
			e.nvidiaNodes(nvidiaModeset), little)
	case g.render != "" && e.machine.Exists(g.render) && !e.user.may(e.host, g.render):
		e.add(GPUPermission, g.Title(), g.render,
			textf(forbidden+", so programs that share images with the kernel, as gamescope, do not use the device",
				e.user.name, g.render), e.permissionCure(g.render, &e.user, e.unitsOf(&e.user)), little)
	}
}

// nvidiaParameter tells whether NVIDIA's kernel driver drives displays. Only root may read it.
const nvidiaParameter = "/sys/module/nvidia_drm/parameters/modeset"

// lacksModeset reports whether NVIDIA's kernel driver does not drive displays, as releases before 560 do not by
// default.
func (h host) lacksModeset() bool {
	if value := h.machine.Text(nvidiaParameter); value != "" || !h.machine.Exists(nvidiaParameter) {
		return value == "N"
	}
	enables := regexp.MustCompile(`nvidia[-_]drm[. ].*modeset=[1yY]`)
	set := enables.MatchString(strings.Join(h.machine.BootWords(), " "))
	h.machine.EachLine("modprobe.d", ".conf",
		func(_ string, _ int, line string) { set = set || enables.MatchString(line) })
	return !set && binary.CompareVersions(h.nvidiaLoaded(), "560") < 0
}

// chip returns the known facts about a device's chip; nil: unknown.
func (h host) chip(g *GPU) *drivers.Chip {
	c := drivers.ChipOf(h.machine, g.Vendor, g.Device, g.directory)
	if c == nil && g.Kernel == "virtio_gpu" && g.directory != "" {
		return drivers.ChipByPCI(0x1af4, 0x1050)
	}
	return c
}

// addWithoutVulkan adds a finding for a device whose chip has no Vulkan driver, and reports whether it did.
func (e *exam) addWithoutVulkan(g *GPU) bool {
	c := e.chip(g)
	if c == nil || c.HasVulkan() {
		return false
	}
	found := e.add(GPUNoVulkan, g.Title(), "", sentence("no Vulkan driver exists for it"), nil)
	found.missing = !contains(e.GPUs, e.expects)
	g.Drivers = []string{} // the kernel driver's Vulkan drivers are for newer chips
	return true
}

// expects reports whether a device should have Vulkan.
func (h host) expects(g *GPU) bool {
	c := h.chip(g)
	return !g.displayOnly() && !g.isReserved() && (c == nil || c.HasVulkan()) && !(g.virtual() && len(g.Drivers) == 0)
}

// virtual reports whether a device belongs to a virtual machine; its host decides how much Vulkan it has.
func (g *GPU) virtual() bool {
	return drivers.Virtual(g.Kernel)
}

// lacksVenus reports whether the features of a virtual machine's device show that the host offers no Vulkan.
func (h host) lacksVenus(g *GPU) bool {
	if !g.virtual() || g.directory == "" {
		return false
	}
	features := drivers.VirtioFeatures(h.machine, g.directory)
	needed := []int{0, 3, 4} // 3D commands, host-visible memory and several context types, for Venus
	return features != "" && slices.ContainsFunc(needed, func(bit int) bool { return features[bit] != '1' })
}

// everyMesa is the oldest Mesa release of any supported system. A chip that it knows needs no look into the library.
const everyMesa = "20.3"

// tooNew adds a finding for a device whose driver is older than its chip, and reports whether it did.
func (e *exam) tooNew(g *GPU) bool {
	c := e.chip(g)
	if g.Kernel == "nouveau" && c != nil && e.addBeforeNVK(g, c) {
		return true
	}
	if c == nil || c.Mesa == "" || binary.CompareVersions(c.Mesa, everyMesa) <= 0 {
		return false
	}
	have, newest := "", &Entry{}
	for m := range each(e.Drivers) {
		if !m.Good || m.family() == nil || !slices.Contains(g.Drivers, m.Manifest) {
			continue
		}
		version := cached(e.system.packages.mesa, m.File,
			func() string { return drivers.MesaRelease(e.machine, m.File) })
		if version == "" || binary.CompareVersions(version, c.Mesa) >= 0 {
			return false // another driver, or one that lists the chip
		}
		if have == "" || binary.CompareVersions(version, have) > 0 {
			have, newest = version, m
		}
	}
	if have == "" {
		return false
	}
	what := textf(needsNewer, "Mesa", term.Or(g.Label, c.Name), c.Mesa, have)
	e.add(GPUNeedsNewer, g.Title(), newest.Manifest, what, e.system.by("mesa", e.system.newerMesa(c)))
	return true
}

// addBeforeNVK adds a finding for an NVIDIA device on nouveau that Mesa's driver does not list, and reports whether it
// did.
func (e *exam) addBeforeNVK(g *GPU, c *drivers.Chip) bool {
	running, name := e.kernelVersion(), term.Or(g.Label, c.Name)
	switch {
	case c.Mesa == "":
		what := textf("Mesa's driver does not list %s, and the kernel's driver is nouveau", name)
		e.add(GPUNouveau, g.Title(), g.directory, what, e.system.by("nvidia-last", with("last", c.Last)))
	case running != "" && binary.CompareVersions(running, c.Kernel) < 0:
		e.add(GPUNeedsNewer, g.Title(), g.directory, textf(needsNewer, "Linux", name, c.Kernel, running),
			e.system.newerLinux(c))
	default:
		return false
	}
	return true
}

// newerLinux returns advice about a Linux release with a driver for a chip.
func (d distribution) newerLinux(c *drivers.Chip) *Remedy {
	return d.by("linux", d.since(c.Kernel, "Linux", d.kernel, func(s drivers.Suite) string { return s.Kernel }))
}

// newerMesa returns the arguments of advice about a Mesa release that supports a chip.
func (d distribution) newerMesa(c *drivers.Chip) arguments {
	return d.since(c.Mesa, "Mesa", "mesa-vulkan-drivers", func(s drivers.Suite) string { return s.Mesa })
}

// since returns the arguments of advice about a release of a program, with the suite that has it in a package.
func (d distribution) since(first, program, p string, of func(drivers.Suite) string) arguments {
	if suite, has := d.suite(); has && binary.CompareVersions(of(suite), first) >= 0 {
		return with("first", first, "suite", suite.Name, "what", program+" "+of(suite), "p", p)
	}
	return with("first", first)
}

// kernelVersion returns the version of the running kernel, such as 6.1; "" if unknown.
func (h host) kernelVersion() string {
	return regexp.MustCompile(`^[0-9]+\.[0-9]+`).FindString(h.machine.KernelName())
}

// suite returns the suite with newer packages for the system's release.
func (d distribution) suite() (drivers.Suite, bool) {
	if len(d.ids) == 0 {
		return drivers.Suite{}, false
	}
	return drivers.NewerSuite(d.ids[0], d.version)
}

// reallyHas reports whether a family's package contains its driver in this release of the distribution.
func (d distribution) reallyHas(f *drivers.Family) bool {
	if len(d.ids) == 0 {
		return true
	}
	lacks := drivers.LackedBy(d.ids[0], d.version)
	for _, id := range d.ids[1:] {
		lacks = append(lacks, drivers.LackedBy(id, "")...)
	}
	return !slices.Contains(lacks, f.Name)
}

// addWithoutKernelDriver adds a finding for a device without a kernel driver.
func (e *exam) addWithoutKernelDriver(g *GPU) {
	lost, ofNvidia := usual, g.vendor() == "NVIDIA"
	c, running := e.chip(g), e.kernelVersion()
	missing, do := e.kernelCure(g)
	what := fact(together(untaken, missing))
	if c != nil && c.Kernel != "" && running != "" && binary.CompareVersions(running, c.Kernel) < 0 && !ofNvidia {
		what, do = textf(needsNewer, "Linux", term.Or(g.Label, c.Name), c.Kernel, running), e.system.newerLinux(c)
	} else {
		why, other := e.whyUnserved(g)
		if releases := sentence(e.makersReleases(g)); ofNvidia {
			what = together(untaken, releases, why)
			if do = other; do == nil && releases != "" && !e.hasFamily(drivers.NVIDIA) && e.containerKind() == "" {
				do = e.makersDriver(c)
			} else if do == nil {
				do = e.nvidiaModule()
			}
		}
		if other == nil {
			what, do, lost = e.moduleObstacle(g, what, do)
		}
	}
	if modules := e.modules(g); len(modules) > 0 && !ofNvidia && lost == usual {
		do = e.withDriver(do, modules[0])
	}
	e.add(GPUNoKernelDriver, g.Title(), g.directory, what, do, lost)
}

// venus adds a finding for a virtual machine's device that lacks a driver or the host's support, and reports whether it
// did.
func (e *exam) venus(g *GPU) bool {
	if !g.virtual() || len(g.Drivers) > 0 && !e.lacksVenus(g) {
		return false
	}
	if e.lacksVenus(g) {
		e.add(GPUVirtual, g.Title(), "",
			sentence(
				"it is a virtual machine's device, and the host does not offer Vulkan to the machine"), nil).excludedBy = "the host"
	} else if !e.leftOut(g) {
		f := drivers.For(g.Kernel)
		p, _ := e.missingManifest(f)
		e.add(GPUVirtual, g.Title(), "", textf("it is a virtual machine's device, and no Vulkan driver for it is installed%s",
			driverlessText(p)), e.installDriver(f, p != nil))
	}
	g.Drivers = []string{}
	return true
}

// programWants adds a finding if the program needs more than the last driver of every device offers.
func (e *exam) programWants() {
	want := decide.WantOf(e.machine, e.source.Program)
	if want == nil || len(e.GPUs) == 0 {
		return
	}
	var texts []string
	var do *Remedy
	always := true
	for g := range each(e.GPUs) {
		c := e.chip(g)
		if !e.expects(g) && (c == nil || c.HasVulkan()) {
			continue
		}
		if c == nil {
			return
		}
		text, never := c.Limit(want)
		if text == "" || !never && g.Kernel != "nvidia" { // Mesa's driver may meet it
			return
		}
		texts, always = append(texts, g.Label+": "+text), always && never
		if do == nil && never {
			do = olderRelease(c.Instead(want))
		}
	}
	if len(texts) == 0 {
		return
	}
	if with := pairValue("opengl", func(name string) bool { return strings.HasPrefix(want.Name, name) }); do == nil &&
		always && with != "" {
		do = newAdvice("To draw with OpenGL in place of Vulkan: " + with + ".")
	}
	e.add(ProgramNeeds, want.Name, "", textf("it requires %s. %s", want.Text(), strings.Join(texts, "; ")), do,
		term.Either(always, everything, usual))
}

// olderRelease returns advice to use an older release of a program, whose requirements are met; nil: none.
func olderRelease(release *drivers.Want) *Remedy {
	if release == nil {
		return nil
	}
	return advice("older-release", "name", release.Name, "needs", release.Text())
}

// offering returns advice for a device whose driver of a family does not meet a program's requirements: another driver
// for the device, or a newer release.
func (e *exam) offering(f *drivers.Family, g *GPU) *Remedy {
	if f == nil {
		return nil
	}
	if g != nil {
		if other := drivers.For(g.Kernel); other != nil && other.Name != f.Name && !e.hasFamily(other.Name) {
			return newAdvice("Another driver for the device may have it, " + other.Name + ".").
				before(e.installDriver(other, false))
		}
	}
	mesa := arguments{}
	if f.IsMesa() {
		mesa = with("mesa", "Mesa")
	}
	return e.system.by("offer", mesa)
}
