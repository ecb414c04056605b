package doctor

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/wording"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// Tries are the options of a trial.
type Tries struct {
	At      probe.Place
	Environ []string      // of the child processes
	Limit   time.Duration // for each child process
	Wake    bool          // load drivers whose device sleeps
	Present bool          // present frames
}

// alone is a trial of a single driver, or of a layer that was found to be a culprit. Variables are pairs of a variable and
// its value ("" to unset it) that make the driver the only one.
type alone struct {
	Probe
	Library   string // the manifest's library
	Variables [][2]string
	layer     *manifest.Layer
	with      string // the layer that causes the failure together with this one

	saw *probe.Result
	err error
}

// driversAlone returns trials of the drivers that a program gets by default. It omits drivers for the other word size, which
// every loader skips.
func (r *Report) driversAlone() (list []alone) {
	for _, d := range r.Answer.Drivers {
		foreign := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == LibraryForeign && r.concerns(&f, d.Path) })
		if foreign || r.chosen && !slices.ContainsFunc(r.GPUs, func(g GPU) bool { return slices.Contains(g.Drivers, d.Path) }) {
			continue
		}
		list = append(list, alone{Library: d.Library,
			Probe: Probe{Kind: "driver", Name: r.Answer.Style.Base(d.Path), Manifest: d.Path},
			Variables: [][2]string{{variables.DriverFiles.Name(), d.Path}, {variables.LayersDisable.Name(), "~all~"},
				{variables.LayersAllow.Name(), ""}, {variables.LayersEnable.Name(), ""}, {variables.InstanceLayers.Name(), ""},
				{variables.DriversSelect.Name(), ""}, {variables.DriversDisable.Name(), ""},
				{variables.DeviceIDFilter.Name(), ""}, {variables.VendorIDFilter.Name(), ""},
				{variables.DriverIDFilter.Name(), ""}}})
	}
	return list
}

// trying is a trial of a program's drivers and layers in progress.
type trying struct {
	*Report
	Tries
	scene  run.Scene     // the child process as a program
	always []run.Suspect // excluded from every run: drivers whose device sleeps or that fail alone
	at     probe.Place   // with the programs' loader
	last   *probe.Result // of the last chain run
	base   string        // the manifest of the first working driver
	dead   int           // the number of drivers that fail alone
	whole  *everything   // the run of all drivers and layers; nil: as the others
	silent int           // the number of drivers that could not be tried alone

	hung     bool          // a child with the chain reached its time limit
	patience time.Duration // the time limit of the next chain run
}

// Try loads a program's drivers and layers in child processes: each driver alone, and all drivers and layers together, side
// by side. If the combination fails, it tries smaller combinations until it finds the culprit. Children that still run at
// the end of the context are reported as not finished. It returns an error if no trial is possible.
func (r *Report) Try(ctx context.Context, how Tries) error {
	defer r.Order()
	defer r.underHiding()
	how.Environ = r.withHiding(how.Environ)
	source := *r.source
	source.Environ, source.Program = how.Environ, how.At.Child
	all := &everything{r.PlaceFor(how.At), how.Environ}
	ignored := childRights(&source, &how.At)
	if ignored && source.AsUser {
		r.found(TrialRights, "programs that are not elevated", "", sentence("nothing was tried: the children of this process are elevated, too"), nil).Severity = diag.Warning
		return nil
	}
	how.Environ = source.Environ
	answer, err := decide.PlanFor(&source, decide.ProbeProgram)
	if err != nil {
		return err
	}
	t := &trying{Report: r, Tries: how, at: r.PlaceFor(how.At), scene: run.Scene{Source: &source, Answer: answer, Program: decide.ProbeProgram}, patience: how.Limit}
	t.scene.ByFiles = t.at.Library != how.At.Library && r.Loader != nil && r.Loader.Has(variables.DriversDisable.Name()) != loaders.Yes
	if how.At.Lowered && !r.source.AsUser {
		t.whole = all
	}
	list := r.driversAlone()
	for i := range list {
		if ignored {
			t.disablesLayers(&list[i])
		}
		list[i].Variables = append(list[i].Variables, r.forOldLoader(t.at, &list[i])...)
		if !how.Wake && r.sleeps(list[i].Manifest) {
			list[i].Result = ProbeAsleep
			t.always = append(t.always, suspectOf(&list[i]))
		} else if ignored && !t.isolates(&list[i]) {
			list[i].Result, list[i].Detail = ProbeUntried, notAlone
			t.silent++
			r.found(TrialRights, list[i].Name, list[i].Manifest, sentence(notAlone), nil)
		}
	}
	environ, remove := t.withoutPins()
	defer remove()
	var first *run.Seen
	var failed error
	var running sync.WaitGroup
	for i := range list {
		if a := &list[i]; a.Result == "" {
			running.Go(func() { a.saw, a.err = t.child(ctx, changed(environ, a.Variables), how.Limit) })
		}
	}
	together := len(t.always) < len(list) && !r.chosen
	if together {
		running.Go(func() { first, failed = t.chain(ctx, nil) })
	}
	running.Wait()
	if failed != nil {
		return failed
	}
	r.Tried = true
	for i := range list {
		if err := t.judge(ctx, &list[i]); err != nil {
			return err
		}
		if err := t.leftOut(&list[i]); err != nil {
			return err
		}
		r.probed(&list[i])
		if list[i].Result == ProbeOK {
			t.base = cmp.Or(t.base, list[i].Manifest)
		}
		if list[i].Result == ProbeCrashes || list[i].Result == ProbeHangs || list[i].Result == ProbeExits {
			t.always = append(t.always, suspectOf(&list[i]))
			t.dead++
			first = nil // the combination runs without a driver that fails alone
		}
	}
	r.covered(list)
	r.absentDevices()
	r.missed(list)
	r.cost()
	r.slowDrivers(list)
	if err := t.lookups(ctx, list); err != nil {
		return err
	}
	if !together {
		return nil
	}
	if first != nil && !first.Good && !first.Stopped {
		if hidden, err := t.settingsBlame(ctx); hidden || err != nil {
			return err
		}
	}
	return t.together(ctx, first)
}

