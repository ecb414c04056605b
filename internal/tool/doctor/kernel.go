package doctor

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/tool/term"
)

// barrier is what keeps a kernel module from a device: lines of modprobe's files, or words of the kernel's command
// line.
type barrier struct {
	module string
	lines  []FileLine // in the order of the files
	first  string     // the text of the first line
	words  []string   // of the command line
}

func (b *barrier) say() string {
	if len(b.words) > 0 {
		return "the kernel's command line has " + strings.Join(b.words, " ") + ", which keeps " + b.module +
			" from starting"
	}
	return b.lines[0].String() + " (" + b.first + ") keeps " + b.module + " from loading"
}

// barrier returns what keeps one of the kernel modules from a device; nil: nothing is known.
func (h host) barrier(g *GPU, modules []string) *barrier {
	for _, module := range modules {
		if words := h.refusals(g, module); len(words) > 0 {
			return &barrier{module: module, words: words}
		}
	}
	b := &barrier{}
	h.machine.EachLine("modprobe.d", ".conf", func(file string, number int, line string) {
		module := blockedModule(line)
		found := slices.IndexFunc(modules, func(needed string) bool {
			return module == needed || module == needed+"_drm" || module == needed+"_modeset"
		})
		if found < 0 {
			return
		}
		if len(b.lines) == 0 {
			b.module, b.first = modules[found], strings.Join(strings.Fields(line), " ")
		}
		b.lines = append(b.lines, FileLine{file, number})
	})
	if len(b.lines) == 0 {
		return nil
	}
	return b
}

// addRemoved adds a finding for each vendor whose graphics devices a rule of udev removes. The kernel then no longer
// lists them. Source: bayasdev/envycontrol, a program that turns a laptop's second device off.
func (e *exam) addRemoved() {
	if e.containerKind() != "" {
		return
	}
	said := map[string]bool{} // by vendor
	e.machine.EachLine("udev/rules.d", ".rules", func(file string, number int, line string) {
		line = strings.ToLower(strings.Join(strings.Fields(line), ""))
		_, after, _ := strings.Cut(line, `attr{vendor}=="`)
		vendor, _, _ := strings.Cut(after, `"`)
		maker := drivers.VendorName(drivers.PCINumber(vendor))
		if strings.HasPrefix(line, "#") || !strings.Contains(line, `attr{remove}="1"`) ||
			!strings.Contains(line, `attr{class}=="0x03`) || maker == "" || said[maker] ||
			contains(e.GPUs, func(g *GPU) bool { return g.Vendor == vendor }) {
			return
		}
		said[maker] = true
		at := FileLine{file, number}
		do := newAdvice(fmt.Sprintf("If programs need the device, remove line %d of %s, and restart the machine.",
			number, file))
		if command := e.switcher(&barrier{lines: []FileLine{at}}); command != "" {
			do = e.system.by("switch", arguments{"line": strings.Fields(command)})
		}
		what := textf("%s removes each graphics device of %s when the machine starts", at, maker)
		e.add(GPURemoved, maker, file, what, do).missing = true
	})
}

// blockedModule returns the module that a line of modprobe's files keeps from loading or from starting; "": none.
func blockedModule(line string) string {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(strings.ReplaceAll(line, "-", "_"))
	switch {
	case len(words) == 2 && words[0] == "blacklist",
		len(words) == 3 && words[0] == "alias" && words[2] == "off",
		len(words) == 3 && words[0] == "install" && slices.Contains([]string{"true", "false"}, path.Base(words[2])),
		len(words) > 2 && words[0] == "options" && slices.Contains(words[2:], "modeset=0") && words[1] != "nvidia_drm":
		return words[1]
	}
	return ""
}

