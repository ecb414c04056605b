package doctor

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/term"
)

// nvidiaVersions compares the version of NVIDIA's kernel module with that of its libraries, which must be equal.
func (e *exam) nvidiaVersions() {
	kernel := e.nvidiaLoaded()
	if kernel == "" {
		return
	}
	for m := range each(e.Drivers) {
		f := m.family()
		if !f.Is(drivers.NVIDIA) || m.File == "" {
			continue
		}
		_, version, ok := strings.Cut(path.Base(m.File), ".so.")
		if !ok || !strings.Contains(version, ".") || version == kernel {
			continue
		}
		what, do := textf("the kernel's module is %s, the library is %s", kernel, version), (*Remedy)(nil)
		if e.kind("flatpak") != "" {
			what += sentence("; Flatpak's extension " + e.system.nvidiaExtension() + " is missing")
			do = e.system.by("driver-of-nvidia", nil)
			if binary.CompareVersions(version, kernel) > 0 { // an update of the host waits for a restart
				do = newAdvice("If the host's driver was updated, restart the machine.").or("Otherwise: ", do).
					withObstacle(do.because)
			}
		} else if len(e.Sandboxes) > 0 {
			do = e.system.replacementAdvice(e.packageOf(m.File))
		} else if other := e.ofOtherSize().Find(path.Base(m.Library)).File; other != nil &&
			strings.HasSuffix(other.Real, ".so."+kernel) { // the driver was not updated while the machine ran
			what += textf("; the library for %d-bit programs is %s", 32+64-e.class, kernel)
			do = e.system.install(f, false)
		}
		e.add(NvidiaVersion, m.Name, m.File, what, do)
	}
}

// ofOtherSize returns the dynamic linker of the programs of the other word size.
func (e *exam) ofOtherSize() *binary.Linker {
	class := 32 + 64 - e.class
	return binary.NewLinker(e.machine,
		binary.LinkerOptions{Class: class, Machine: binary.Processor(class), Share: e.linker})
}

// platform returns the name of the Flatpak extensions with drivers.
func (d *distribution) platform() string {
	return term.Either(d.class == 32, "org.freedesktop.Platform.GL32", "org.freedesktop.Platform.GL")
}

// nvidiaExtension returns the name of the Flatpak extension with the driver for NVIDIA's kernel module. Without a
// version, the name has VERSION in its place.
func (d *distribution) nvidiaExtension() string {
	version := strings.ReplaceAll(host{d.machine}.nvidiaLoaded(), ".", "-")
	if _, after, is := strings.Cut(d.machine.Text("/.flatpak-info"), "org.freedesktop.Platform.GL.nvidia-"); is &&
		version == "" {
		version, _, _ = strings.Cut(after, "=")
	}
	return d.platform() + ".nvidia-" + term.Or(version, "VERSION")
}

// nvidiaLoaded returns the version of NVIDIA's kernel module, the first word with a dot; "": it is not loaded.
func (h host) nvidiaLoaded() string {
	first, _, _ := strings.Cut(term.Or(h.machine.Text("/proc/driver/nvidia/version"),
		h.machine.Text("/sys/module/nvidia/version")), "\n")
	for _, word := range strings.Fields(first) {
		if strings.Contains(word, ".") && strings.Trim(word, "0123456789.") == "" && word[0] != '.' {
			return word
		}
	}
	return ""
}

