package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/standing"
	"vkloader/internal/decide/vk"
	"vkloader/internal/tool/term"
)

// addResult adds the result of a trial and a finding about its failure.
func (e *evidence) addResult(a *alone) {
	e.Probes = append(e.Probes, a.Probe)
	a.setStanding()
	code, wrong := a.failure()
	switch {
	case !wrong:
		return
	case e.isIdle(a):
		a.of.Harmless = true // the finding about idle drivers has it
		return
	case code != DriverNoDevice:
		a.of.Good = false
	}
	if len(a.blamed) > 0 {
		e.addHiding(a.blamed, a.Name+": "+a.Detail)
		return
	}
	known := func(f *Finding) bool { return f.Code == GPUUnfinished && f.Path == a.Manifest }
	if a.demands != "" && !contains(e.Findings, known) {
		e.add(GPUUnfinished, a.Name, a.Manifest, textf("it is not finished, and lists a device only with %s=1%s",
			a.demands, term.Enclosed("; it wrote: ", a.line(), "")),
			e.changeAdvice(explain.SetVariable(a.demands, "1")))
		return
	}
	second := find(e.GPUs, func(g *GPU) bool {
		c := e.chip(g)
		return c != nil && !c.HasVulkan() && isNamed(a.Name, "layer-of-two-devices")
	})
	var do *Remedy
	meant := e.meaning(a)
	if meant != nil && a.Kind == "driver" && a.Only == "" {
		do = meant
	} else if code != DriverNoDevice {
		c, ok := e.leaveOutBroken(a.of)
		switch {
		case !ok && a.Only != "" && a.Kind == "driver": // it works with the other loader
		case !ok:
			do = e.renewalAdvice(a, code)
		case a.named == a.Name:
			do = e.renewalAdvice(a, code).or("To do without it, turn it off in the program; "+
				"a program that asks only for listed layers runs with: ", newAdvice(string(c.Line())))
		case a.Kind == "layer" && !c.Set:
			do = e.changeAdvice(c)
		default:
			do = shellAdvice("", c.Line())
			if a.of.family().Virtual() {
				do = do.before(e.system.by("host", nil))
			} else if removal := e.removal(a); removal != nil {
				do = removal.or("Otherwise: ", do)
			} else if e.leavesOnlyCPU(a) {
				do = e.renewalAdvice(a, code).or("To compute on the CPU until then: ", do)
			}
		}
		if ok && a.Kind == "layer" && a.named != a.Name && a.Only == "" && e.Answer.Style != pathname.Backslash &&
			second == nil && (meant != nil || e.packageOf(a.Manifest, a.of.Library) != "") {
			do = do.before(e.renewalAdvice(a, code))
		}
	}
	if a.Only != "" {
		do = withOtherLoader(do)
	}
	if a.unlisted != nil && a.unlisted.refused == "" {
		e.addUnopenableNode(a.unlisted)
	}
	device, detail := "", onlyThere(a.Detail, a.Only)
	if f := find(e.Findings, func(f *Finding) bool {
		return f.Code == LibrarySymbol && f.Path == a.Manifest
	}); a.Kind == "layer" && f != nil {
		detail += "; " + f.fact.say()
	}
	if second != nil {
		detail += "; it draws with another device, and no Vulkan driver exists for " + second.Title()
	}
	lost := usual
	if a.named != "" {
		detail, lost = "the program names "+term.Either(a.named == a.Name, "this layer", a.named)+
			", and may enable it; with it, a short program ended: "+detail, something
	}
	if g := e.nodelessDevice(a); code == DriverFails && g != nil {
		detail += "; " + g.Title() +
			" has no node in this container, and some releases of the driver need that of each device"
		do = e.nodeCure(g)
	} else if part := e.missingPart(a); code == DriverFails && part != "" {
		detail += "; " + part + ", which the driver opens for a device, does not exist"
		do = e.system.libraryAdvice(path.Base(part))
	}
	what := fact(misbehaved{detail, a.Said, a.with, a.Only})
	switch cause := e.causeOf(Finding{Code: code, Path: a.Manifest}, trialLinks...); {
	case cause < 0 && a.unlisted != nil:
		what = textf("it works, but does not list %s%s", a.unlisted.Title(),
			term.Enclosed("; it wrote: ", a.line(), ""))
		device = a.unlisted.Name
		switch {
		case a.of.family().Virtual():
			do = newAdvice(GPUVirtual.Entry().Do)
		case e.causeOf(Finding{Code: code, Path: a.Manifest, device: device}, whyUnlisted) < 0:
			if lost, do = everything, meant; do == nil {
				do = e.system.by("newest", with("p", e.packageOf(a.Manifest, a.of.Library)))
			}
			if a.unlisted.Kernel == "nvidia" && !e.source.Exists(nvidiaModeset) { // linuxserver/docker-steam issue 2
				what = textf("it works, but does not list %s, and %s does not exist", a.unlisted.Title(), nvidiaModeset)
				do = e.system.makeNode(nvidiaModeset, "-m")
			} else if f := e.otherFamily(a); f != nil {
				what = textf("it works, but does not list %s, whose driver is %s; that is not installed",
					a.unlisted.Title(), f.Name)
				do = e.installDriver(f, false)
			}
		}
	}
	e.add(code, a.Name, a.Manifest, what, do, lost).device = device
}

