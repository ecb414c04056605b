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
	"vkloader/internal/tool/launch"
	"vkloader/internal/tool/term"
)

// Tries says how drivers and layers are tried.
type Tries struct {
	At      probe.Place
	Environ []string      // of the children
	Limit   time.Duration // of each child
	Wake    bool          // drivers whose device sleeps are loaded, too
	Present bool          // frames are shown
}

// alone is a driver to be tried by itself, with the changes of the environment under which it is the only one: pairs of a
// variable and its value, "" for none; or a layer that was found to be the culprit.
type alone struct {
	Probe
	Library   string // as the manifest names it
	Variables [][2]string
	layer     *manifest.Layer
	with      string // the layer with which alone it fails

	saw *probe.Result
	err error
}

// drivers are those that a program gets which asks for nothing. One for programs of the other word size is not for this one:
// every loader passes it over.
func (r *Report) driversAlone() (list []alone) {
	for _, d := range r.Answer.Drivers {
		foreign := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == LibraryForeign && f.Path == d.Path })
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

// trying is a trial of all that a program gets, under way.
type trying struct {
	*Report
	Tries
	scene  launch.Scene     // for the child as the program
	always []launch.Suspect // left out of every run: drivers whose device sleeps, or that die alone
	at     probe.Place      // with the loader that programs get
	last   *probe.Result    // of the chain
	base   string           // the manifest of the first driver that works
	dead   int              // drivers that end a program alone

	hung     bool          // a child with the chain went on for all of its time
	patience time.Duration // the limit of the next one
}

// Try loads what a program would get in children: each driver alone, and all drivers and layers together, all at once; where
// together they fail, less and less of them, until the culprit is known. What has not ended when the context ends is still
// being tried. The error is for what kept it from looking.
func (r *Report) Try(ctx context.Context, how Tries) error {
	defer r.Order()
	source := *r.source
	source.Environ, source.Program = how.Environ, how.At.Child
	answer, err := decide.PlanFor(&source, decide.ProbeProgram)
	if err != nil {
		return err
	}
	t := &trying{Report: r, Tries: how, at: r.PlaceFor(how.At), scene: launch.Scene{Source: &source, Answer: answer, Program: decide.ProbeProgram}, patience: how.Limit}
	t.scene.ByFiles = t.at.Library != how.At.Library && r.Loader != nil && r.Loader.Has(variables.DriversDisable.Name()) != loaders.Yes
	list := r.driversAlone()
	for i := range list {
		list[i].Variables = append(list[i].Variables, r.forOldLoader(t.at, &list[i])...)
		if !how.Wake && r.sleeps(list[i].Manifest) {
			list[i].Result = ProbeAsleep
			t.always = append(t.always, suspectOf(&list[i]))
		}
	}
	var first *launch.Seen
	var failed error
	var all sync.WaitGroup
	for i := range list {
		if a := &list[i]; a.Result == "" {
			all.Go(func() { a.saw, a.err = t.child(ctx, changed(how.Environ, a.Variables), how.Limit) })
		}
	}
	together := len(t.always) < len(list) && !r.chosen
	if together {
		all.Go(func() { first, failed = t.chain(ctx, nil) })
	}
	all.Wait()
	if failed != nil {
		return failed
	}
	r.Tried = true
	for i := range list {
		if err := t.judge(ctx, &list[i]); err != nil {
			return err
		}
		r.probed(&list[i])
		if list[i].Result == ProbeOK {
			t.base = cmp.Or(t.base, list[i].Manifest)
		}
		if list[i].Result == ProbeCrashes || list[i].Result == ProbeHangs || list[i].Result == ProbeExits {
			t.always = append(t.always, suspectOf(&list[i]))
			t.dead++
			first = nil // without it, too
		}
	}
	r.missed(list)
	r.cost()
	r.slowDrivers(list)
	if err := t.lookups(ctx, list); err != nil {
		return err
	}
	if !together {
		return nil
	}
	return t.together(ctx, first)
}

func suspectOf(a *alone) launch.Suspect {
	return launch.Suspect{Kind: launch.Driver, Name: a.Name, Manifest: a.Manifest, Library: a.Library}
}

// sleeps tells whether a driver serves a device that is switched off to save power: to load it would wake that.
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

// child runs one child.
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

// shortest is the least time that a child gets in a search for what hangs.
const shortest = 3 * time.Second

// chain runs a child with all that a program gets, but for what is left out.
func (t *trying) chain(ctx context.Context, without []launch.Suspect) (*launch.Seen, error) {
	environ, _ := t.scene.Without(slices.Concat(t.always, without))
	begun := time.Now()
	result, err := t.child(ctx, environ, t.patience)
	if err != nil {
		return nil, err
	}
	t.last = result
	t.hung = t.hung || result.Outcome == probe.Hung
	if spent := time.Since(begun); result.Outcome == probe.Fine && t.hung { // who is ten times as long hangs
		t.patience = min(t.patience, max(10*spent, shortest))
	}
	return &launch.Seen{Good: result.Outcome == probe.Fine, Stopped: result.Outcome == probe.Cut, What: result.Problem}, nil
}

