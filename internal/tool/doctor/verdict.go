package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/display"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/trust"
	"vkloader/internal/decide/vk"
	"vkloader/internal/tool/term"
)

// verdict returns a report on Linux in one line: failures, the devices that programs get, and the number of problems.
func verdict(r *Report) string {
	texts := r.verdicts()
	if missing := r.missingFilesText(); missing != "" {
		texts = []string{missing}
	}
	return fit(r.end(), texts)
}

// maxVerdict is the number of words after which a verdict gives numbers in place of names.
const maxVerdict = 12

// fit returns the first text that is short enough with an end, or the last one.
func fit(end string, texts []string) string {
	at := slices.IndexFunc(texts, func(text string) bool { return len(strings.Fields(text+" "+end)) <= maxVerdict })
	text := texts[term.Either(at < 0, len(texts)-1, at)] + "; " + end
	if rest, is := strings.CutPrefix(text, "programs "); is {
		return "Programs " + rest
	}
	return text
}

// verdicts returns the verdict on a machine with the kernel's file systems, in several lengths.
func (r *Report) verdicts() []string {
	if broken := r.misbehaving(); len(broken) > 0 {
		return brokenTexts(broken)
	}
	if !r.Static.Gets() {
		return []string{r.programName() + " is statically linked, and gets no Vulkan loader"}
	}
	if has(r.Findings, ProgramNoVulkan) {
		return []string{r.programName() + " has no Vulkan in it"}
	}
	startless := append(slices.Clip(unloadable), LoaderMissing)
	if f := find(r.Findings, func(f *Finding) bool {
		return r.Program != "" && f.Path == r.Program && f.Severity != diag.Note && slices.Contains(startless, f.Code)
	}); f != nil {
		return []string{r.programName() + term.Either(f.Severity == diag.Problem, " does", " may") +
			term.Either(f.Code == LoaderMissing, " not get Vulkan", " not start")}
	}
	works, others, lost := r.devicesInWords()
	withDriver := !contains(r.Findings,
		func(f *Finding) bool { return f.Code == NoDriver && f.Because != LoaderMissing })
	if has(r.Findings, LoaderBroken) || withDriver && contains(r.Findings,
		func(f *Finding) bool { return f.Code == LoaderMissing && f.Severity == diag.Problem }) {
		return []string{term.Either(r.Program == "", "Programs get", r.programName()+" gets") + " no Vulkan loader"}
	}
	if len(works) == 0 {
		return r.rest()
	}
	does := term.Either(r.Works, term.Either(len(works) == 1, " works", " work"),
		term.Either(len(works) == 1, " has a driver", " have drivers"))
	names, all := strings.Join(works, " and ")+does,
		fmt.Sprintf("%d of %d devices%s", len(works), len(works)+len(others), does)
	if len(others) == 0 {
		return []string{names, term.Count(len(works), "device") + does}
	}
	clauses := strings.Join(others, "; ")
	return []string{names + "; " + clauses, term.Count(len(works), "device") + does + "; " + clauses, clauses,
		all + term.Enclosed("; ", lost, " excludes others"), all}
}

// brokenTexts returns the verdict on drivers, layers and variables that make programs fail, in several lengths.
func brokenTexts(broken []string) []string {
	broken = slices.Compact(broken) // one loader fails with each driver
	return []string{"Broken: " + strings.Join(broken, ", "),
		fmt.Sprintf("Broken: %s and %d more", broken[0], len(broken)-1), "Programs fail"}
}

// misbehaving returns the drivers, layers and variables that make programs crash, hang or fail, as sentences.
func (r *Report) misbehaving() (broken []string) {
	for f := range each(r.Findings) {
		if f.Because != nil && f.Because != LibraryTwice {
			continue
		}
		switch what := f.fact.(type) {
		case misbehaved:
			_, does, _ := strings.Cut(f.Code.String(), "-")
			if does = term.Either(does == "exits", "calls exit", does); f.Code == TogetherFails {
				does = term.Either(f.Path == "", "fail", "makes programs fail")
			}
			if f.Severity == diag.Problem && f.Code != DriverNoDevice {
				broken = append(broken, term.Either(what.only == "", f.Subject+" "+does+term.Enclosed(" together with ",
					what.with, ""), "programs fail with the loader "+what.only))
			}
		case hides:
			names := append([]string{f.Subject + "=" + what.value}, what.others...)
			broken = append(broken, strings.Join(names, " and ")+term.Either(len(names) == 1, " makes", " make")+
				" programs fail")
		}
	}
	return broken
}

