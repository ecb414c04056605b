package doctor

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/vk"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// GPU is a graphics device as the kernel describes it. Drivers lists the drivers that this report calls good.
type GPU struct {
	discover.GPU
	directory string // in sysfs
	render    string // its render node; "": none
	screens   bool   // the kernel lists a card for screens, and no render node
	twin      string // its address, if another device has the same label; "": none has
	refused   string // the first node that the examined user may not open; "": none, or unknown
}

// vendor returns the maker's name; "" if unknown.
func (g *GPU) vendor() string { return drivers.VendorName(drivers.PCINumber(g.Vendor)) }

// Title returns the device's name: its label, with its address where two devices have one label.
func (g *GPU) Title() string { return g.Label + term.Enclosed(" at ", g.twin, "") }

// Address returns the device's address and numbers.
func (g *GPU) Address() string {
	return (&drivers.GPU{Name: g.Name, Vendor: g.Vendor, Device: g.Device}).Title()
}

// distinguish gives the devices with one label their addresses.
func distinguish(list []GPU) {
	for g := range each(list) {
		if g.twin = ""; contains(list, func(o *GPU) bool { return o != g && o.Label == g.Label }) {
			g.twin = g.Name
		}
	}
}

// nameByTrial gives the devices that programs get, and the findings about them, the names that programs read. The only
// device of a machine is the only one that its drivers list, if it has no address.
func (r *Report) nameByTrial() {
	r.GPUs, r.Findings = slices.Clone(r.GPUs), slices.Clone(r.Findings)
	titles := map[string]string{}
	for g := range each(r.GPUs) {
		titles[g.Name] = g.Title()
		at := slices.IndexFunc(r.Devices, g.is)
		if _, has := drivers.PCIAddress(g.Name); !has && at < 0 && len(r.GPUs) == 1 && len(r.Devices) == 1 &&
			r.Devices[0].Type != vk.CPU && r.Devices[0].Type != vk.Virtual {
			at = 0
		}
		if at >= 0 {
			g.Label = r.Devices[at].Name
		}
	}
	distinguish(r.GPUs)
	for f := range each(r.Findings) {
		if g := r.gpuOf(f); g != nil && f.Subject == titles[f.device] {
			f.Subject = g.Title()
		}
	}
}

// displayOnly reports whether the device cannot be expected to support Vulkan. Of a device without a number of its
// vendor whose kernel driver is unknown, the kernel must list a render node.
func (g *GPU) displayOnly() bool {
	return isNamed(g.Kernel, "display", "emulated") ||
		isNamed(g.Kernel, "display-without-node") && len(g.Nodes) == 0 || g.Kernel == "" &&
		isNamed(g.Vendor, "display-vendor", "emulated-vendor") ||
		g.Vendor == "" && g.Kernel != "" && g.screens && drivers.For(g.Kernel) == nil
}

// devicesOf returns the devices that a machine's kernel lists.
func devicesOf(m *machine.Machine) []GPU {
	list := []GPU{}
	for _, g := range drivers.GPUs(m) {
		render := ""
		if at := slices.IndexFunc(g.Cards,
			func(card string) bool { return strings.HasPrefix(card, "renderD") }); at >= 0 {
			render = "/dev/dri/" + g.Cards[at]
		}
		list = append(list, GPU{GPU: discover.GPU{Name: g.Name, Vendor: g.Vendor, Device: g.Device,
			Kernel: g.Kernel, Nodes: g.Nodes, Drivers: []string{}, Asleep: g.Asleep, Label: g.Label(m)},
			directory: g.Directory, render: render, screens: len(g.Cards) > 0 && render == ""})
	}
	distinguish(list)
	return list
}

// devices examines the devices and their drivers.
func (e *exam) devices() {
	for g := range each(e.GPUs) {
		c := e.chip(g)
		for _, m := range e.Drivers {
			if m.Good && drivers.Serves(m.family(), g.Kernel, g.Vendor, c) {
				g.Drivers = append(g.Drivers, m.Manifest)
			}
		}
	}
	e.addRemoved()
	for g := range each(e.GPUs) {
		g.refused = e.user.refusedNode(e.host, g)
		e.examineDevice(g)
	}
	e.raspberry()
	for m := range each(e.Drivers) { // a faulty driver of absent devices is of another card, and the loader skips it
		if m.But != "" && m.Used {
			m.Harmless = e.standings().Standing(explain.ItemKey{Manifest: m.Manifest}).Harmless
		}
	}
}

