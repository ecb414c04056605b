package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/vk"
	"vkloader/internal/decide/wording"
	"vkloader/internal/decide/workers"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// evidence is the knowledge about the drivers and layers of a program: the examination and the trials so far. It grows
// by steps, in the order of grow, in a copy of the report.
type evidence struct {
	*exam
	alone  []alone       // the trials of the drivers
	all    *probe.Result // the run of all drivers and layers; nil: none
	out    []run.Suspect // excluded from every later run: drivers whose device sleeps or that fail alone
	base   string        // the manifest of the first working driver
	dead   int           // the number of drivers that fail alone
	silent int           // the number of drivers that could not be tried alone

	withoutDRI3 bool     // the session's X server takes no images of drivers
	olderDRI    FileLine // the line that turns them off; without a file: none
}

// newEvidence returns the beginning of the evidence. It shares no list with the report.
func newEvidence(r *Report) *evidence {
	own := *r
	e := &evidence{exam: examOf(&own, r.source).setSystem(r.WordSize(), newPackages())}
	e.system.within(e.exam)
	e.Findings, e.Probes, e.Through = slices.Clone(e.Findings), slices.Clone(e.Probes), slices.Clone(e.Through)
	e.GPUs, e.Drivers, e.Layers = slices.Clone(e.GPUs), slices.Clone(e.Drivers), slices.Clone(e.Layers)
	return e
}

// addElevated adds the finding that no trial is possible, because the children are elevated.
func (e *evidence) addElevated() {
	e.add(TrialRights, "programs that are not elevated", "",
		sentence("nothing was tried: the children of this process are elevated, too"), nil, something)
}

// selectDrivers adds the drivers for trials. Drivers whose device sleeps get no trial. If the children ignore the
// variables that isolate a driver, a driver gets a trial only if other variables isolate it.
func (t *trying) selectDrivers(e *evidence) {
	e.alone = e.driversAlone()
	for a := range each(e.alone) {
		if t.ignored {
			a.Variables = append(a.Variables, disablesLayers(t.scene.Answer, a)...)
		}
		a.Variables = append(a.Variables, t.oldLoaderVariables(e.Report, a)...)
		// loading it wakes the device
		if !t.Wake && contains(e.GPUs,
			func(g *GPU) bool { return g.Asleep && slices.Contains(g.Drivers, a.Manifest) }) {
			a.Result = ProbeAsleep
			e.out = append(e.out, suspectOf(a))
		} else if t.ignored && !t.isolates(a) {
			a.Result, a.Detail = ProbeUntried, notAlone
			e.silent++
			e.add(TrialRights, a.Name, a.Manifest, sentence(notAlone), nil)
		}
	}
}

// driversAlone returns trials of the drivers that a program gets. Every loader skips those for the other word size.
func (r *Report) driversAlone() (list []alone) {
	for m := range each(r.Drivers) {
		foreign := contains(r.Findings,
			func(f *Finding) bool { return f.Code == LibraryForeign && r.concerns(f, m.Manifest) })
		if m.Driver == nil || foreign {
			continue
		}
		one := alone{of: m, Probe: Probe{Kind: "driver", Name: m.Name, Manifest: m.Manifest},
			Variables: []explain.Change{explain.SetVariable(variables.DriverFiles.Name(), m.Manifest),
				explain.SetVariable(variables.LayersDisable.Name(), "~all~")}}
		for _, v := range []variables.ID{variables.LayersAllow, variables.LayersEnable, variables.InstanceLayers,
			variables.DriversSelect,
			variables.DriversDisable, variables.DeviceIDFilter, variables.VendorIDFilter, variables.DriverIDFilter} {
			one.Variables = append(one.Variables, explain.UnsetVariable(v.Name()))
		}
		list = append(list, one)
	}
	return list
}