// waiting returns the names of the unfinished probes.
func (r *Report) waiting() (names []string) {
	for _, p := range r.Probes {
		if p.Result == ProbeWaits {
			names = append(names, p.Name)
		}
	}
	return names
}

// devicesInWords returns the devices that programs get, a clause for each other one, and what excludes one.
func (r *Report) devicesInWords() (works, others []string, excludedBy string) {
	lost := r.missingDevices()
	for g := range each(r.GPUs) {
		at := slices.IndexFunc(lost, func(m missingDevice) bool { return m.GPU == g })
		served := contains(r.Drivers, func(m *Entry) bool { return m.Good && slices.Contains(g.Drivers, m.Manifest) })
		switch {
		case at >= 0 && lost[at].by != nil && lost[at].by.excludedBy != "":
			excludedBy = term.Or(excludedBy, lost[at].by.excludedBy)
			others = append(others, lost[at].by.excludedBy+" excludes "+g.Title())
		case at >= 0:
			others = append(others, "programs do not get "+g.Title())
		case !served || contains(r.Findings, func(f *Finding) bool {
			return f.Severity == diag.Problem && (f.device == g.Name || f.Code == NvidiaVersion && g.Kernel == "nvidia")
		}):
		case r.Works && !r.reaches(g):
			others = append(others, g.Title()+term.Either(g.Asleep, " sleeps", " has a driver"))
		default:
			works = append(works, g.Title())
		}
	}
	return works, others, excludedBy
}

// Unfinished reports whether a trial did not finish in time.
func (r *Report) Unfinished() bool { return len(r.waiting()) > 0 }

// end returns the end of the verdict: the numbers of problems or warnings, and the unfinished trials.
func (r *Report) end() string {
	count := func(is func(*Finding) bool) (n int) {
		for f := range each(r.Findings) {
			n += term.Either(f.Because == nil && is(f), 1, 0)
		}
		return n
	}
	problems := count(func(f *Finding) bool { return f.Severity == diag.Problem })
	warnings := count(func(f *Finding) bool { return f.Severity == diag.Warning })
	left := count(func(f *Finding) bool { // of earlier programs
		return f.Severity == diag.Warning && slices.Contains([]Kind{LeftoverOverride, LeftoverSettings}, f.Code)
	})
	missing := contains(r.missingDevices(), func(m *missingDevice) bool { // and the verdict does not name why
		return m.by == nil || !slices.Contains([]Kind{GPULeftOut, GPUVirtual, GPUReserved}, m.by.Code)
	}) || contains(r.Findings, (*Finding).lacksVulkan) || !contains(r.Drivers, (*Entry).serves)
	end := "no problems found"
	switch {
	case problems > 0:
		end = term.Count(problems, "problem")
	case warnings > 0 && left == warnings:
		end = term.Count(left, "leftover") + " to look at"
	case warnings > 0:
		end = term.Count(warnings, "warning")
	case missing:
		end = "nothing else found"
	}
	waiting := len(r.waiting())
	switch {
	case waiting > 0 && problems+warnings == 0:
		return term.Count(waiting, "unfinished trial")
	case waiting > 0:
		return end + ", " + term.Count(waiting, "unfinished trial")
	}
	return end
}

// Headed returns a sentence after its subject, unless the sentence begins with the subject.
func Headed(subject, what string) string {
	for _, name := range []string{subject, machine.Style.Base(subject)} {
		if strings.HasPrefix(what, name+" ") || strings.HasPrefix(what, name+":") {
			return what
		}
	}
	return subject + ": " + what
}

// hasDriver reports whether a driver is known to be installed, whether programs get it or not.
func (r *Report) hasDriver() bool {
	_, out := explain.Of(r.Answer)
	return contains(r.Drivers, func(m *Entry) bool { return !m.Brought }) || r.stray ||
		slices.ContainsFunc(out, func(e explain.Item) bool { return e.Kind == explain.Drivers.One })
}