// refusals returns the words of the kernel's command line that keep a module from a device. NVIDIA's module ignores
// nomodeset.
func (h host) refusals(g *GPU, module string) (words []string) {
	for _, word := range h.machine.BootWords() {
		key, value, _ := strings.Cut(word, "=")
		switch key = strings.ReplaceAll(key, "-", "_"); {
		case word == "nomodeset" && module != "nvidia", key == module+".modeset" && value == "0",
			key == module+".force_probe" &&
				slices.Contains(strings.Split(value, ","), "!"+strings.TrimPrefix(g.Device, "0x")),
			slices.Contains([]string{"modprobe.blacklist", "module_blacklist"}, key) &&
				slices.Contains(strings.Split(strings.ReplaceAll(value, "-", "_"), ","), module):
			words = append(words, word)
		}
	}
	return words
}

// moduleObstacle returns the reason why the kernel module of a device does not load, with the advice that removes it;
// what and do if none is known. A device that was turned off is at most worth a note if another one works.
func (e *exam) moduleObstacle(g *GPU, what fact, do *Remedy) (fact, *Remedy, loss) {
	if e.containerKind() != "" || e.kind("flatpak", "snap", "steam") != "" {
		return what, do, usual
	}
	if e.machine.IsKernelReplaced() {
		what := textf("the modules of the running kernel %s are gone: an update replaced the kernel",
			e.machine.KernelName())
		return together(untaken, what), newAdvice("Restart the machine.").withObstacle(restarted), usual
	}
	if b := e.barrier(g, e.modules(g)); b != nil {
		better, lost := e.allowing(b), usual
		switch others := contains(e.GPUs, func(o *GPU) bool { return o != g && len(o.Drivers) > 0 }); {
		case others && e.switcher(b) != "":
			lost = nothing
			better = doNothingChosen.or("To turn the device on: ", better).withObstacle(restarted)
		case others:
			lost = little
		case b.module == "nouveau" && do != nil:
			better = newAdvice("").or("For Mesa's driver: ", better).or("For NVIDIA's driver instead: ", do).
				withObstacle(restarted)
		}
		return together(untaken, sentence(b.say())), better, lost
	}
	if g.vendor() == "AMD" && e.machine.LacksFirmware("amdgpu") {
		return together(untaken, sentence("the firmware of amdgpu is not installed")), e.system.by("firmware", nil),
			usual
	}
	return what, do, usual
}

// switcher returns the command that turns the second graphics device on again, of the program that wrote a barrier's
// file; "": unknown.
func (h host) switcher(b *barrier) string {
	for _, l := range b.lines {
		text := l.File + "\n" + h.machine.Whole(l.File)
		if command := pairValue("switcher",
			func(name string) bool { return strings.Contains(text, name) }); command != "" {
			return command
		}
	}
	return ""
}

// allowing returns advice that removes a barrier.
func (e *exam) allowing(b *barrier) *Remedy {
	switch command := e.switcher(b); {
	case len(b.words) > 0:
		return e.system.bootWords(nil, b.words)
	case command != "":
		return e.system.by("switch", arguments{"line": strings.Fields(command)})
	}
	places := arguments{}
	for _, l := range b.lines {
		kind, place := "lines", fmt.Sprintf("%s line %d", l.File, l.Number)
		if strings.Contains(l.File, "/lib/") && e.packageOf(l.File) != "" { // an update of the package writes it again
			kind, place = "masked", l.File
		}
		switch list := places[kind]; {
		case len(list) == 0 || !strings.HasPrefix(list[len(list)-1]+" ", l.File+" "):
			places[kind] = append(list, place)
		case kind == "lines":
			last := &list[len(list)-1]
			*last = strings.Replace(*last, " line ", " lines ", 1) + fmt.Sprintf(", %d", l.Number)
		}
	}
	args := with("module", b.module)
	for kind, list := range places {
		args[kind] = []string{enumeration(list)}
	}
	return e.system.by("unblock", args)
}