// nodelessDevice returns a device of NVIDIA's driver without a node, in a container that has the node of another one;
// nil: none. Release 460 lists no device then (NVIDIA/libnvidia-container issue 134).
func (r *Report) nodelessDevice(a *alone) *GPU {
	serves := func(g *GPU) bool { return g.Kernel == "nvidia" && slices.Contains(g.Drivers, a.Manifest) }
	if r.containerKind() == "" || !contains(r.GPUs, func(g *GPU) bool { return serves(g) && len(g.Nodes) > 0 }) {
		return nil
	}
	return find(r.GPUs, func(g *GPU) bool { return serves(g) && len(g.Nodes) == 0 })
}

// missingPart returns the file of NVIDIA's driver for ray tracing, without which it may use no device, if it is missing
// (ValveSoftware/Dota-2 issue 2787); "": it is there.
func (r *Report) missingPart(a *alone) string {
	version := drivers.Version(a.of.File)
	part := path.Join(path.Dir(a.of.File), "libnvidia-rtcore.so."+version)
	if a.of.family().Is(drivers.NVIDIA) && strings.HasPrefix(a.Detail, "using device") &&
		binary.CompareVersions(version, "418") >= 0 && !r.source.Exists(part) {
		return part
	}
	return ""
}

// addUnopenableNode adds a finding for a node of an unlisted device that cannot be opened, although its permissions
// allow it.
func (e *evidence) addUnopenableNode(g *GPU) {
	for _, node := range g.Nodes {
		err := e.openNode(node)
		if err == nil {
			continue
		}
		do := advice("stale-node")
		if errors.Is(err, fs.ErrPermission) {
			do = e.system.by("refused-node", with("node", node))
		}
		g.refused = node
		e.add(GPUPermission, g.Title(), node, textf("%s cannot be opened, although its permissions allow it (%s)", node,
			errors.Unwrap(err)), do).device = g.Name
		return
	}
}