func suspectOf(a *alone) run.Suspect {
	return run.Suspect{Kind: run.Driver, Name: a.Name, Manifest: a.Manifest, Library: a.Library}
}

// sleeps reports whether a driver serves a device that is off to save power. Loading the driver would wake the device.
func (r *Report) sleeps(manifest string) bool {
	return slices.ContainsFunc(r.GPUs, func(g GPU) bool { return g.Asleep && slices.Contains(g.Drivers, manifest) })
}

func changed(environ []string, changes [][2]string) []string {
	for _, v := range changes {
		if environ = machine.WithoutVariable(environ, v[0]); v[1] != "" {
			environ = machine.WithVariable(environ, v[0], v[1])
		}
	}
	return environ
}

// everything is the run of all drivers and layers by a program with the rights of the tool.
type everything struct {
	at      probe.Place
	environ []string
}

// child runs one child process.
func (t *trying) child(ctx context.Context, environ []string, limit time.Duration) (*probe.Result, error) {
	return t.childOf(ctx, t.at, environ, limit)
}

func (t *trying) childOf(ctx context.Context, at probe.Place, environ []string, limit time.Duration) (*probe.Result, error) {
	run := probe.Submit
	if t.Present {
		run = probe.Present
	}
	return run(ctx, at, machine.WithVariable(environ, variables.Debug.Name(), "error,warn,driver,layer"), limit)
}

// shortest is the minimum time limit of a child process in a search for a hang.
const shortest = 3 * time.Second

// chain runs a child process with a program's drivers and layers, except for the suspects in without.
func (t *trying) chain(ctx context.Context, without []run.Suspect) (*run.Seen, error) {
	at := t.at
	without = slices.Concat(t.always, without)
	environ, _ := t.scene.Without(without)
	if t.whole != nil && len(without) == 0 {
		at, environ = t.whole.at, t.whole.environ
	}
	begun := time.Now()
	result, err := t.childOf(ctx, at, environ, t.patience)
	if err != nil {
		return nil, err
	}
	t.last = result
	t.hung = t.hung || result.Outcome == probe.Hung
	if spent := time.Since(begun); result.Outcome == probe.Fine && t.hung { // from now on, a run that takes ten times as long counts as hung
		t.patience = min(t.patience, max(10*spent, shortest))
	}
	return &run.Seen{Good: result.Outcome == probe.Fine, Stopped: result.Outcome == probe.Cut, What: result.Problem}, nil
}