// bootWords returns advice to add words to the kernel's command line, and to remove others.
func (d *distribution) bootWords(add, remove []string) *Remedy {
	var parts []string
	if len(remove) > 0 {
		parts = append(parts, "remove "+strings.Join(remove, " ")+" from")
	}
	if len(add) > 0 {
		parts = append(parts, "add "+strings.Join(add, " ")+" to")
	}
	change, words := strings.Join(parts, " and "), func(list []string) string { return strings.Join(list, " ") }
	where := []string(nil) // the configuration of a boot loader without a command that changes it
	for _, row := range placeRows() {
		if row[0] == "boot" && where == nil && slices.ContainsFunc(host{d.machine}.expand(row[1]), d.machine.Exists) {
			where = []string{strings.TrimSpace(row[2] + " " + row[1] + row[3])}
		}
	}
	return d.by("boot", arguments{"add": add, "remove": remove, "where": where,
		"change": {strings.ToUpper(change[:1]) + change[1:]},
		"with":   {term.Enclosed("with ", words(add), "")}, "without": {term.Enclosed("without ", words(remove), "")}})
}

// takenByOldDriver adds a finding for a device that the kernel driver radeon has. It is a problem if no other device
// has a driver.
func (e *exam) takenByOldDriver(g *GPU) {
	do := e.system.bootWords(nameLists()["amdgpu"], slices.DeleteFunc(e.machine.BootWords(), func(word string) bool {
		return !slices.Contains([]string{"radeon.si_support=1", "radeon.cik_support=1", "amdgpu.si_support=0",
			"amdgpu.cik_support=0"}, word)
	}))
	if b := e.barrier(g, []string{"amdgpu"}); b != nil && e.containerKind() == "" {
		do = e.allowing(b).or("Before the restart, too: ", do).withObstacle(restarted)
	}
	others := contains(e.GPUs, func(o *GPU) bool { return o != g && len(o.Drivers) > 0 })
	e.add(GPUOldKernelDriver, g.Title(), g.directory,
		sentence("its kernel driver is radeon, and Vulkan drivers need amdgpu"), e.withDriver(do, "amdgpu"),
		term.Either(others, usual, everything))
}

// withDriver completes advice that changes a device's kernel driver: if no Vulkan driver for the new one is installed,
// its package comes first, so that one restart suffices.
func (e *exam) withDriver(do *Remedy, kernel string) *Remedy {
	f := drivers.For(kernel)
	if p, _ := e.missingManifest(f); f == nil || p != nil || do == nil || e.class != ProcessClass ||
		len(e.Sandboxes) > 0 || e.elsewhere(nil) != "" || len(e.excludedDrivers()) > 0 || pinnedBy(e.source) != "" ||
		slices.ContainsFunc(f.Libraries, func(stem string) bool { return e.driverLibrary("/", stem) != "" }) ||
		slices.ContainsFunc(e.Drivers,
			func(m Entry) bool { return m.worksOn(kernel) || m.Good && drivers.Of(m.Library) == nil }) {
		return do
	}
	return newAdvice("No Vulkan driver for the device is installed either.").or("", e.installDriver(f, false)).
		or("Then: ", do).withObstacle(do.because)
}

// addSigning completes advice to load a kernel module that was built on this machine: with Secure Boot, the kernel may
// refuse it.
func (e *exam) addSigning(do *Remedy) *Remedy {
	if !e.machine.ChecksModules() {
		return do
	}
	keys := slices.DeleteFunc(e.places("signing-key"), e.machine.Absent)
	return e.system.by("sign", arguments{"key": keys[:min(1, len(keys))]}).before(do)
}