// examineDevice adds a finding for the first obstacle between a device and its driver. Later obstacles follow from the
// first.
func (e *exam) examineDevice(g *GPU) {
	// A device with any driver, good or bad, gets no "no driver" finding: the driver has its own.
	installed := contains(e.Drivers,
		func(m *Entry) bool { return m.worksOn(g.Kernel) && (m.Class == 0 || m.Class == e.class) })
	before := len(e.Findings)
	defer func() {
		for i := range e.Findings[before:] {
			e.Findings[before+i].device = g.Name
		}
	}()
	switch {
	// a virtual machine's
	case g.displayOnly() && (isNamed(g.Kernel, "emulated") || isNamed(g.Vendor, "emulated-vendor")):
		do := newAdvice(GPUVirtual.Entry().Do)
		if isNamed(g.Vendor, "vulkanless-host") || g.Kernel == "hyperv_drm" {
			do = advice("card")
			if !contains(e.Drivers, func(m *Entry) bool { return m.family().Software() }) {
				do = onlyCPU.before(e.system.install(drivers.Of("libvulkan_lvp.so"), false))
			}
		}
		found := e.add(GPUDisplayOnly, g.Title(), "",
			sentence("it is a virtual machine's display, and no Vulkan driver exists for it"), do)
		found.missing = !contains(e.GPUs, e.expects)
	case g.displayOnly():
		e.add(GPUDisplayOnly, g.Title(), "", sentence("it only drives displays, and does not render"), nil)
	case g.isReserved():
		e.add(GPUReserved, g.Title(), "", textf("the kernel driver %s reserves it for a virtual machine", g.Kernel),
			advice("reserved", "kernel", g.Kernel)).excludedBy = g.Kernel
	case e.addWithoutVulkan(g):
	case e.addMakersDevice(g):
	case g.Kernel == "" && (g.Vendor != "" || e.chip(g) != nil):
		e.addWithoutKernelDriver(g)
	case g.Vendor == "0x10de" && strings.HasPrefix(strings.ToLower(g.Kernel), "nova"):
		e.add(GPUNouveau, g.Title(), g.directory, textf("its kernel driver is %s, which has no Vulkan driver yet",
			g.Kernel), e.system.bootWords([]string{"modprobe.blacklist=nova_core,nova_drm"}, nil))
	case e.venus(g):
	case g.Kernel == "radeon":
		e.takenByOldDriver(g)
	case len(g.Nodes) == 0:
		container, lost := e.containerKind() != "", usual
		if contains(e.GPUs, func(o *GPU) bool {
			return o != g && len(o.Nodes) > 0 && (o.Kernel == g.Kernel || container && len(o.Drivers) > 0)
		}) {
			lost = nothing // other devices of its kind have nodes, or the container is for another device
		}
		e.add(GPUNoNode, g.Title(), "", e.nodeless(g), e.nodeCure(g), lost)
	case g.refused != "":
		e.add(GPUPermission, g.Title(), g.refused, textf(forbidden, e.user.name, g.refused),
			e.permissionCure(g.refused, &e.user, e.unitsOf(&e.user)))
	case g.Kernel == "nouveau" && len(g.Drivers) == 0 && e.hasFamily("NVIDIA"):
		what := fact(takenByNouveau)
		why, do := e.whyUnserved(g)
		if why != "" {
			what = together(takenByNouveau, sentence(e.makersReleases(g)), why)
		}
		if tree := e.machine.ModulesOf(e.kernelRelease()); do == nil && tree != "" &&
			(e.machine.ChecksModules() || !e.machine.MayHaveModule(tree, isMakersModule)) {
			do = e.nvidiaModule() // without nouveau, the device would have no kernel driver
		}
		if by := pinnedBy(e.source); do == nil && by != "" { // KhronosGroup/Vulkan-Tools issue 496
			unset := explain.UnsetVariable(by)
			do = newAdvice(GPUNouveau.Entry().Do).or(by+" keeps NVK and software renderers from programs. ",
				e.changeAdvice(unset))
		}
		e.add(GPUNouveau, g.Title(), g.directory, what, do)
	case g.Kernel == "nouveau" && e.chip(g) != nil && e.chip(g).Mesa == "":
		e.addBeforeNVK(g, e.chip(g))
	case len(g.Drivers) == 0 && !installed:
		e.addDriverless(g)
	case e.neverOpened(g):
	case !e.tooNew(g):
		e.addUnfinished(g)
		e.windowless(g)
	}
	if g.Asleep && len(g.Drivers) > 0 {
		names := term.Words(g.Drivers, path.Base)
		e.add(GPUAsleep, g.Title(), "",
			sentence("it sleeps to save power, and every program that lists devices wakes it"), nil).
			offer(forPower, explain.AddToFilter(e.source, variables.DriversDisable, names...)...)
	}
}