// leftOut sets the result of a driver that was not tried alone, if the loader left it out of the run with all drivers.
func (t *trying) leftOut(a *alone) error {
	if a.Result != ProbeUntried || t.last == nil {
		return nil
	}
	at, environ := t.at, t.Environ
	if t.whole != nil {
		at, environ = t.whole.at, t.whole.environ
	}
	messages, err := t.ofActing(at, environ, t.last)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if (m.Kind == loaders.Refused || m.Kind == loaders.DriverSkipped) && machine.SameLibrary(a.Library, m.Library) {
			a.Result, a.Detail, a.Said = ProbeFails, "the loader leaves it out", probe.OpenError(m.Text)
			break
		}
	}
	return nil
}

// judge sets the result of a driver that was tried alone.
func (t *trying) judge(ctx context.Context, a *alone) (err error) {
	if a.saw == nil || a.err != nil {
		return a.err
	}
	t.through(a.saw)
	environ := changed(t.Environ, a.Variables)
	messages, err := t.ofActing(t.at, environ, a.saw)
	if err != nil {
		return err
	}
	a.Probe.enter(a.saw)
	a.Wrote = written(a.saw.Log, t.at.Library != t.own.Library)
	switch {
	case a.Result == ProbeFails && withoutDevice(a.saw, messages):
		a.Result, a.Detail = ProbeNoDevice, "it works, but lists no device"
	case a.Result != ProbeOK && a.Result != ProbeWaits:
		a.Said = probe.OpenError(complaint(messages, a.Library).Text)
		a.Only, err = t.only(ctx, environ, true)
	}
	return err
}

// through records the loader that a child process loaded.
func (t *trying) through(result *probe.Result) {
	if l := t.Loader; l != nil && l.Version == "" && result.Version != 0 && result.Library == l.File { // no other source gave its version
		l.Version, l.From = wording.Version(result.Version), loaders.FromAnswer
	}
	if result.Library != "" && !slices.Contains(t.Through, result.Library) {
		t.Through = append(t.Through, result.Library)
	}
}

// enter copies the result of a child process.
func (p *Probe) enter(result *probe.Result) {
	p.Detail, p.Result = result.Problem, outcomes[result.Outcome]
	for _, phase := range result.Phases {
		p.Millis += phase.Micros / 1000
	}
	p.Devices = term.Words(result.Devices, func(d probe.Device) string { return d.Name })
}

var outcomes = map[probe.Outcome]ProbeResult{probe.Fine: ProbeOK, probe.Failed: ProbeFails, probe.Crashed: ProbeCrashes,
	probe.Hung: ProbeHangs, probe.Exited: ProbeExits, probe.Cut: ProbeWaits}

// together sets the result of the combined drivers and layers, and finds the culprit if they fail. first is the run with all
// of them; nil if a driver must be excluded from every run.
func (t *trying) together(ctx context.Context, first *run.Seen) error {
	all := Probe{Kind: "together", Name: "drivers and layers together"}
	var result *probe.Result // of the run with all drivers and layers
	found, err := run.FindCulprit(func(without []run.Suspect) (seen *run.Seen, err error) {
		if seen = first; seen == nil || len(without) > 0 {
			if seen, err = t.chain(ctx, without); err != nil {
				return nil, err
			}
		}
		if result == nil {
			result = t.last
		}
		seen.Good = seen.Good || t.base == "" && t.silent == 0 && result.Outcome == probe.Failed // no driver has a device, and no device is expected
		return seen, nil
	}, func(*run.Seen) *run.Suspects { return t.scene.Suspects(nil) })
	if err != nil {
		return err
	}
	all.enter(result)
	t.through(result)
	if found.Result != run.EndedWell && found.Result != run.BrokenOff {
		environ, _ := t.scene.Without(t.always)
		if all.Only, err = t.only(ctx, environ, t.base == ""); err != nil {
			return err
		}
	}
	if all.Result == ProbeFails && found.Result == run.EndedWell {
		all.Result, all.Detail = ProbeNoDevice, "they work, but list no device"
	}
	t.Probes = append(t.Probes, all)
	t.Works = all.Result == ProbeOK && t.dead == 0
	switch found.Result {
	case run.EndedWell:
		return t.slow(ctx, lasted(result))
	case run.FoundCulprit:
		return t.guilty(ctx, &all, found)
	case run.NothingToLeaveOut, run.EndsDiffer:
		if c, is := openedLast(t.scene.Answer, result); is && t.silent > 0 {
			return t.guilty(ctx, &all, &run.Verdict{Culprits: []run.Suspect{c}})
		}
		f := t.found(TogetherFails, all.Name, "", misbehaved{onlyThere(all.Detail, all.Only), "", ""}, nil)
		if t.silent > 0 {
			f.Why, f.advice = whyNotAlone, tryAlone
		}
		if all.Only != "" {
			f.advice = withOwnLoader(nil)
		}
	case run.BrokenOff:
		if all.Result != ProbeWaits {
			t.found(TogetherFails, all.Name, "", misbehaved{all.Detail, "", ""}, stillSearching)
		}
	}
	return nil
}