// idle adds a finding for the drivers that every program loads and that have no device here. A device without any
// driver may be for one.
func (e *exam) idle() {
	var names []string
	for m := range each(e.Drivers) {
		f := m.family()
		if m.Good && f != nil && !f.Software() && !contains(e.GPUs, func(g *GPU) bool {
			lacks := len(g.Drivers) == 0 && (e.expects(g) || g.virtual())
			return slices.Contains(g.Drivers, m.Manifest) || lacks &&
				(f.WorksOn(g.Kernel) || f.Made(g.Vendor))
		}) {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	why, program, more := forTime, "program", ""
	if e.class == 32 {
		why, program = forSpace, "32-bit program"
		more = "; each takes address space, and a 32-bit program has at most 4 GB of it"
	}
	what := textf("this machine has no device for %s that every %s loads at its start%s",
		term.Count(len(names), "driver"), program, more)
	e.add(DriverIdle, strings.Join(names, ", "), "", what, nil).
		offer(why, explain.AddToFilter(e.source, variables.DriversDisable, names...)...)
}

// idleAgain makes the finding about idle drivers again after a trial: a driver that fails has its own, and one that
// lists a device is not idle.
func (e *evidence) idleAgain() {
	at := slices.IndexFunc(e.Findings, func(f Finding) bool { return f.Code == DriverIdle })
	if at < 0 {
		return
	}
	e.Findings = slices.Delete(e.Findings, at, at+1)
	if e.idle(); !has(e.Findings, DriverIdle) {
		return
	}
	f := &e.Findings[len(e.Findings)-1]
	for _, do := range f.remedies {
		if do.change != nil && e.harmless(*do.change, "") {
			f.conclude(e.place(do))
			return
		}
	}
	f.conclude(f.last())
}

// rivals adds a finding when two drivers list the same device.
func (e *exam) rivals() {
	for g := range each(e.GPUs) {
		var first *Entry
		for m := range each(e.Drivers) {
			// HASVK serves other devices than ANV
			if m.family() == nil || m.family().Is(drivers.HASVK) || !slices.Contains(g.Drivers, m.Manifest) {
				continue
			}
			if first == nil {
				first = m
				continue
			}
			if first.File != m.File { // equal files are one library, which has its finding
				out, other := m, first
				if first.family().Is("AMDVLK") { // AMD gave it up in 2025, in favor of RADV
					out, other = first, m
				}
				e.add(DeviceTwice, g.Title(), m.Manifest, textf("%s and %s are both for this device", first.Manifest,
					m.Manifest), e.oneOf(first, m)).offer(fixing,
					append(explain.AddToFilter(e.source, variables.DriversDisable, out.Name),
						explain.AddToFilter(e.source, variables.DriversDisable, other.Name)...)...)
			}
		}
	}
}

// oneOf returns advice about two drivers of one device with one file name, which filters do not tell apart.
func (e *exam) oneOf(first, second *Entry) *Remedy {
	if first.Name != second.Name {
		return nil
	}
	for _, own := range []string{e.ownHome() + "/", "/usr/local/"} {
		for _, m := range []*Entry{first, second} {
			if strings.HasPrefix(m.Manifest, own) && own != "/" {
				other := term.Either(m == first, second, first)
				return advice("one-of-two", "keep", other.Manifest, "remove", m.Manifest, "path",
					string(shell.Quoted(m.Manifest)))
			}
		}
	}
	return nil
}

// driversWithoutDevice returns the good drivers that are software renderers or unknown, and the number of all.
func (r *Report) driversWithoutDevice() (software, unknown []*Entry, good int) {
	for m := range each(r.Drivers) {
		f := m.family()
		switch {
		case !m.serves():
			continue
		case f == nil:
			unknown = append(unknown, m)
		case f.Software():
			software = append(software, m)
		}
		good++
	}
	return software, unknown, good
}

// fallback adds a finding about the software renderer, or no device, when no device is served.
func (e *exam) fallback() {
	software, unknown, good := e.driversWithoutDevice()
	wanted := contains(e.GPUs, e.expects)
	served := contains(e.GPUs, func(g *GPU) bool { return len(g.Drivers) > 0 && len(g.Nodes) > 0 && g.refused == "" })
	switch {
	case good == 0:
		e.addNoDriver()
	case len(software)+len(unknown) == 0 && !wanted && !served && e.standings().SoftwareOut() == "" &&
		e.machine.Exists("/sys"):
		if !contains(e.Findings, func(f *Finding) bool { return f.Code == GPUNoKernelDriver }) {
			software := drivers.Of("libvulkan_lvp.so")
			p, gone := e.missingManifest(software)
			do := e.system.install(software, p != nil)
			if gone != "" {
				do = e.system.again(p.Name, gone)
			}
			name, what := "Vulkan", "this machine has no graphics device with a driver"
			vulkanless := []Kind{GPUNoVulkan, GPUVirtual, GPUDisplayOnly, GPUReserved} // they are no fault
			if f := find(e.Findings, func(f *Finding) bool { return slices.Contains(vulkanless, f.Code) }); f != nil {
				name, what, f.missing = f.Subject, f.fact.say(), false
				if p != nil && gone == "" { // this release of the package has no software renderer
					do = f.last()
				}
			}
			e.add(NoDevice, name, "", sentence(what+"; there is no software renderer"), do)
		}
	case len(software) > 0 && !served && len(unknown) == 0:
		what, do, lost := sentence("no graphics device has a working driver: programs compute on the CPU"),
			(*Remedy)(nil), usual
		if by := pinnedBy(e.source); by != "" {
			what, do, lost = textf("programs compute on the CPU, because %s names this driver", by), doNothingChosen,
				nothing
		} else if !wanted {
			do, lost = advice("card"), nothing
		}
		e.add(SoftwareOnly, software[0].Name, "", what, do, lost)
	}
}

// addNoDriver adds the finding that programs find no driver.
func (e *exam) addNoDriver() {
	const fails = ", so it fails with VK_ERROR_INCOMPATIBLE_DRIVER"
	add := func(path, what string, do *Remedy) *Finding {
		return e.add(NoDriver, "vkCreateInstance", path, sentence(what+fails), do)
	}
	none, count := len(e.Drivers) == 0, term.Count(len(e.Drivers), "driver")
	if hidden := e.outFor(diag.DriverPortability); none && hidden > 0 {
		what := term.Either(hidden == 1, "the only driver found is a portability driver", "all "+
			term.Count(hidden, "driver")+" found are portability drivers")
		found := e.add(NoDriver, "vkCreateInstance", "", sentence(what+fails+
			" unless the program enables VK_KHR_portability_enumeration"), entryOf(diag.DriverPortability))
		if own, can := e.portable(); can {
			found.offer(forUnasked, own)
		}
		return
	}
	if out := e.outFor(diag.DriverDisabled) + e.outFor(diag.DriverNotSelected); none && out > 0 {
		add("", term.Count(out, "driver")+" found, each switched off by a variable",
			shellAdvice("See which: ", "vkloader list variables --set"))
		return
	}
	if contains(e.Drivers, func(m *Entry) bool { return m.Class == 0 || m.Class == e.class }) {
		add("", term.Either(len(e.Drivers) == 1, "the only driver cannot be loaded", "none of "+count+" can be loaded"),
			nil)
		return
	}
	what, do := "no driver manifest is in the directories that are searched", e.system.install(e.usualDriver(), false)
	for _, f := range e.Findings {
		if f.Code == GPUNoDriver {
			do = f.last()
		}
	}
	by, elsewhere := searchVariable(e.source), ""
	e.stray = e.stray || by != ""
	switch {
	case by != "" && none:
		what, do = "no driver manifest is in the places that "+by+" names", newAdvice("Correct "+by+".")
	case by != "":
		what, do = fmt.Sprintf("%s names no %d-bit driver", by, e.class), newAdvice("Correct "+by+".")
	case !none || e.class != ProcessClass:
		what = fmt.Sprintf("this is a %d-bit program, and there is no %[1]d-bit driver", e.class)
	default:
		list := e.excludedDrivers()
		if at := slices.IndexFunc(list, func(k keptOut) bool { return k.isUnsearched() }); at >= 0 {
			place := list[at].driver.Path
			e.stray = true
			e.searchAgain(add(place, what+"; "+place+" is in a directory that "+list[at].name()+" excludes",
				e.orSteam(list[at].name(), nil)), &list[at])
			return
		}
		if p, gone := e.missingManifest(e.usualDriver()); gone != "" {
			e.stray = true
			what, do = what+"; "+gone+" is missing, although its package is installed", e.system.again(p.Name, gone)
		}
		elsewhere = e.elsewhere(nil)
		e.stray = e.stray || elsewhere != ""
		what += outsideSearch(elsewhere)
	}
	found := add("", what, e.orSteam(by, do))
	if elsewhere != "" {
		found.offer(fixing, e.searchAlso(elsewhere))
	}
	if by != "" {
		e.unsetting(found, by)
	}
	for _, own := range explain.Brought(e.source, e.Answer) { // without this variable, the program may not name it
		found.offer(fixing, explain.SetVariable(variables.ICDFilenames.Name(), own.Manifest))
	}
}

// usualDriver returns the usual driver family for the devices, or the software renderer.
func (e *exam) usualDriver() *drivers.Family {
	usual := drivers.Of("libvulkan_lvp.so")
	for g := range each(e.GPUs) {
		if f := drivers.For(g.Kernel); f != nil {
			usual = f
		}
	}
	return usual
}

// outFor counts the drivers that the decision excluded with a code.
func (e *exam) outFor(code diag.Code) (n int) {
	for f := range each(e.Answer.Diagnostics) {
		n += term.Either(f.Code == code, 1, 0)
	}
	return n
}

// searchVariable returns the variable that replaces the driver search.
func searchVariable(source *machine.Source) string {
	for _, id := range []variables.ID{variables.DriverFiles, variables.ICDFilenames} {
		if source.Var(id.Name(), id.Secure()).Set {
			return id.Name()
		}
	}
	return ""
}
