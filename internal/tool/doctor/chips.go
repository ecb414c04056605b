package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/term"
)

// dozen is the driver for the Windows Subsystem for Linux.
const dozen = "Dozen (Mesa)"

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
	e.add(GPUNoVulkan, g.Title(), "", sentence("no Vulkan driver exists for it"), nil)
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

// venusBits are the bits of a virtio GPU that Venus needs: 3D commands, host-visible memory, several context types.
var venusBits = []int{0, 3, 4}

// lacksVenus reports whether the features of a virtual machine's device show that the host offers no Vulkan.
func (h host) lacksVenus(g *GPU) bool {
	if !g.virtual() || g.directory == "" {
		return false
	}
	features := drivers.VirtioFeatures(h.machine, g.directory)
	return features != "" && slices.ContainsFunc(venusBits, func(bit int) bool { return features[bit] != '1' })
}

// mesaVersion returns the Mesa release in a driver's library; "" for other drivers.
func (e *exam) mesaVersion(m *Entry) string {
	if version, known := e.system.packages.mesa[m.File]; known || m.File == "" {
		return version
	}
	version := drivers.MesaRelease(e.machine, m.File)
	e.system.packages.mesa[m.File] = version
	return version
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
		f := drivers.Of(m.Library)
		if !m.Good || f == nil || !slices.Contains(g.Drivers, m.Manifest) {
			continue
		}
		version := e.mesaVersion(m)
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
	e.add(GPUNeedsNewer, g.Title(), newest.Manifest, what, e.system.newerMesa(c))
	return true
}

// addBeforeNVK adds a finding for an NVIDIA device on nouveau that Mesa's driver does not list, and reports whether it did.
func (e *exam) addBeforeNVK(g *GPU, c *drivers.Chip) bool {
	running, name := e.kernelVersion(), term.Or(g.Label, c.Name)
	switch {
	case c.Mesa == "":
		what := textf("Mesa's driver does not list %s, and the kernel's driver is nouveau", name)
		e.add(GPUNouveau, g.Title(), g.directory, what, e.system.by("nvidia-last", with("last", c.Last)))
	case running != "" && binary.CompareVersions(running, c.Kernel) < 0:
		e.add(GPUNeedsNewer, g.Title(), g.directory, textf(needsNewer, "Linux", name, c.Kernel, running), e.system.newerLinux(c))
	default:
		return false
	}
	return true
}

// kernelPackage returns Debian's package of the kernel for an architecture.
func kernelPackage(target string) string {
	return pairValue("kernel", func(name string) bool { return name == target })
}

// newerLinux returns advice about a Linux release with a driver for a chip.
func (d distribution) newerLinux(c *drivers.Chip) *Remedy {
	suite, has := d.suite()
	if has && binary.CompareVersions(suite.Kernel, c.Kernel) >= 0 {
		return d.by("linux", with("first", c.Kernel, "suite", suite.Name, "what", "Linux "+suite.Kernel, "p", d.kernel))
	}
	return d.by("linux", with("first", c.Kernel))
}

// newerMesa returns advice about a Mesa release that supports a chip.
func (d distribution) newerMesa(c *drivers.Chip) *Remedy {
	suite, has := d.suite()
	if has && binary.CompareVersions(suite.Mesa, c.Mesa) >= 0 {
		return d.by("mesa", with("first", c.Mesa, "suite", suite.Name, "what", "Mesa "+suite.Mesa, "p", "mesa-vulkan-drivers"))
	}
	return d.by("mesa", with("first", c.Mesa))
}

// youngForKernel returns the fact and the advice if the running kernel is too old for the chip.
func (e *exam) youngForKernel(g *GPU) (what fact, do *Remedy, young bool) {
	c := e.chip(g)
	running := e.kernelVersion()
	if c == nil || c.Kernel == "" || running == "" || binary.CompareVersions(running, c.Kernel) >= 0 || g.vendor() == "NVIDIA" {
		return nil, nil, false
	}
	what = textf(needsNewer, "Linux", term.Or(g.Label, c.Name), c.Kernel, running)
	return what, e.system.newerLinux(c), true
}

// kernelVersion returns the version of the running kernel, such as 6.1; "" if unknown.
func (h host) kernelVersion() string {
	number := h.machine.KernelName()
	if end := strings.IndexFunc(number, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
		number = number[:end]
	}
	parts := strings.Split(number, ".")
	if len(parts) < 2 {
		return ""
	}
	return parts[0] + "." + parts[1]
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
	lost := usual
	what, do, young := e.youngForKernel(g)
	if !young {
		var missing sentence
		missing, do = e.kernelCure(g)
		what = together(untaken, missing)
		if g.vendor() == "NVIDIA" {
			what, do = e.makersModule(g)
		}
		if _, other := e.whyUnserved(g); other == nil {
			what, do, lost = e.moduleObstacle(g, what, do)
		}
	}
	e.add(GPUNoKernelDriver, g.Title(), g.directory, what, do, lost)
}

// venus adds a finding for a virtual machine's device that lacks a driver or the host's support, and reports whether it did.
func (e *exam) venus(g *GPU) bool {
	if !g.virtual() || len(g.Drivers) > 0 && !e.lacksVenus(g) {
		return false
	}
	if e.lacksVenus(g) {
		e.add(GPUVirtual, g.Title(), "", sentence("it is a virtual machine's device, and the host does not offer Vulkan to the machine"), nil).excludedBy = "the host"
	} else if !e.leftOut(g) {
		e.add(GPUVirtual, g.Title(), "", sentence("it is a virtual machine's device, and no Vulkan driver for it is installed"), e.system.install(drivers.For(g.Kernel), false))
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
		if older := c.Instead(want); older != nil && do == nil && never {
			do = newAdvice("Use " + older.Name + ", which requires " + older.Text() + ".").withObstacle(ofRelease)
		}
	}
	if len(texts) == 0 {
		return
	}
	e.add(ProgramNeeds, want.Name, "", textf("it requires %s. %s", want.Text(), strings.Join(texts, "; ")), do, term.Either(always, everything, usual))
}