// guilty adds findings for the culprits of a failure.
func (t *trying) guilty(ctx context.Context, all *Probe, found *run.Verdict) error {
	for _, c := range found.Culprits {
		a := alone{Library: c.Library, Probe: Probe{Kind: string(c.Kind), Name: c.Name, Manifest: c.Manifest, Result: all.Result, Detail: all.Detail, Only: all.Only,
			Millis: all.Millis}}
		switch c.Kind {
		case run.Variable:
			t.found(VariableHides, c.Name, "", hides{c.Value, all.Detail}, typed("", explain.UnsetVariable(c.Name).Line())).Severity = diag.Problem
			continue
		case run.Layer:
			at := slices.IndexFunc(t.scene.Answer.Layers, func(l *manifest.Layer) bool { return l.Name == c.Name && l.Manifest == c.Manifest })
			if at < 0 {
				continue
			}
			a.layer = t.scene.Answer.Layers[at]
		}
		for _, w := range found.With {
			a.with = w.Name
		}
		t.probed(&a)
		if a.layer == nil || t.base == "" {
			continue
		}
		if err := t.tryPolicy(ctx, t.at, t.Environ, &a, t.base, t.Limit); err != nil {
			return err
		}
	}
	return nil
}

// PlaceFor returns a place for probes with the program's loader, so that the probes show faults of that loader. It returns
// own, the tool's library, if the program has no loader, if the program has its own C library and the child cannot open its
// loader, and for another machine.
func (r *Report) PlaceFor(own probe.Place) probe.Place {
	r.own = own
	l := r.Loader
	if l == nil || l.Inside || l.Ours() || r.ownLinker || r.source.Foreign() || r.WordSize() != ProcessClass {
		return own
	}
	at := own
	at.Library = l.File
	return at
}

// only repeats a failed run with the tool's own loader. If that run works, it returns the version of the program's loader;
// otherwise, or without another loader, "". With empty, a run without a device works.
func (t *trying) only(ctx context.Context, environ []string, empty bool) (string, error) {
	if t.at.Library == t.own.Library || t.own.Library == "" {
		return "", nil
	}
	again, err := t.childOf(ctx, t.own, environ, t.Limit)
	if err != nil {
		return "", err
	}
	messages, err := t.ofActing(t.own, environ, again)
	if err == nil && (again.Outcome == probe.Fine || again.Outcome == probe.Failed && empty && withoutDevice(again, messages)) {
		return t.Loader.Short(), nil
	}
	return "", err
}

// forOldLoader returns changes of the environment that replace newer variables for an old loader: the older name of the
// driver list, and the disable variables of the other implicit layers.
func (r *Report) forOldLoader(at probe.Place, a *alone) (list [][2]string) {
	if at.Library == r.own.Library || r.Loader == nil {
		return nil
	}
	if r.Loader.Has(variables.DriverFiles.Name()) != loaders.Yes {
		for _, v := range a.Variables {
			if v[0] == variables.DriverFiles.Name() {
				list = append(list, [2]string{variables.ICDFilenames.Name(), v[1]})
			}
		}
	}
	if r.Loader.Has(variables.LayersDisable.Name()) == loaders.Yes {
		return list
	}
	for _, active := range r.Answer.Active {
		if l := r.Answer.Layers[active.Layer]; l.Implicit && l.DisableName != "" && (a.layer == nil || l.Name != a.layer.Name) {
			list = append(list, [2]string{l.DisableName, "1"})
		}
	}
	return list
}

// onlyThere adds to a failure that it occurs with the program's loader only.
func onlyThere(detail, version string) string {
	if version == "" {
		return detail
	}
	return detail + "; it happens only with the loader that programs get, " + version + ", and not with this one"
}