// neverOpened adds a finding for a device whose drivers never open its node, and reports whether it did.
func (e *exam) neverOpened(g *GPU) bool {
	// Qualcomm's kernel driver for Adreno devices, and its node: Mesa opens the node only if it was built for it
	const kgsl, kgslNode = "kgsl-3d", "/dev/kgsl-3d0"
	if g.Kernel != kgsl {
		return false
	}
	library := ""
	for m := range each(e.Drivers) {
		if !m.Good || !slices.Contains(g.Drivers, m.Manifest) {
			continue
		}
		if opens, known := e.machine.Contains(m.File, kgslNode); opens || !known {
			return false
		}
		library = m.File
	}
	if library == "" {
		return false
	}
	e.add(GPUNoDriver, g.Title(), library,
		textf("its kernel driver is %s, and this build of %s never opens %s", kgsl, library, kgslNode),
		advice("kgsl"))
	g.Drivers = []string{}
	return true
}

// worksOn reports whether a driver is known to serve the devices of a kernel driver.
func (m *Entry) worksOn(kernel string) bool {
	if m.family() == nil { // its path is wrong; the manifest's name tells the driver
		return drivers.OfManifest(m.Manifest).WorksOn(kernel)
	}
	return m.family().WorksOn(kernel)
}

func (r *Report) hasFamily(name string) bool {
	return contains(r.Drivers, func(m *Entry) bool { return m.family().Is(name) })
}