// hiddenByLayer adds a finding if NVIDIA's layer hides every device: it shows only those of NVIDIA's driver, which has
// none.
func (e *exam) hiddenByLayer() {
	used := contains(e.Layers, func(m *Entry) bool { return m.Name == drivers.OptimusLayer && m.Used && m.Good })
	if !used || e.variable(drivers.OptimusFilter) != "NVIDIA_only" || len(e.GPUs) == 0 ||
		contains(e.GPUs, func(g *GPU) bool { return g.Kernel == "nvidia" || g.Kernel == "" && g.Vendor == "" }) {
		return
	}
	what := textf("%s hides every device that is not of NVIDIA's driver, and NVIDIA's driver has no device here",
		drivers.OptimusLayer)
	if b := e.barrier(&GPU{}, []string{"nvidia"}); b != nil && e.containerKind() == "" && e.switcher(b) != "" {
		e.add(VariableHides, drivers.OptimusFilter, "", textf("%s; %s", what, b.say()),
			e.system.by("switch", arguments{"line": strings.Fields(e.switcher(b))}))
		return
	}
	e.add(VariableHides, drivers.OptimusFilter, "", what, nil).
		offer(fixing, explain.UnsetVariable(drivers.OptimusFilter).With(explain.UnsetVariable(drivers.OptimusOffload)),
			explain.UnsetVariable(drivers.OptimusFilter))
}

// modules returns the kernel modules that a device needs for its Vulkan driver, by its vendor or its chip; nil:
// unknown.
func (e *exam) modules(g *GPU) []string {
	switch g.vendor() {
	case "AMD":
		return []string{"amdgpu"}
	case "Intel":
		if c := e.chip(g); c != nil && binary.CompareVersions(c.Kernel, "6.8") > 0 { // Lunar Lake, Arc B and later ones
			return []string{"xe"}
		}
		return []string{"i915"}
	case "NVIDIA":
		if e.hasFamily(drivers.NVIDIA) {
			return []string{"nvidia"}
		}
		if contains(e.Drivers, func(m *Entry) bool { return m.worksOn("nouveau") }) {
			return []string{"nouveau"}
		}
	}
	c := e.chip(g)
	if g.Vendor != "" || c == nil {
		return nil
	}
	if c == drivers.ChipByCompatible("arm,mali-valhall-csf") {
		return []string{"panthor"}
	}
	for _, f := range drivers.Families() {
		if f.Name == c.Driver {
			return f.Kernel[:1]
		}
	}
	return nil
}

// kernelCure returns advice to load the kernel driver of a device, and the fact that its module is missing, if it is.
func (e *exam) kernelCure(g *GPU) (missing sentence, do *Remedy) {
	modules := e.modules(g)
	if modules == nil {
		return "", nil
	}
	names, release := strings.Join(modules, " or "), e.kernelRelease()
	load := e.system.by("load", with("module", modules[0], "modules", names))
	isOne := func(module string) bool { return slices.Contains(modules, module) }
	tree := e.machine.ModulesOf(release)
	if load.because == ofKernel && tree != "" && !e.machine.MayHaveModule(tree, isOne) {
		return textf("the kernel %s has no module %s", release, names), e.system.kernelWith(release, modules[0])
	}
	// Of several, such as i915 and xe, the missing one may be the device's.
	if !slices.ContainsFunc(modules,
		func(module string) bool { return !e.machine.Exists("/sys/bus/pci/drivers/" + module) }) {
		return textf("the kernel driver %s is loaded, and has not taken it", modules[0]),
			e.system.by("refused", with("kernel", modules[0]))
	}
	return "", load
}

// kernelRelease returns the release of the running kernel, such as 6.8.0-39-generic; "": unknown.
func (h host) kernelRelease() string {
	return term.Either(isFileName(h.machine.KernelName()), h.machine.KernelName(), "")
}

// kernelWith returns advice to install a module that the running kernel lacks. The kernels for virtual machines and
// clouds have no modules of graphics devices. Sources: packages.ubuntu.com (linux-modules-extra), packages.debian.org
// (linux-image-cloud-amd64), pkgs.alpinelinux.org (linux-virt), packages.fedoraproject.org (kernel-modules).
func (d distribution) kernelWith(release, module string) *Remedy {
	verb := "module"
	switch {
	case strings.Contains(release, "-cloud-") && d.kernel != "":
		verb = "module-of-cloud"
	case strings.HasSuffix(release, "-virt"):
		verb = "module-of-virt"
	}
	return d.by(verb, with("release", release, "module", module, "image", d.kernel))
}