// rest returns the verdict when no kernel device has a driver, in several lengths.
func (r *Report) rest() []string {
	software, unknown, good := r.driversWithoutDevice()
	device := "No graphics device works"
	if !contains(r.GPUs, func(g *GPU) bool { return r.host().expects(g) }) {
		device = r.rendererlessText()
	}
	excluded := find(r.Findings, func(f *Finding) bool { return f.Code == GPULeftOut && f.Severity == diag.Problem })
	switch {
	case has(r.Findings, NotInstalled):
		what := term.Either(len(r.Loaders) > 0, "no driver is installed", "Vulkan is not installed")
		return []string{term.Either(len(r.GPUs) > 0, strings.ToUpper(what[:1])+what[1:],
			"No graphics device, and "+what)}
	case good == 0:
		return r.noVulkan(term.Either(r.hasDriver(), "No driver works", "No driver is installed"))
	case excluded != nil:
		text := excluded.excludedBy + " excludes " + excluded.Subject
		return term.Either(len(software) > 0, []string{text + "; programs compute on the CPU", text},
			append(r.noVulkan(text)[:1], text))
	case len(unknown) > 0 && r.Works:
		names := term.Words(r.Devices, func(d probe.Device) string { return d.Name })
		return []string{strings.Join(names, " and ") + term.Either(len(names) == 1, " works", " work"), "Vulkan works"}
	case len(unknown) > 0 && r.Tried:
		return r.noVulkan(device)
	case len(unknown) > 0:
		return []string{"A driver is installed; its device is unknown"}
	case len(software) > 0 && pinnedBy(r.source) != "":
		return []string{"Programs compute on the CPU, as " + pinnedBy(r.source) + " says"}
	case len(software) > 0:
		works := term.Either(r.Works, "Vulkan works on the CPU", "programs compute on the CPU")
		return []string{device + "; " + works, device}
	case device == unseenDevices:
		return []string{"A driver is installed; /sys is empty"}
	}
	return r.noVulkan(term.Either(has(r.Findings, NoDevice), "No driver works here", device))
}

// programName returns the name of the examined program.
func (r *Report) programName() string { return machine.Style.Base(r.source.Program) }

// noVulkan returns the verdict that programs, or the examined one, get no Vulkan for a reason, in two lengths. The
// libraries of a program hide drivers from this program only.
func (r *Report) noVulkan(why string) []string {
	size := term.Either(r.WordSize() == ProcessClass, "", fmt.Sprintf("%d-bit ", r.WordSize()))
	switch alone := r.programName() + " gets no Vulkan"; {
	case r.Program == "":
		return []string{why + ", and no " + size + "program gets Vulkan", "No " + size + "program gets Vulkan"}
	case has(r.Findings, LibraryShadowed):
		return []string{alone + ", because of its own libraries", alone}
	default:
		return []string{alone + ": " + strings.Replace(why, "No ", "no ", 1), alone}
	}
}

// unseenDevices is the verdict about the devices of a root directory without the kernel's list, such as an image's.
const unseenDevices = "Unknown devices, because /sys is empty"

// rendererlessText returns the verdict about the devices when none is expected to support Vulkan.
func (r *Report) rendererlessText() string {
	for f := range each(r.Findings) {
		switch {
		case f.lacksVulkan():
			return "No Vulkan for " + f.Subject
		case f.Code == GPUVirtual:
			return term.Either(f.excludedBy != "", "Host without Vulkan", "No driver for "+f.Subject)
		case f.Code == GPUReserved:
			return f.excludedBy + " reserves the device"
		}
	}
	if len(r.GPUs) == 0 && r.source.Foreign() && !r.source.Machine.Exists("/sys/class") {
		return unseenDevices
	}
	return term.Either(len(r.GPUs) == 0, "No graphics device found", "No graphics device renders")
}

// lacksVulkan reports whether no Vulkan driver exists for the device, and no other device of the machine has one.
func (f *Finding) lacksVulkan() bool {
	return f.missing && (f.Code == GPUNoVulkan || f.Code == GPUDisplayOnly)
}

// missingDevice is a device that can render and that programs do not get.
type missingDevice struct {
	*GPU
	unmet string   // the first condition that does not hold, or what trials say
	by    *Finding // the finding that tells it; nil: none
}

// isReserved reports whether the device is for a virtual machine.
func (g *GPU) isReserved() bool { return strings.HasPrefix(g.Kernel, "vfio") || g.Kernel == "pci-stub" }