// addDriverless adds a finding for a device without a driver, with the driver to install.
func (e *exam) addDriverless(g *GPU) {
	f := drivers.For(g.Kernel)
	if len(e.Drivers) == 0 && e.outFor(diag.DriverPortability) > 0 {
		return // withoutDriver reports the portability driver
	}
	if f == nil && contains(e.Drivers, (*Entry).isUnknown) {
		return // an unknown driver may serve an unknown device
	}
	if e.leftOut(g) {
		return
	}
	if why, do := e.whyUnserved(g); do != nil && g.Kernel == "nvidia" {
		e.add(GPUNoDriver, g.Title(), "",
			together(sentence("no Vulkan driver for this device is installed"), sentence(e.makersReleases(g)), why), do)
		return
	}
	p, gone := e.missingManifest(f)
	elsewhere := e.elsewhere(g)
	what := term.Either(elsewhere == "", "no Vulkan driver for this device is installed",
		"programs find no Vulkan driver for this device")
	if f == nil && g.Kernel != "" {
		what = "its kernel driver is " + g.Kernel + ", and no Vulkan driver for it is installed"
	}
	if by := searchVariable(e.source); e.class != ProcessClass {
		what = term.Either(by == "", fmt.Sprintf("this is a %d-bit program, and there is", e.class), by+" names") +
			fmt.Sprintf(" no %d-bit driver for the device", e.class)
	}
	if m := find(e.Drivers, func(m *Entry) bool {
		return m.worksOn(g.Kernel) && m.Class != 0 && m.Class != e.class
	}); m != nil {
		what += fmt.Sprintf("; the library of %s is for %d-bit programs only", m.Manifest, 32+64-e.class)
	}
	var do *Remedy
	library, own := "", explain.Change{}
	if asks := e.variable(drivers.NvidiaCapabilities); gone == "" &&
		(asks == "" || drivers.GrantsGraphics(asks) || e.containerKind() == "") {
		library, own = e.libraryWithoutManifest(g)
	}
	if library == "" {
		do = e.containerCure(g)
	}
	if library != "" {
		e.stray = true
		what = "its driver " + library + " is installed, but not the driver's manifest"
		if file := e.manifestNaming(library); file != "" {
			what = "its driver " + library + " is installed, and programs do not get its manifest " + file
		}
		if needs, text := e.withManifest(library, own.Text); len(needs) > 0 && e.containerKind() != "" {
			what, do, own = what+"; it needs "+enumeration(needs)+
				term.Either(len(needs) == 1, ", which is", ", which are")+
				" in no directory that the dynamic linker searches", text, explain.Change{}
		}
		if own.Text != "" && e.isEntered() && e.isOfHost(own.File) { // the host would list its device twice
			own.File = path.Join("/etc/vulkan/icd.d", path.Base(own.File))
		}
	}
	what += outsideSearch(elsewhere)
	switch {
	// no package of the image fits the host's kernel driver
	case do != nil || f == nil || library != "" && e.containerKind() != "":
	case gone != "":
		what += "; " + gone + " is missing, although its package is installed"
		do = e.system.again(p.Name, gone)
	case p != nil && library == "":
		what += driverlessText(p)
		do = e.installDriver(f, true)
		if c := e.chip(g); g.Kernel == "nouveau" && c != nil && c.Maker && len(do.lines) == 0 { // no package has NVK
			do = e.makersDriver(c)
		}
	default:
		do = e.installDriver(f, false)
	}
	lost := usual
	if f == nil && g.Kernel != "" {
		lost = e.perhapsNone()
	}
	found := e.add(GPUNoDriver, g.Title(), "", sentence(what), do, lost)
	if elsewhere != "" {
		found.offer(fixing, e.searchAlso(elsewhere))
	}
	if own.Text != "" {
		found.offer(fixing, own)
	}
}

// driverlessText describes the installed package that usually has a device's driver, and lacks it; "" for none.
func driverlessText(p *machine.Package) string {
	if p == nil {
		return ""
	}
	return "; the package " + p.Name + term.Enclosed(" ", p.Version, "") +
		" is installed, but contains no driver for the device"
}

// manifestNaming returns a manifest with a driver's library that no driver of the decision has: rejected, or outside
// the search; "": none.
func (e *exam) manifestNaming(library string) string {
	places := e.places("drivers")
	for _, l := range e.Answer.Searched[search.Drivers].List {
		places = append(places, l.Path)
	}
	for _, place := range places {
		for _, file := range e.manifestsIn(place) {
			used := contains(e.Drivers, func(m *Entry) bool { return m.Manifest == file })
			// a manifest of the other word size has the same library's name
			if names, _ := e.machine.Contains(file, path.Base(library)); names && !used && e.suits(file) {
				return file
			}
		}
	}
	return ""
}

// suits reports whether a manifest may be for the program's word size, by its name.
func (e *exam) suits(manifest string) bool {
	name := path.Base(manifest)
	return environment.Only32(name) == (e.class == 32) || !strings.ContainsAny(name, "0123456789")
}

// withManifest returns the missing libraries that a driver without manifest needs, and advice for an image that lacks
// both.
func (e *exam) withManifest(library, text string) (needs []string, do *Remedy) {
	stem, _, _ := strings.Cut(path.Base(library), ".so")
	do = e.system.by("manifest", with("text", strings.TrimSpace(text), "file", "/etc/vulkan/icd.d/"+stem+".json"))
	found := drivers.Judged(e.machine, e.linker, library, drivers.DriverInterface)
	if found.File == nil {
		return nil, do
	}
	for _, missing := range found.With.Missing {
		needs = append(needs, missing.Name)
	}
	needs = append(needs, missingAtRunTime(found).names()...)
	needs = append(needs, e.unfoundHeadless(drivers.Of(library), found.File)...)
	return needs, e.allFindable(do, needs)
}