// runAll runs the selected drivers alone, and all drivers and layers together, side by side.
func (t *trying) runAll(ctx context.Context, e *evidence) error {
	environ, remove := t.trialEnviron(e.source)
	defer remove()
	failed := make([]error, 1+len(e.alone)) // the combination's error first
	var running workers.Group
	for i := range e.alone {
		if a := &e.alone[i]; a.Result == "" {
			running.Go(func() {
				a.saw, failed[1+i] = t.child(ctx, t.at, explain.Apply(environ, a.Variables), t.Limit)
				t.tell(a.Probe, a.saw)
			})
		}
	}
	if len(e.out) < len(e.alone) {
		running.Go(func() {
			e.all, failed[0] = t.chain(ctx, e.out)
			t.tell(newTogether(e.out), e.all)
		})
	}
	running.Wait()
	if err := cmp.Or(failed...); err != nil {
		return err
	}
	e.Tried = true
	return nil
}

// judgeAll sets the results of the drivers.
func (t *trying) judgeAll(ctx context.Context, e *evidence) error {
	for _, a := range e.alone {
		if a.saw != nil {
			e.addLoader(a.saw)
		}
	}
	type step = func(context.Context, *evidence, *alone) error
	for a := range each(e.alone) {
		steps := []step{t.judge, t.blame, t.setDemand}
		if a.saw == nil {
			steps = term.Either(a.Result == ProbeUntried && e.all != nil, []step{t.leftOut}, nil)
		}
		for _, take := range steps {
			if err := take(ctx, e, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge sets the result of a driver that was tried alone.
func (t *trying) judge(ctx context.Context, e *evidence, a *alone) error {
	environ := explain.Apply(t.Environ, a.Variables)
	messages, err := t.actingMessages(t.at, environ, a.saw)
	if err != nil {
		return err
	}
	a.Probe.enter(a.saw)
	a.Wrote = driverLines(a.saw.Log, t.at.Library != t.own.Library)
	switch {
	case a.Result == ProbeFails && listsNoDevice(a.saw, messages):
		a.Result, a.Detail = ProbeNoDevice, "it works, but lists no device"
	case a.Result != ProbeOK && a.Result != ProbeWaits:
		a.Said = probe.OpenError(complaint(messages, a.of.Library).Text)
		a.Only, err = t.only(ctx, e.Loader, environ, true)
	}
	return err
}

// leftOut sets the result of a driver that was not tried alone, if the loader left it out of the run with all drivers.
func (t *trying) leftOut(_ context.Context, e *evidence, a *alone) error {
	at, environ := t.at, t.Environ
	if t.whole != nil {
		at, environ = t.whole.at, t.whole.environ
	}
	messages, err := t.actingMessages(at, environ, e.all)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if (m.Kind == loaders.Refused || m.Kind == loaders.DriverSkipped) &&
			machine.SameLibrary(a.of.Library, m.Library) {
			a.Result, a.Detail, a.Said = ProbeFails, "the loader skips it", probe.OpenError(m.Text)
			break
		}
	}
	return nil
}

// addLoader adds the loader that a child process loaded. The description of the program's loader gets that loader's
// version if no other source gave it, also in the findings about the loader.
func (e *evidence) addLoader(result *probe.Result) {
	if l := e.Loader; l != nil && l.Version == "" && result.Version != 0 && result.Library == l.File {
		known := *l
		known.Version, known.From = wording.Version(result.Version), loaders.FromAnswer
		e.Loader = &known
	}
	if result.Library != "" && !slices.Contains(e.Through, result.Library) {
		e.Through = append(e.Through, result.Library)
	}
}

// countDrivers counts the drivers that work and that fail alone. The combination runs without a driver that fails
// alone.
func (e *evidence) countDrivers() {
	for a := range each(e.alone) {
		switch a.Result {
		case ProbeOK:
			e.base = cmp.Or(e.base, a.Manifest)
		case ProbeCrashes, ProbeHangs, ProbeExits:
			e.out = append(e.out, suspectOf(a))
			e.dead++
		}
	}
}

// together adds the result of the combined drivers and layers, and finds the culprit if they fail.
func (t *trying) together(ctx context.Context, e *evidence) error {
	if e.dead == 0 && e.all.Outcome != probe.Fine && e.all.Outcome != probe.Cut {
		if hidden, err := t.settingsBlame(ctx, e); hidden || err != nil {
			return err
		}
	}
	all := newTogether(e.out)
	var result *probe.Result // of the run with all drivers and layers
	found, err := run.FindCulprit(func(without []run.Suspect) (_ *run.Seen, err error) {
		saw := e.all
		if e.dead > 0 || len(without) > 0 {
			if saw, err = t.chain(ctx, slices.Concat(e.out, without)); err != nil {
				return nil, err
			}
		}
		if result == nil {
			result = saw
		}
		seen := &run.Seen{Good: saw.Outcome == probe.Fine, Stopped: saw.Outcome == probe.Cut, What: saw.Problem}
		// no driver has a device, and no device is expected
		seen.Good = seen.Good && len(e.lacks(saw)) == 0 || e.base == "" && e.silent == 0 &&
			result.Outcome == probe.Failed
		return seen, nil
	}, func(*run.Seen) *run.Suspects { return t.scene.Suspects(nil) })
	if err != nil {
		return err
	}
	all.enter(result)
	e.addLoader(result)
	if all.Result != ProbeOK && found.Result != run.EndedWell && found.Result != run.BrokenOff {
		environ, _ := t.scene.Without(e.out)
		if all.Only, err = t.only(ctx, e.Loader, environ, e.base == ""); err != nil {
			return err
		}
	}
	if all.Result == ProbeFails && found.Result == run.EndedWell {
		works := contains(e.alone, func(a *alone) bool { return a.Result == ProbeNoDevice })
		all.Result, all.Detail = ProbeNoDevice, term.Either(works, "they work, but list no device", "no driver works")
	}
	e.Probes = append(e.Probes, all)
	if e.Works = all.Result == ProbeOK && e.dead == 0; e.Works {
		e.Devices = result.Devices
	}
	if lacking := e.lacks(result); all.Result == ProbeOK && len(lacking) > 0 {
		e.addExcluded(found.Culprits, lacking)
		found.Result = run.EndedWell
	}
	switch found.Result {
	case run.EndedWell:
		e.addPoorDevices()
		e.addTwice()
		e.addLimited()
		e.addSoftwareFirst()
		e.addUnmetWant()
		e.addDeviceFilters()
		t.askDisplay(ctx, e)
		e.windowless()
		if err = t.missingLayers(e, result); err != nil {
			return err
		}
		if err = t.tryNamedLayers(ctx, e); err != nil {
			return err
		}
		return t.slow(ctx, e, totalDuration(result))
	case run.FoundCulprit:
		t.addCulprits(e, &all, found.Culprits, found.With)
	case run.NothingToLeaveOut, run.EndsDiffer:
		// nothing can be left out of an elevated child on Windows
		if c, is := openedLast(t.scene.Answer, result); is && e.silent > 0 {
			t.addCulprits(e, &all, []run.Suspect{c}, nil)
			return nil
		}
		var do *Remedy
		if contains(e.alone, func(a *alone) bool { return a.Only != "" }) {
			return nil // the loader has the fault, and its finding tells it
		}
		if all.Only != "" {
			do = withOtherLoader(nil)
		} else if e.silent > 0 {
			do = advice("try-alone")
		}
		f := e.add(TogetherFails, all.Name, "", misbehaved{detail: onlyThere(all.Detail, all.Only)}, do)
		if e.silent > 0 {
			f.Why = whyNotAlone
		}
	case run.BrokenOff:
		if all.Result != ProbeWaits {
			e.add(TogetherFails, all.Name, "", misbehaved{detail: all.Detail},
				shellAdvice("The search for the culprit has not finished. To wait for it: ", "vkloader doctor"))
		}
	}
	return nil
}

// isIncomplete is a part of Mesa's line about a device of Intel from before 2014.
const isIncomplete = "Vulkan support is incomplete"

// driverOf returns the trial of the driver that lists a device alone; nil: none.
func (e *evidence) driverOf(d probe.Device) *alone {
	return find(e.alone, func(a *alone) bool {
		return a.saw != nil &&
			slices.ContainsFunc(a.saw.Devices, func(o probe.Device) bool { return o.Name == d.Name })
	})
}

// addUnmetWant adds a finding if no listed device, apart from those that compute on the CPU, meets the program's
// requirements. It has the lacks of each device, and a driver or release without them.
func (e *evidence) addUnmetWant() {
	want := decide.WantOf(e.machine, e.source.Program)
	if want == nil || has(e.Findings, ProgramNeeds) {
		return
	}
	var texts []string
	var do *Remedy
	for _, d := range e.Devices {
		lacks := want.Unmet(d.APIVersion, d.Extensions)
		from, chip := e.driverOf(d), drivers.ChipByPCI(d.VendorID, d.DeviceID)
		switch {
		case d.Type == vk.CPU:
			continue
		case lacks == "":
			return
		case from != nil && do == nil:
			do = e.offering(drivers.Of(from.of.Library), find(e.GPUs, func(g *GPU) bool { return g.is(d) }))
		}
		text := d.Name + term.Either(strings.HasPrefix(lacks, "Vulkan "), " offers Vulkan "+d.APIVersion.String(),
			" has no "+lacks)
		older := want.Older
		for older != nil && older.Unmet(d.APIVersion, d.Extensions) != "" {
			older = older.Older
		}
		limit, never := "", false
		if chip != nil {
			limit, never = chip.Limit(want)
		}
		texts = append(texts, text+term.Enclosed(": ", limit, ""))
		switch {
		case never:
			do = olderRelease(chip.Instead(want))
		case older != nil && do != nil:
			do = do.or("Or: ", olderRelease(older))
		}
	}
	if len(texts) > 0 {
		e.add(ProgramNeeds, want.Name, "", textf("it requires %s. %s", want.Text(), strings.Join(texts, "; ")), do)
	}
}

// addHiding adds findings for variables without which programs have devices. Several variables are one problem: the fix
// changes them all.
func (e *evidence) addHiding(by []run.Suspect, detail string) {
	by = slices.DeleteFunc(slices.Clone(by), func(c run.Suspect) bool {
		return contains(e.Findings, func(f *Finding) bool { return f.Code == VariableHides && f.Subject == c.Name })
	})
	if len(by) == 0 {
		return // another driver fails because of them, too
	}
	change, others := explain.UnsetVariable(by[len(by)-1].Name), []string(nil)
	for _, c := range slices.Backward(by[:len(by)-1]) {
		change = explain.UnsetVariable(c.Name).With(change)
	}
	for _, c := range by[1:] {
		others = append(others, c.Name+"="+c.Value)
	}
	do := e.changeAdvice(change)
	for _, c := range by {
		e.add(VariableHides, c.Name, "", hides{c.Value, detail, others}, do)
		others = nil
	}
}

// entryOf returns the entry of a suspect; nil: only the trial's programs get it.
func (e *evidence) entryOf(c *run.Suspect) *Entry {
	return find(term.Either(c.Kind == run.Layer, e.Layers, e.Drivers),
		func(m *Entry) bool { return m.Manifest == c.Manifest && m.Name == c.Name })
}

// addCulprits adds findings for the culprits of a failure.
func (t *trying) addCulprits(e *evidence, all *Probe, culprits, with []run.Suspect) {
	e.addHiding(slices.DeleteFunc(slices.Clone(culprits), func(c run.Suspect) bool { return c.Kind != run.Variable }),
		all.Detail)
	for _, c := range culprits {
		known := e.entryOf(&c)
		if known == nil {
			known = &Entry{Name: c.Name, Manifest: c.Manifest, Library: c.Library,
				Layer: explain.Layer(t.scene.Answer, c.Name, c.Manifest)}
		}
		failsAlone := func(f Finding) bool { return f.Path == c.Manifest && slices.Contains(failures, f.Code) }
		if c.Kind == run.Driver && known.Harmless {
			// The loader gives up with a driver that has no memory, also for an absent device (GPUOpen-Drivers/AMDVLK
			// issue 187).
			known.Good, known.Harmless = false, false
			var do *Remedy
			if change, ok := e.leaveOutBroken(known); ok {
				do = shellAdvice("", change.Line())
			}
			e.add(TogetherFails, c.Name, c.Manifest,
				misbehaved{detail: "with this driver, no program gets a device: " + all.Detail}, do)
			continue
		}
		if c.Kind == run.Variable || c.Kind == run.Driver && slices.ContainsFunc(e.Findings, failsAlone) ||
			c.Kind == run.Layer && known.Layer == nil {
			continue
		}
		a := alone{of: known, Probe: Probe{Kind: string(c.Kind), Name: c.Name, Manifest: c.Manifest, Result: all.Result,
			Detail: all.Detail, Only: all.Only, Millis: all.Millis}}
		for _, w := range with {
			a.with = w.Name
		}
		e.addResult(&a)
	}
}

// blame searches for the variables without which a driver that fails alone, or lists no device although its device is
// present, works. Any variable of drivers, libraries and the dynamic linker can be one.
func (t *trying) blame(ctx context.Context, e *evidence, a *alone) error {
	present := contains(e.GPUs, func(g *GPU) bool { return slices.Contains(g.Drivers, a.Manifest) })
	if _, wrong := a.failure(); !wrong || a.Result == ProbeNoDevice && !present {
		return nil
	}
	var suspects []run.Suspect
	for _, pair := range t.Environ {
		if name, value, _ := strings.Cut(pair, "="); spawn.IsForDrivers(name) && value != "" {
			suspects = append(suspects, run.Suspect{Kind: run.Variable, Name: name, Value: value})
		}
	}
	if len(suspects) == 0 {
		return nil
	}
	found, err := run.FindCulprit(func(without []run.Suspect) (_ *run.Seen, err error) {
		saw, environ := a.saw, explain.Apply(t.Environ, a.Variables)
		for _, s := range without {
			environ = machine.WithoutVariable(environ, s.Name)
		}
		if len(without) > 0 {
			if saw, err = t.child(ctx, t.at, environ, t.Limit); err != nil {
				return nil, err
			}
		}
		messages, err := t.actingMessages(t.at, environ, saw)
		good := saw.Outcome == probe.Fine && len(saw.Devices) > 0 || a.Result != ProbeNoDevice &&
			listsNoDevice(saw, messages)
		return &run.Seen{Good: good, Stopped: saw.Outcome == probe.Cut, What: saw.Problem}, err
	}, func(*run.Seen) *run.Suspects { return &run.Suspects{Variables: suspects} })
	if err == nil && found.Result == run.FoundCulprit {
		a.blamed = found.Culprits
	}
	return err
}

// setDemand sets the variable without which an unfinished driver lists no device: the driver's own lines name it, or
// its file does, and with it the driver lists one.
func (t *trying) setDemand(ctx context.Context, e *evidence, a *alone) error {
	if a.Result != ProbeNoDevice && a.Result != ProbeFails || len(a.blamed) > 0 ||
		e.deviceAbsent(drivers.Of(a.of.Library)) {
		return nil
	}
	for _, name := range nameLists()["unfinished"] {
		demand := explain.SetVariable(name, "1")
		said := strings.Contains(strings.Join(a.Wrote, "\n"), name+"=1")
		if contains, _ := e.source.Contains(a.of.File, name); !said && !contains || e.variable(name) != "" {
			continue
		}
		// it lists devices, and submits no work: the driver's authors warn of that
		again, err := probe.Run(ctx, probe.Short, t.at,
			explain.Apply(t.Environ, append(slices.Clip(a.Variables), demand)), t.Limit)
		if err != nil || said || again.Outcome == probe.Fine && len(again.Devices) > 0 {
			a.demands = name
			return err
		}
	}
	return nil
}

// isSame reports whether two listed devices are one, as far as their drivers tell it.
func isSame(a, b probe.Device) bool {
	return a.VendorID == b.VendorID && a.DeviceID == b.DeviceID && (a.PCI == "" || b.PCI == "" || a.PCI == b.PCI)
}

// lacks returns the devices that a driver lists alone, and that the run of all drivers and layers does not list.
func (e *evidence) lacks(all *probe.Result) (list []probe.Device) {
	if s := e.Answer.Settings; s != nil && s.HasDevices {
		return nil // the user's choice
	}
	for _, a := range e.alone {
		if a.Result != ProbeOK || a.saw == nil {
			continue
		}
		for _, d := range a.saw.Devices {
			if !slices.ContainsFunc(all.Devices, func(o probe.Device) bool { return isSame(o, d) }) {
				list = append(list, d)
			}
		}
	}
	return list
}

// addExcluded adds findings about devices that the run of all drivers and layers lacks because of a variable or layer.
// NVIDIA's layer hides devices if its variable asks for that, as prime-run does.
func (e *evidence) addExcluded(culprits []run.Suspect, devices []probe.Device) {
	for _, c := range culprits {
		filter := e.variable(drivers.OptimusFilter)
		if c.Name == drivers.OptimusLayer && strings.HasSuffix(filter, "NVIDIA_only") {
			c = run.Suspect{Kind: run.Variable, Name: drivers.OptimusFilter, Value: filter}
		}
		code, subject, change, why := GPULeftOut, c.Name, explain.UnsetVariable(c.Name), forDevice
		if c.Kind == run.Variable {
			subject += "=" + c.Value + term.Enclosed("", e.setterText(c.Name), ",")
		} else if l := explain.Layer(e.Answer, c.Name, c.Manifest); l != nil {
			code, subject, why = GPUMissing, "the layer "+c.Name, fixing
			change = explain.LeaveOutLayer(e.source, l)[0]
		}
		for _, d := range devices {
			what := textf("its driver works, and %s excludes it from the list of devices", subject)
			found := e.add(code, d.Name, c.Manifest, what, e.place(&Remedy{change: &change, aim: why}))
			found.missing, found.excludedBy = true, term.Either(c.Kind == run.Variable, c.Name, "")
			if at := slices.IndexFunc(e.GPUs, func(g GPU) bool { return g.is(d) }); at >= 0 {
				found.device = e.GPUs[at].Name
			}
		}
	}
}

// missingLayers adds a finding for each layer that the rules make active and that the loader did not put into the chain
// of a trial that ended well. A layer with another problem, or with a library that no such program can load, has its
// finding.
func (t *trying) missingLayers(e *evidence, result *probe.Result) error {
	log := term.Either(t.at.Library == t.own.Library, result.Log, loaders.OlderLog(result.Log))
	chain, made := loaders.Progress{}, false
	for line := range strings.Lines(log) {
		chain.Line(strings.TrimRight(line, "\r\n"))
		made = made || chain.Phase == loaders.InstanceMade
	}
	if !made { // this loader writes no line about the chain
		return nil
	}
	messages, err := t.actingMessages(t.at, t.Environ, result)
	if err != nil {
		return err
	}
	for _, a := range t.scene.Answer.Active {
		l := t.scene.Answer.Layers[a.Layer]
		if l.Meta || a.Unchained || slices.Contains(chain.Layers, l.Name) ||
			contains(e.Findings, func(f *Finding) bool {
				return f.Subject == l.Name && (f.Severity != diag.Note || slices.Contains(unloadable, f.Code))
			}) {
			continue
		}
		said := ""
		for _, m := range messages {
			if said == "" && (m.Library == l.Library || strings.Contains(m.Text, `"`+l.Library+`"`) ||
				strings.Contains(m.Text, l.Name)) {
				said = m.Text
			}
		}
		e.add(LayerLeftOut, l.Name, l.Manifest,
			sentence("the rules make it active, and the loader leaves it out of the chain"+
				term.Enclosed("; the loader says: ", said, "")), nil)
	}
	return nil
}