// missingDevices returns the devices that can render and that programs do not get.
func (r *Report) missingDevices() (list []missingDevice) {
	for g := range each(r.GPUs) {
		if c := r.host().chip(g); g.displayOnly() || c != nil && !c.HasVulkan() { // no driver of Vulkan exists
			continue
		}
		if unmet := r.unmet(g); unmet != "" {
			list = append(list, missingDevice{g, term.Or(r.answersOf(g), unmet), r.findingOf(g)})
		}
	}
	return list
}

// unmet returns the first condition for a device that does not hold; "": programs get it. Each condition needs those
// before it.
func (r *Report) unmet(g *GPU) string {
	tried := func(is func(*Probe) bool) bool {
		return contains(r.Probes, func(p *Probe) bool { return slices.Contains(g.Drivers, p.Manifest) && is(p) })
	}
	const reached, excluded = "", "its driver is excluded"
	switch {
	case r.reaches(g):
		return reached
	case g.isReserved():
		return excluded
	case g.Kernel == "":
		return string(untaken)
	case len(g.Drivers) == 0 && contains(r.Drivers, (*Entry).isUnknown):
		return reached // an unknown driver may serve it, through a node of its own
	case len(g.Nodes) == 0:
		return "it has no node below /dev"
	case g.refused != "":
		return "its node may not be opened"
	case contains(r.Findings, func(f *Finding) bool { return f.Code == GPULeftOut && f.device == g.Name }):
		return excluded
	case contains(r.Drivers,
		func(m *Entry) bool { return m.Good && slices.Contains(g.Drivers, m.Manifest) }) && !r.Tried:
		return reached
	case tried(func(p *Probe) bool { return slices.ContainsFunc(p.devices, g.is) }):
		return "its driver lists it alone, and the list of all drivers and layers lacks it"
	case tried(func(p *Probe) bool { return p.Result == ProbeNoDevice || p.Result == ProbeOK }):
		return "its driver was tried, and does not list it"
	case tried((*Probe).isPending):
		return reached // there was no trial of the driver
	case contains(r.Drivers, func(m *Entry) bool { return r.isFor(g, m) }):
		return "its driver cannot be loaded"
	}
	return "no driver for it is installed"
}

// isFor reports whether a driver, good or bad, is for a device.
func (r *Report) isFor(g *GPU, m *Entry) bool {
	return slices.Contains(g.Drivers, m.Manifest) || m.worksOn(g.Kernel) && (m.Class == 0 || m.Class == r.WordSize())
}

// isPending reports whether a trial has no result.
func (p *Probe) isPending() bool {
	return p.Result == ProbeWaits || p.Result == ProbeUntried || p.Result == ProbeAsleep
}

// reaches reports whether programs get a device: the trial of all drivers and layers listed it or, where that trial
// failed, the trial of a driver. If no driver of the device tells which devices it lists, one that works is enough.
func (r *Report) reaches(g *GPU) bool {
	if !r.Tried {
		return false
	}
	listed, known := r.Devices, false
	for _, p := range r.Probes {
		if p.Kind == "driver" && p.Result == ProbeOK && slices.Contains(g.Drivers, p.Manifest) {
			known = known || slices.ContainsFunc(p.devices, func(d probe.Device) bool {
				return d.PCI != "" || contains(r.GPUs, func(o *GPU) bool { return o.is(d) })
			})
			if !known {
				return true
			}
			if !r.Works {
				listed = append(slices.Clip(listed), p.devices...)
			}
		}
	}
	return slices.ContainsFunc(listed, g.is)
}

// findingOf returns the finding that tells why programs do not get a device: one about the device, or one about its
// driver that follows from no other, or the one about /sys, which has every device. A problem is better than a note. It
// is nil if there is none.
func (r *Report) findingOf(g *GPU) (found *Finding) {
	for f := range each(r.Findings) {
		about := f.device == g.Name && f.Code != GPUAsleep || f.Code == NvidiaVersion && g.Kernel == "nvidia" ||
			f.Code == SystemFiles && f.Path == "/sys" || f.Code != DeviceTwice && contains(r.Drivers,
			func(m *Entry) bool { return r.isFor(g, m) && r.concerns(f, m.Manifest) })
		if about && (found == nil || found.Because != nil && f.Because == nil || f.Because == nil &&
			f.Severity > found.Severity) {
			found = f
		}
	}
	return found
}