// openNode returns why a device's node cannot be opened; nil: it can.
func (e *evidence) openNode(node string) error {
	f, err := os.OpenFile(e.source.Root+node, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err == nil {
		f.Close()
	}
	return err
}

// concerns reports whether a finding is about a driver or layer: it has the manifest's path, or on Windows that of its
// library.
func (r *Report) concerns(f *Finding, manifest string) bool {
	return f.Path == manifest || slices.ContainsFunc(slices.Concat(r.Drivers, r.Layers), func(m Entry) bool {
		return m.Manifest == manifest && m.Name == f.Subject && (m.File == f.Path || m.Library == f.Path)
	})
}

// harmless reports whether a change that excludes a driver or layer causes no problem and contradicts no other
// variable: the only driver stays, and so does a layer that a variable asks for. The devices of a broken driver, given
// by its manifest, are lost without the change, too.
func (r *Report) harmless(c explain.Change, broken string) bool {
	if r.examineAfter == nil || !c.Possible() || !c.Obeyed(r.source) {
		return false
	}
	known := map[key]bool{}
	for i := range r.Findings {
		known[r.Findings[i].key()] = true
	}
	again, _, possible := r.examineAfter(effectOf(c))
	return possible && !contains(again, func(f *Finding) bool {
		g := r.gpuOf(f)
		lost := f.Code == SoftwareOnly || g != nil && slices.Contains(g.Drivers, broken)
		return !known[f.key()] && !(broken != "" && lost) &&
			(f.Severity == diag.Problem || f.Severity == diag.Warning && f.Code == diag.VariableContradiction)
	})
}

// otherFamily returns the driver that the unlisted device's chip has in place of the tried one, and that is not
// installed (Frogging-Family/mesa-git issue 17); nil: none.
func (e *evidence) otherFamily(a *alone) *drivers.Family {
	c := e.chip(a.unlisted)
	if c == nil || c.Driver == a.of.family().Name || e.hasFamily(c.Driver) {
		return nil
	}
	for _, f := range drivers.Families() {
		if f.Name == c.Driver && f.WorksOn(a.unlisted.Kernel) {
			return f
		}
	}
	return nil
}

// renewalAdvice returns advice for a driver or layer that no variable can exclude: its package, or a software renderer.
func (e *evidence) renewalAdvice(a *alone, code Code) *Remedy {
	if do := e.meaning(a); do != nil && a.Only == "" {
		return do
	}
	if e.Answer.Style == pathname.Backslash { // Windows has no packages
		return e.addAsking(a, newAdvice("Update or reinstall it, from where it came.").withObstacle(ofPackage))
	}
	owner := e.packageOf(a.Manifest, a.of.Library)
	given := term.Either(owner == "" && a.of.family().Is(drivers.NVIDIA), drivers.NVIDIA, "")
	do := e.system.by("renew", with("p", owner, "given", given))
	if a.Kind == "layer" {
		return e.addAsking(a, do)
	}
	for g := range each(e.GPUs) {
		f, own := drivers.For(g.Kernel), a.of.family()
		if f != nil && own == nil && len(g.Drivers) == 0 && e.expects(g) {
			return newAdvice("The driver for " + g.Title() + " is " + f.Name).before(e.installDriver(f, false))
		}
		if f != nil && own != nil && f.Name != own.Name && slices.Contains(g.Drivers, a.Manifest) &&
			!e.hasFamily(f.Name) {
			return newAdvice("The device's other driver is "+f.Name).or("", e.installDriver(f, false)).
				or("To keep this one: ", do).withObstacle(do.because)
		}
	}
	software := packageOf(drivers.Of("libvulkan_lvp.so").Name, e.system.family())
	if software != "" && !contains(e.Drivers, func(m *Entry) bool { return m.family().Software() }) {
		do = do.or("It is the only driver. To compute on the CPU instead, install a software renderer, then run vkloader doctor again. ",
			e.system.choose(software))
	}
	return do
}

// addAsking puts before the advice for a layer that a variable asks for that the variable no longer does
// (RPCS3/rpcs3 issue 11157): the layer may work elsewhere, as one that writes into the current directory.
func (e *evidence) addAsking(a *alone, do *Remedy) *Remedy {
	if a.Kind != "layer" {
		return do
	}
	for _, v := range layerLists {
		without := explain.DropEntries(e.machine, v.Name(), v.separator,
			func(entry string) bool { return entry == a.Name })
		if without != nil {
			return e.changeAdvice(without[0]).or("To keep the layer: ", newAdvice(do.text))
		}
	}
	return do
}

// layerLists are the variables that ask for layers, with the separators of their lists.
var layerLists = []struct {
	variables.ID
	separator string
}{{variables.InstanceLayers, machine.ListSeparator}, {variables.LayersEnable, ","}}

// asks returns the variable that asks for a layer; "" for none.
func (r *Report) asks(layer string) string {
	for _, v := range layerLists {
		if value, _ := r.source.Lookup(v.Name()); slices.Contains(strings.Split(value, v.separator), layer) {
			return v.Name()
		}
	}
	return ""
}

// leaveOut returns the first harmless change that excludes a driver or layer and alters nothing else; failing that, the
// first that excludes it at all. It returns false if there is none. By default no program gets a portability driver, so
// a driver's changes are tried for a program that enables portability drivers.
func (r *Report) leaveOut(m *Entry) (explain.Change, bool) {
	trial, key := explain.NewTrial(r.source, r.Answer), explain.ItemKey{Manifest: m.Manifest}
	var changes []explain.Change
	if m.Layer != nil {
		key, changes = explain.LayerKey(m.Layer), explain.LeaveOutLayer(r.source, m.Layer)
	} else {
		changes = explain.LeaveOutDriver(r.source, m.Manifest)
		if answer, err := explain.Decide(r.source, explain.WithProbe); err == nil {
			trial = explain.NewTrial(r.source, answer, explain.WithProbe)
		}
	}
	changes = slices.DeleteFunc(changes, func(c explain.Change) bool { return !r.harmless(c, m.Manifest) })
	return trial.First(key, false, changes...)
}

// leaveOutBroken is leaveOut for a driver or layer that fails. One change leaves out all drivers that fail, and those
// of absent devices for programs of the other word size, too (kyechou/leagueoflegends issue 39). A loader
// without filters gets the manifests of all others, also of those for programs of the other word size.
func (e *evidence) leaveOutBroken(m *Entry) (explain.Change, bool) {
	var broken, others []string
	fails := func(d *Entry) bool {
		return contains(e.alone, func(a *alone) bool {
			_, wrong := a.failure()
			return a.Kind == "driver" && a.Manifest == d.Manifest && wrong && a.Result != ProbeNoDevice
		})
	}
	for d := range each(e.Drivers) {
		isTwin := d.Class != 0 && d.Class != e.WordSize() && e.deviceAbsent(d.family()) &&
			contains(e.Drivers, func(o *Entry) bool { return o.Used && o.family().Is(d.family().Name) && fails(o) })
		if d.Used && fails(d) || isTwin {
			broken = append(broken, d.Name)
		} else if d.Used || d.Class != 0 && d.Class != e.WordSize() {
			others = append(others, d.Manifest)
		}
	}
	if m.Layer != nil || !slices.Contains(broken, m.Name) {
		return e.leaveOut(m)
	}
	if len(broken) > 1 {
		for _, c := range explain.AddToFilter(e.source, variables.DriversDisable, broken...) {
			if e.harmless(c, m.Manifest) {
				return c, true
			}
		}
	}
	c, ok := e.leaveOut(m)
	only := explain.SetVariable(variables.ICDFilenames.Name(), strings.Join(others, machine.ListSeparator))
	if !ok && len(others) > 0 && searchVariable(e.source) == "" && e.harmless(only, m.Manifest) {
		return only, true
	}
	return c, ok
}

// actingMessages returns a probe's warnings and errors from the use of drivers and layers. It omits the decision's
// messages about the probe's variables and files, which are findings already.
func (t *trying) actingMessages(at probe.Companions, environ []string, result *probe.Result) ([]loaders.LogMessage,
	error) {
	source := *t.scene.Source
	source.Environ, source.Program = environ, at.Child
	decided, err := explain.Decide(&source, explain.WithProbe)
	if err != nil {
		return nil, err
	}
	log := result.Log
	if at.Library != t.own.Library {
		log = loaders.OlderLog(log)
	}
	return slices.DeleteFunc(loaders.ReadLog(log).Messages, func(m loaders.LogMessage) bool {
		return slices.ContainsFunc(decided.Steps,
			func(s plan.Step) bool { return s.Kind == plan.StepLog && s.Text == m.Text })
	}), nil
}

// listsNoDevice reports whether every phase worked except for the list of devices, which was empty.
func listsNoDevice(r *probe.Result, messages []loaders.LogMessage) bool {
	listed := false
	for _, p := range r.Phases {
		if p.Result < 0 && !(p.Name == probe.ListDevices && complaint(messages, "").Kind == loaders.NoDevice) {
			return false
		}
		listed = listed || p.Name == probe.ListDevices
	}
	return listed && len(r.Devices) == 0
}

// complaint returns the loader's message about a failure: the first warning or error about the library, otherwise the
// first error, otherwise the first warning; the zero value if there is none.
func complaint(messages []loaders.LogMessage, library string) loaders.LogMessage {
	for _, which := range []func(loaders.LogMessage) bool{
		func(m loaders.LogMessage) bool { return library != "" && m.Library == library },
		func(m loaders.LogMessage) bool { return m.Severity == loaders.LogError },
		func(m loaders.LogMessage) bool { return m.Severity == loaders.LogWarning },
	} {
		if at := slices.IndexFunc(messages, which); at >= 0 {
			return messages[at]
		}
	}
	return loaders.LogMessage{}
}

// setStanding enters the stage that a trial showed for a driver or layer. One that works is not broken by its files.
func (a *alone) setStanding() {
	m := a.of
	if a.Result == ProbeOK && m.Stage != "" {
		m.Good, m.Standing = true, standing.Standing{Stage: standing.ShowsDevices}
	}
	if m.But != "" || m.Stage == "" {
		return
	}
	switch a.Result {
	case ProbeNoDevice:
		m.Standing = standing.Standing{Stage: standing.Answered, But: "it lists no device",
			Fault: string(DriverNoDevice), Harmless: true}
	case ProbeFails, ProbeCrashes, ProbeHangs, ProbeExits:
		stage := term.Either(wasOpened(a.saw), standing.Opened, standing.Loadable)
		code, _ := a.failure()
		m.Standing = standing.Standing{Stage: stage, But: a.Detail, Fault: string(code)}
	}
}

// failure returns the code of the trial's failure, such as "driver-crashes"; false: it did not fail.
func (p *Probe) failure() (code Code, is bool) {
	code = Code(p.Kind + "-" + strings.ReplaceAll(string(p.Result), " ", "-"))
	return code, slices.Contains(failures, Kind(code))
}

// wasOpened reports whether a child process opened its driver: it died in it, a call reached it, or the loader says so.
func wasOpened(saw *probe.Result) bool {
	if saw == nil {
		return false
	}
	called := slices.ContainsFunc(saw.Phases,
		func(p probe.Phase) bool { return p.Name == probe.CreateInstance && p.Result >= 0 })
	skipped := slices.ContainsFunc(loaders.ReadLog(saw.Log).Messages,
		func(m loaders.LogMessage) bool { return m.Kind == loaders.DriverSkipped })
	return called || skipped || saw.Died()
}

// hasWorkingDriver reports whether a driver that was tried alone works.
func (e *evidence) hasWorkingDriver() bool {
	return contains(e.alone, func(a *alone) bool { return a.Result == ProbeOK })
}

// isIdle reports whether programs lose nothing by a driver that lists no device: another driver works, and lists each
// device that this one may serve. A driver without a device here may also fail.
func (e *evidence) isIdle(a *alone) bool {
	isListed := func(g *GPU) bool {
		return a.Result == ProbeNoDevice && contains(e.alone, func(o *alone) bool {
			return o.Result == ProbeOK && slices.ContainsFunc(o.saw.Devices, g.is)
		})
	}
	f := a.of.family()
	return a.Kind == "driver" && a.saw != nil && (a.Result == ProbeNoDevice || a.Result == ProbeFails) &&
		e.hasWorkingDriver() && f != nil && !f.Software() && e.source.Machine.Exists("/sys/class") &&
		!contains(e.GPUs, func(g *GPU) bool { return f.MayServe(g.Kernel, g.Vendor) && !isListed(g) })
}

// exemptByTrial returns why a fault costs nothing if a tried driver works: programs get the device all the same, the
// driver is for an absent device, and without /sys, a software renderer works, which is enough without a device's node.
func (e *evidence) exemptByTrial(f *Finding) exemption {
	d := e.driverAt(f.Path)
	switch {
	case !e.hasWorkingDriver():
	case f.Code == SystemFiles && f.Path == "/sys" && len(e.missingDevices()) == 0:
		return otherDevices
	case d != nil && e.deviceAbsent(d.family()) && slices.Contains(fatal, f.Code):
		return absentDevice
	case f.usual == diag.Problem &&
		contains(e.GPUs, func(g *GPU) bool { return f.device == g.Name && f.obstructs(g) && e.reaches(g) }):
		return listedDevice
	}
	return f.exempt
}

// deviceAbsent reports whether the kernel lists its devices, and none is one of a family's.
func (r *Report) deviceAbsent(family *drivers.Family) bool {
	return family != nil && !family.Software() && r.source.Machine.Exists("/sys/class") &&
		!contains(r.GPUs, func(g *GPU) bool { return family.MayServe(g.Kernel, g.Vendor) })
}

// removal returns advice to remove the package of a driver whose device is absent; nil: unknown, or the package has
// other drivers, too.
func (e *evidence) removal(a *alone) *Remedy {
	stem, _, _ := strings.Cut(path.Base(a.Manifest), "_icd")
	p := e.system.packageNamed(e.ownerOf(a.Manifest))
	if a.Kind != "driver" || !e.deviceAbsent(a.of.family()) || p == nil ||
		slices.ContainsFunc(p.Files, func(file string) bool {
			return strings.Contains(file, "/vulkan/icd.d/") && !strings.HasPrefix(path.Base(file), stem)
		}) {
		return nil
	}
	return newAdvice("If this machine never has a device for it, remove the driver.").before(e.system.by("remove", with("p", p.Name)))
}

// Limits of a driver's lines in a report.
const (
	maxWritten = 5   // lines
	maxLine    = 500 // bytes of one line
)

// driverLines returns a driver's last lines on standard error. older means that the loader marks none of its lines.
func driverLines(log string, older bool) (lines []string) {
	if older {
		log = loaders.OlderLog(log)
	}
	for _, line := range strings.Split(log, "\n") {
		_, ofLoader := loaders.ParseLog(line)
		if len(line) > maxLine {
			line = strings.ToValidUTF8(line[:maxLine], "") + " … (cut)"
		}
		if ofLoader || strings.TrimSpace(line) == "" || slices.Contains(lines, line) {
			continue
		}
		if lines = append(lines, line); len(lines) > maxWritten {
			lines = lines[1:]
		}
	}
	return lines
}

// line returns the driver's line about a failure: one with a sign of a known meaning, one that calls itself an error,
// or the last one; "": it wrote none.
func (p *Probe) line() string {
	for _, is := range []func(line string) bool{
		func(line string) bool { return meaningOf(line) != "" || strings.Contains(line, isIncomplete) },
		func(line string) bool { return strings.Contains(strings.ToLower(line), "error") },
	} {
		if at := slices.IndexFunc(p.Wrote, is); at >= 0 {
			return p.Wrote[at]
		}
	}
	return strings.Join(p.Wrote[max(0, len(p.Wrote)-1):], "")
}

// meaningOf returns the way to remove a failure with a sign of a known meaning in a text; "": it has none.
func meaningOf(text string) string {
	return pairValue("failure", func(sign string) bool { return strings.Contains(text, sign) })
}

// meaning returns the remedy for a failure with a sign of a known meaning, in the result of a trial or in a line of the
// driver or loader; nil: it has none. Another copy of the same package would fail as well.
func (e *evidence) meaning(a *alone) *Remedy {
	how := meaningOf(strings.Join(append([]string{sizeless(a.Name) + ": " + a.Detail, a.Said}, a.Wrote...), "\n"))
	switch {
	case e.Answer.Style == pathname.Backslash: // the signs and remedies are those of Linux
		return nil
	case how == "":
		return e.missingFileAdvice(a)
	}
	args := with("file", cmp.Or(a.of.File, a.of.Library), "p", e.packageOf(a.Manifest, a.of.Library))
	for g := range each(e.GPUs) {
		c := e.chip(g)
		if slices.Contains(g.Drivers, a.Manifest) && c != nil && c.Mesa != "" &&
			binary.CompareVersions(drivers.MesaRelease(e.machine, a.of.File), c.Mesa) < 0 {
			maps.Copy(args, e.system.newerMesa(c))
		}
	}
	return e.system.follow(how, "", args)
}

// leavesOnlyCPU reports whether a driver that fails is for a device of this machine, and without it no device but
// the CPU is known to work.
func (e *evidence) leavesOnlyCPU(a *alone) bool {
	isGPU := func(d probe.Device) bool { return d.Type != vk.CPU }
	return contains(e.GPUs, func(g *GPU) bool { return slices.Contains(g.Drivers, a.Manifest) }) &&
		!contains(e.alone, func(o *alone) bool {
			return o.Result == ProbeOK && o.saw != nil && slices.ContainsFunc(o.saw.Devices, isGPU)
		})
}

// missingFileAdvice returns advice about a file that a driver's own lines name and that does not exist: its package is
// installed again, or the library is installed; nil: they name none. A driver that opens another one names its file.
func (e *exam) missingFileAdvice(a *alone) *Remedy {
	if e.deviceAbsent(a.of.family()) {
		return nil
	}
	for _, word := range strings.FieldsFunc(strings.Join(a.Wrote, "\n"),
		func(r rune) bool { return strings.ContainsRune(" \t\n:;,'\"()", r) }) {
		if file := strings.TrimSuffix(word, "."); path.IsAbs(file) && !e.machine.Exists(file) {
			if owner := e.packageOf(file); owner != "" {
				return e.system.again(owner, file)
			} else if strings.Contains(path.Base(file), ".so") {
				return e.system.libraryAdvice(path.Base(file))
			}
		}
	}
	return nil
}