// judge says what became of a driver that was tried alone.
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
	switch {
	case a.Result == ProbeFails && withoutDevice(a.saw, messages):
		a.Result, a.Detail = ProbeNoDevice, "it works, but lists no device"
	case a.Result != ProbeOK && a.Result != ProbeWaits:
		a.Said = complaint(messages, a.Library).Text
		a.Only, err = t.only(ctx, environ, true)
	}
	return err
}

// through notes which loader a child has loaded.
func (t *trying) through(result *probe.Result) {
	if l := t.Loader; l != nil && l.Version == "" && result.Version != 0 && result.Library == l.File { // nothing else told it
		l.Version, l.From = term.Version(result.Version), loaders.FromAnswer
	}
	if result.Library != "" && !slices.Contains(t.Through, result.Library) {
		t.Through = append(t.Through, result.Library)
	}
}

// enter takes over what a child reported.
func (p *Probe) enter(result *probe.Result) {
	p.Detail, p.Result = result.Problem, outcomes[result.Outcome]
	for _, phase := range result.Phases {
		p.Millis += phase.Micros / 1000
	}
	p.Devices = term.Words(result.Devices, func(d probe.Device) string { return d.Name })
}

var outcomes = map[probe.Outcome]ProbeResult{probe.Fine: ProbeOK, probe.Failed: ProbeFails, probe.Crashed: ProbeCrashes,
	probe.Hung: ProbeHangs, probe.Exited: ProbeExits, probe.Cut: ProbeWaits}

// together says what became of all drivers and layers together, and finds the culprit where they fail; first is the run with
// all of them, nil where something has to be left out that is known to be bad.
func (t *trying) together(ctx context.Context, first *launch.Seen) error {
	all := Probe{Kind: "together", Name: "drivers and layers together"}
	var result *probe.Result // of the run with all of them
	found, err := launch.FindCulprit(func(without []launch.Suspect) (seen *launch.Seen, err error) {
		if seen = first; seen == nil || len(without) > 0 {
			if seen, err = t.chain(ctx, without); err != nil {
				return nil, err
			}
		}
		if result == nil {
			result = t.last
		}
		seen.Good = seen.Good || t.base == "" && result.Outcome == probe.Failed // no driver shows a device, and none is expected
		return seen, nil
	}, func(*launch.Seen) *launch.Suspects { return t.scene.Suspects(nil) })
	if err != nil {
		return err
	}
	all.enter(result)
	t.through(result)
	if found.Result != launch.EndedWell && found.Result != launch.BrokenOff {
		environ, _ := t.scene.Without(t.always)
		if all.Only, err = t.only(ctx, environ, t.base == ""); err != nil {
			return err
		}
	}
	if all.Result == ProbeFails && found.Result == launch.EndedWell {
		all.Result, all.Detail = ProbeNoDevice, "they work, but list no device"
	}
	t.Probes = append(t.Probes, all)
	t.Works = all.Result == ProbeOK && t.dead == 0
	switch found.Result {
	case launch.EndedWell:
		return t.slow(ctx, lasted(result))
	case launch.FoundCulprit:
		return t.guilty(ctx, &all, found)
	case launch.NothingToLeaveOut, launch.EndsDiffer:
		f := t.found(TogetherFails, all.Name, "", misbehaved{onlyThere(all.Detail, all.Only), "", ""}, nil)
		if all.Only != "" {
			f.advice = withOwnLoader(nil)
		}
	case launch.BrokenOff:
		if all.Result != ProbeWaits {
			t.found(TogetherFails, all.Name, "", misbehaved{all.Detail, "", ""}, stillSearching)
		}
	}
	return nil
}

// guilty enters what makes programs fail.
func (t *trying) guilty(ctx context.Context, all *Probe, found *launch.Verdict) error {
	for _, c := range found.Culprits {
		a := alone{Library: c.Library, Probe: Probe{Kind: string(c.Kind), Name: c.Name, Manifest: c.Manifest, Result: all.Result, Detail: all.Detail, Only: all.Only,
			Millis: all.Millis}}
		switch c.Kind {
		case launch.Variable:
			t.found(VariableHides, c.Name, "", hides{c.Value, all.Detail}, typed("", explain.UnsetVariable(c.Name).Line())).Severity = diag.Problem
			continue
		case launch.Layer:
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

// PlaceFor is a place for probes with the loader that the program gets, so that what only that loader does is seen. It is the
// tool's own library where the program gets none, where the child cannot open it because the program has a C library of its own,
// and on another machine.
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

// only tries once more, with the tool's own loader, what failed with the program's, and gives the version of that where it
// then works; "": it does not, or there is no other loader. With empty, a run that lists no device works.
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

// forOldLoader are changes of the environment that do for a loader what it has no newer variable for: the older name of the
// list of drivers, and the disable variables of the other implicit layers.
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

// onlyThere says that a fault is one with the program's loader alone.
func onlyThere(detail, version string) string {
	if version == "" {
		return detail
	}
	return detail + "; it happens only with the loader that programs get, " + version + ", and not with this one"
}