func (h host) variable(name string) string {
	value, _ := h.machine.Lookup(name)
	return value
}

// addMakersDevice adds a finding for a device with its maker's own kernel driver, and reports whether it has that.
func (e *exam) addMakersDevice(g *GPU) bool {
	maker := drivers.MakersKernel(g.Kernel)
	if maker == "" {
		return false
	}
	if contains(e.Drivers, func(m *Entry) bool { return m.family() == nil }) {
		return true
	}
	what := textf("its kernel driver is %s, %s's own, and %s's Vulkan driver is not installed", g.Kernel, maker, maker)
	args := with("maker", maker)
	for _, f := range drivers.Families() {
		if c := e.chip(g); c != nil && c.Driver == f.Name {
			args["mesa"] = []string{strings.TrimSuffix(f.Name, " (Mesa)")}
			args["kernel"] = []string{strings.Join(f.Kernel, " or ")}
		}
	}
	e.add(GPUNoDriver, g.Title(), "", what, e.system.by("driver-of-board", args), e.perhapsNone())
	return true
}

// perhapsNone returns the loss by a device that may have no Vulkan driver at all: little if others have it.
func (e *exam) perhapsNone() loss {
	software, unknown, good := e.driversWithoutDevice()
	others := contains(e.GPUs, func(g *GPU) bool { return len(g.Drivers) > 0 })
	return term.Either(good == 0 || len(software)+len(unknown) > 0 || others, little, usual)
}

// raspberry adds a finding for a Raspberry Pi 4 or 5 whose configuration does not enable the graphics device.
func (e *exam) raspberry() {
	model := strings.TrimRight(e.machine.Text("/sys/firmware/devicetree/base/model"), "\x00")
	with := slices.ContainsFunc([]string{"Raspberry Pi 4", "Raspberry Pi 5", "Raspberry Pi Compute Module 4",
		"Raspberry Pi Compute Module 5"}, func(name string) bool { return strings.HasPrefix(model, name) })
	isIt := func(g *GPU) bool { return g.Kernel == "v3d" || strings.HasSuffix(g.Name, ".v3d") }
	if !with || e.containerKind() != "" || contains(e.GPUs, isIt) {
		return
	}
	file := "/boot/firmware/config.txt"
	if !e.machine.Exists(file) {
		file = "/boot/config.txt"
	}
	enabled := func(line string) bool {
		overlay, is := strings.CutPrefix(strings.TrimSpace(line), "dtoverlay=vc4-")
		return is && strings.Contains(overlay, "kms-v3d")
	}
	text := e.machine.Whole(file)
	if text == "" || !e.machine.Exists("/sys/class") || slices.ContainsFunc(strings.Split(text, "\n"), enabled) {
		return
	}
	e.add(GPUNoKernelDriver, model, file, textf("%s does not enable its graphics device", file),
		advice("overlay", "file", file), e.perhapsNone())
}

// addUnfinished adds a finding for a device that its driver of Mesa lists only with a variable, which is not set. Such
// a driver of PowerVR contains the variable's name.
func (e *exam) addUnfinished(g *GPU) {
	bifrost := drivers.ChipByCompatible("arm,mali-bifrost")
	for m := range each(e.Drivers) {
		f, variable := m.family(), "PAN_I_WANT_A_BROKEN_VULKAN_DRIVER"
		needs := f.Is("PanVK (Mesa)") && e.chip(g) == bifrost
		if f.Is("PowerVR (Mesa)") {
			variable = "PVR_I_WANT_A_BROKEN_VULKAN_DRIVER"
			needs, _ = e.machine.Contains(m.File, variable)
		}
		if needs && slices.Contains(g.Drivers, m.Manifest) && e.variable(variable) == "" {
			e.add(GPUUnfinished, g.Title(), m.Manifest, textf("%s is not finished for it, and lists it only with %s=1",
				strings.TrimSuffix(f.Name, " (Mesa)"), variable), nil).
				offer(fixing, explain.SetVariable(variable, "1"))
		}
	}
}