// answersOf returns the answers of a device's drivers in trials: the result, and a line of the driver.
func (r *Report) answersOf(g *GPU) string {
	var list []string
	for _, p := range r.Probes {
		if p.Kind != "driver" || p.Result == ProbeOK || p.isPending() || !slices.Contains(g.Drivers, p.Manifest) {
			continue
		}
		text := p.Name + ": " + term.Or(p.Detail, string(p.Result))
		if line := term.Or(p.Said, p.line()); line != "" {
			text += " (" + line + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// Quote returns the line that a finding's driver wrote on standard error about a failure in a trial, unless the finding
// has it; "": none.
func (r *Report) Quote(f *Finding) string {
	for _, p := range r.Probes {
		about := p.Manifest == f.Path || contains(r.GPUs,
			func(g *GPU) bool { return g.Name == f.device && slices.Contains(g.Drivers, p.Manifest) })
		if about && p.Kind == "driver" && p.Result != ProbeOK && p.line() != "" && !strings.Contains(f.What, p.line()) {
			return p.line()
		}
	}
	return ""
}

// deviceFilters are variables of programs that take only the devices in a list, by a part of the name or by the number.
// The loader does not know them.
var deviceFilters = []struct {
	variable, programs string
	numbers            bool
}{{"DXVK_FILTER_DEVICE_NAME", "programs with DXVK", false}, {"VKD3D_FILTER_DEVICE_NAME",
	"programs with VKD3D-Proton", false}, {"GGML_VK_VISIBLE_DEVICES", "llama.cpp and Ollama", true}}

// addDeviceFilters adds a finding for each variable with which some programs take none of the listed devices.
func (e *evidence) addDeviceFilters() {
	for _, f := range deviceFilters {
		value := e.variable(f.variable)
		takes := slices.ContainsFunc(e.Devices, func(d probe.Device) bool { return strings.Contains(d.Name, value) })
		if f.numbers {
			takes = slices.ContainsFunc(strings.Split(value, ","), func(entry string) bool {
				number, err := strconv.Atoi(strings.TrimSpace(entry))
				return err == nil && number < len(e.Devices)
			})
		}
		if value == "" || takes || len(e.Devices) == 0 {
			continue
		}
		e.add(VariableHides, f.variable, "", textf("no listed device matches %s%s: %s get no device", value,
			e.setterText(f.variable), f.programs), e.changeAdvice(explain.UnsetVariable(f.variable)), something)
	}
}

// windowSystems are a session's window systems, each with the variable of its display and the instance extensions for
// its windows.
var windowSystems = []struct {
	display, name string
	extensions    []string
}{{"WAYLAND_DISPLAY", "Wayland", []string{"VK_KHR_wayland_surface"}},
	{"DISPLAY", "X11", []string{"VK_KHR_xcb_surface", "VK_KHR_xlib_surface"}}}

// withoutDRI3 are the VkDriverIds of drivers that need no DRI3, or may not need it: NVIDIA's own and Dozen.
var withoutDRI3 = []uint32{4, 23}

// askDisplay asks the session's X server whether it takes images of drivers. What cannot be asked is no fault.
func (t *trying) askDisplay(ctx context.Context, e *evidence) {
	shown := e.variable("DISPLAY")
	if shown == "" || e.source.Foreign() {
		return
	}
	name, authority := cmp.Or(e.variable("XAUTHORITY"), path.Join(e.variable(variables.Home.Name()), ".Xauthority")), ""
	if trust.Path(name) == nil { // a privileged process sends no server a file that another user named
		authority = e.machine.Whole(name)
	}
	offers, err := display.Offers(ctx, shown, []byte(authority), "DRI3")
	e.olderDRI = e.lineOfDRI()
	unasked := err != nil && e.olderDRI.File != "" && e.variable("WAYLAND_DISPLAY") == "" // Xwayland reads no such file
	e.withoutDRI3 = err == nil && !offers || unasked
}

// lineOfDRI returns the line of the X server's configuration that turns DRI3 off (ValveSoftware/Proton issue 3585);
// without a file: none.
func (h host) lineOfDRI() (at FileLine) {
	option := regexp.MustCompile(`(?i)^\s*Option\s+"DRI"\s+"([012]|false|no|off)"`)
	for _, file := range h.places("xorg") {
		ignored := strings.Contains(h.machine.Whole(file), `"modesetting"`) // this driver does not read the option
		if lines := h.linesWith(file, option.MatchString); len(lines) > 0 && !ignored {
			return lines[0]
		}
	}
	return at
}

// windowless adds a finding for each hardware device that no program can show images with, if a display is set: the
// driver has no swapchains, driver and loader together have no extension for the session's windows, or the X server
// takes no images of it. Sources: MrNeRF/LichtFeld-Studio issue 2250, TigerVNC/tigervnc issue 1674,
// Steam-Headless/docker-steam-headless issue 168.
func (e *evidence) windowless() {
	for _, a := range e.alone {
		if a.Result != ProbeOK || a.saw == nil {
			continue
		}
		var names, lacking []string // of displays
		for _, w := range windowSystems {
			offers := func(x probe.Extension) bool { return slices.Contains(w.extensions, x.Name) }
			if e.variable(w.display) == "" {
				continue
			}
			if names = append(names, w.name); !slices.ContainsFunc(a.saw.Extensions, offers) {
				lacking = append(lacking, w.extensions[0])
			}
		}
		for _, d := range a.saw.Devices {
			switch {
			case len(names) == 0 || d.Type == vk.CPU || len(d.Extensions) == 0:
			case !slices.Contains(d.Extensions, "VK_KHR_swapchain"):
				e.add(DeviceWindowless, d.Name, "",
					sentence("its driver does not offer VK_KHR_swapchain, so programs show no window on the device"),
					nil)
			case len(lacking) > 0:
				e.addSurfaceless(&d, lacking, len(lacking) < len(names))
			case e.withoutDRI3 && !slices.Contains(withoutDRI3, d.DriverID):
				lost := usual
				if len(names) > 1 {
					lost = nothing
				}
				by, at := "the X server of DISPLAY="+e.variable("DISPLAY")+" does not offer DRI3", arguments(nil)
				if e.olderDRI.File != "" {
					by, at = e.olderDRI.String()+", turns DRI3 off in the X server", with("line", e.olderDRI.String())
				}
				e.add(DeviceWindowless, d.Name, "", textf("%s, so programs show no window of X11 on the device", by),
					e.system.by("images", at), lost)
			}
		}
	}
}

// addSurfaceless adds a finding for a device without extensions for the windows of the session, of which one may have
// its extension.
func (e *evidence) addSurfaceless(d *probe.Device, lacking []string, shows bool) {
	by, do, lost := "its driver", (*Remedy)(nil), usual
	if l := e.Loader; l != nil && l.Has(lacking[0]) == loaders.No {
		by, do = "the programs' loader, "+l.File+",", withOtherLoader(nil)
	}
	if shows {
		lost = nothing
	}
	e.add(DeviceWindowless, d.Name, "",
		textf("%s does not offer %s, so programs show no window of that kind on the device", by,
			strings.Join(lacking, " and ")), do, lost)
}

// CauseOf returns the finding that another one follows from; a finding that follows from none is its own cause.
func (r *Report) CauseOf(f *Finding) *Finding {
	cause := find(r.Findings, func(of *Finding) bool { return of.Code == f.Because && of.Because == nil })
	return term.Either(f.Because == nil || cause == nil, f, cause)
}

// withMissingDevices returns the findings, and marks those that tell why programs do not get a device that can render.
// If none tells it, a finding with the first condition that does not hold is added.
func (r *Report) withMissingDevices() []Finding {
	if r.judge == nil || r.source == nil {
		return r.Findings
	}
	r.Findings = slices.Clone(r.Findings)
	var unexplained []missingDevice
	for _, m := range r.missingDevices() {
		if m.by == nil {
			unexplained = append(unexplained, m)
			continue
		}
		root := r.CauseOf(m.by)
		root.missing = root.Code != GPUNoNode || root.Severity != diag.Note // a container may be for another device
	}
	for f := range each(r.Findings) {
		f.missing = f.missing || f.Code == GPUNoVulkan && r.Tried && !contains(r.GPUs, r.reaches)
	}
	for _, m := range unexplained {
		if !r.someGood() {
			break // the findings about the drivers tell it
		}
		found := r.add(GPUMissing, m.Title(), "", sentence(m.unmet), nil)
		found.device, found.missing = m.Name, true
	}
	return r.Findings
}
