package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// Tries are the options of a trial.
type Tries struct {
	At      probe.Companions
	Environ []string      // of the child processes
	Limit   time.Duration // for each child process
	Wake    bool          // load drivers whose device sleeps
	Present bool          // present frames
	// if not nil, receives the result of each child that loads one driver, or all; several goroutines call it
	Ended func(Probe)
}

// tell passes the result of a child process to Ended. Findings may change the result later.
func (t *Tries) tell(p Probe, saw *probe.Result) {
	if t.Ended != nil && saw != nil {
		p.enter(saw)
		t.Ended(p)
	}
}

// newTogether returns the probe of all drivers and layers but some, without a result.
func newTogether(without []run.Suspect) Probe {
	names := term.Words(without, func(s run.Suspect) string { return s.Name })
	return Probe{Kind: "together",
		Name: "drivers and layers together" + term.Enclosed(", without ", strings.Join(names, ", "), "")}
}

// alone is a trial of a single driver, or of a layer that was found to be a culprit. Variables are the changes that
// make the driver the only one.
type alone struct {
	Probe
	of        *Entry
	Variables []explain.Change
	unlisted  *GPU          // the device that none of its drivers lists; nil: none
	named     string        // the layer of the trial that only the program's file names; "": none
	with      string        // the layer that causes the failure together with this one
	blamed    []run.Suspect // the variables without which the driver works
	demands   string        // the variable without which it lists no device; "": unknown

	saw *probe.Result
}

// trying runs child processes with a program's drivers and layers.
type trying struct {
	Tries
	scene   run.Scene        // the child process as a program
	at, own probe.Companions // with the programs' loader, and with the tool's
	whole   *wholeRun        // the run of all drivers and layers; nil: as the others

	ignored  bool // the children are elevated, and ignore the variables that isolate a driver
	elevated bool // likewise, although the user of the examination is not elevated: no trial is possible

	hung     bool          // a child with the chain reached its time limit
	patience time.Duration // the time limit of the next chain run
}

// trying returns the trial of the report's program.
func (e *evidence) trying(how Tries) (*trying, error) {
	how.Environ = e.withHiding(how.Environ)
	all := &wholeRun{e.PlaceFor(how.At), how.Environ}
	source := *e.source
	source.Environ, source.Program = how.Environ, how.At.Child
	t := &trying{ignored: childRights(&source, &how.At), patience: how.Limit}
	if t.elevated = t.ignored && source.AsUser; t.elevated {
		return t, nil
	}
	how.Environ = source.Environ
	answer, err := explain.Decide(&source, explain.WithProbe)
	if err != nil {
		return nil, err
	}
	t.Tries, t.own, t.at = how, how.At, e.PlaceFor(how.At)
	t.scene = run.Scene{Source: &source, Answer: answer, Program: explain.WithProbe}
	t.scene.ByFiles = t.at.Library != how.At.Library && e.Loader != nil &&
		e.Loader.Has(variables.DriversDisable.Name()) != loaders.Yes
	if how.At.Lowered && !e.source.AsUser {
		t.whole = all
	}
	return t, nil
}

func suspectOf(a *alone) run.Suspect {
	return run.Suspect{Kind: run.Driver, Name: a.Name, Manifest: a.Manifest, Library: a.of.Library}
}

// wholeRun is the run of all drivers and layers by a program with the rights of the tool.
type wholeRun struct {
	at      probe.Companions
	environ []string
}

// child runs one child process.
func (t *trying) child(ctx context.Context, at probe.Companions, environ []string,
	limit time.Duration) (*probe.Result, error) {
	way := term.Either(t.Present, probe.Present, probe.Submit)
	return probe.Run(ctx, way, at, machine.WithVariable(environ, variables.Debug.Name(), "error,warn,driver,layer"),
		limit)
}

// shortest is the minimum time limit of a child process in a search for a hang.
const shortest = 3 * time.Second

// chain runs a child process with a program's drivers and layers, except for the suspects in without.
func (t *trying) chain(ctx context.Context, without []run.Suspect) (*probe.Result, error) {
	at := t.at
	environ, _ := t.scene.Without(without)
	if t.whole != nil && len(without) == 0 {
		at, environ = t.whole.at, t.whole.environ
	}
	begun := time.Now()
	result, err := t.child(ctx, at, environ, t.patience)
	if err != nil {
		return nil, err
	}
	t.hung = t.hung || result.Outcome == probe.Hung
	// from now on, a run that takes ten times as long counts as hung
	if spent := time.Since(begun); result.Outcome == probe.Fine && t.hung {
		t.patience = min(t.patience, max(10*spent, shortest))
	}
	return result, nil
}

// enter copies the result of a child process.
func (p *Probe) enter(result *probe.Result) {
	p.Detail, p.Result = result.Problem, outcomes[result.Outcome]
	for _, phase := range result.Phases {
		p.Millis += phase.Micros / 1000
	}
	p.Devices, p.devices = term.Words(result.Devices, func(d probe.Device) string { return d.Name }), result.Devices
}

var outcomes = map[probe.Outcome]ProbeResult{probe.Fine: ProbeOK, probe.Failed: ProbeFails, probe.Crashed: ProbeCrashes,
	probe.Hung: ProbeHangs, probe.Exited: ProbeExits, probe.Cut: ProbeWaits}

// PlaceFor returns a place for probes with the program's loader.
func (r *Report) PlaceFor(own probe.Companions) probe.Companions {
	if r.WordSize() != ProcessClass {
		return own
	}
	return r.Loader.Place(&r.source.Machine, own, r.ownLinker)
}

// only repeats a failed run with the tool's own loader. If that run works, it returns the version of l, the program's
// loader; otherwise, or without another loader, "". With empty, a run without a device works.
func (t *trying) only(ctx context.Context, l *loaders.Loader, environ []string, empty bool) (string, error) {
	if t.at.Library == t.own.Library || t.own.Library == "" {
		return "", nil
	}
	again, err := t.child(ctx, t.own, environ, t.Limit)
	if err != nil {
		return "", err
	}
	messages, err := t.actingMessages(t.own, environ, again)
	if err == nil && (again.Outcome == probe.Fine || again.Outcome == probe.Failed && empty &&
		listsNoDevice(again, messages)) {
		return l.Short(), nil
	}
	return "", err
}

// oldLoaderVariables returns changes of the environment that replace newer variables for an old loader: the older name
// of the driver list, and the disable variables of the other implicit layers.
func (t *trying) oldLoaderVariables(r *Report, a *alone) (list []explain.Change) {
	if t.at.Library == t.own.Library || r.Loader == nil {
		return nil
	}
	if r.Loader.Has(variables.DriverFiles.Name()) != loaders.Yes {
		for _, v := range a.Variables {
			if v.Variable == variables.DriverFiles.Name() {
				list = append(list, explain.SetVariable(variables.ICDFilenames.Name(), v.Value))
			}
		}
	}
	if r.Loader.Has(variables.LayersDisable.Name()) == loaders.Yes {
		return list
	}
	return append(list, disablesLayers(r.Answer, a)...)
}

// onlyThere adds to a failure that it occurs with the program's loader only.
func onlyThere(detail, version string) string {
	return detail + term.Enclosed("; it happens only with the loader that programs get, ", version,
		", and not with vkloader's")
}

// notAlone is the detail of a driver that no variable isolates.
const notAlone = "it cannot be tried alone: an elevated process ignores the variables that leave the others out. " +
	"To try it, run doctor in a prompt without administrator rights"

// whyNotAlone is the reason of a failure of all drivers and layers where some drivers were not tried alone.
const whyNotAlone = "A program that gets all drivers and layers fails. Not every driver was tried alone."

// disablesLayers returns the disable variables of the active implicit layers other than the tried one. They count in
// every process.
func disablesLayers(answer *plan.Answer, a *alone) (list []explain.Change) {
	for _, l := range explain.Active(answer) {
		if l.Implicit && l.DisableName != "" && l.Name != a.Name {
			list = append(list, explain.SetVariable(l.DisableName, "1"))
		}
	}
	return list
}

// isolates reports whether a child with the changes of a trial gets the driver of the trial only.
func (t *trying) isolates(a *alone) bool {
	source := *t.scene.Source
	source.Environ = explain.Apply(source.Environ, a.Variables)
	answer, err := explain.Decide(&source, explain.WithProbe)
	return err == nil && len(answer.Active) == 0 && len(answer.Drivers) == 1 && answer.Drivers[0].Path == a.Manifest
}

// openedLast returns the driver or layer whose library the loader was opening at the end of a child's log; false: none.
func openedLast(answer *plan.Answer, result *probe.Result) (c run.Suspect, found bool) {
	log := loaders.Progress{}
	for line := range strings.Lines(result.Log) {
		log.Line(strings.TrimRight(line, "\r\n"))
	}
	opens := func(kind, library string) bool {
		return log.Phase == loaders.Opens && log.Words() == string(loaders.Opens)+kind+library
	}
	for _, d := range answer.Drivers {
		if opens("the driver ", d.LibraryPath) || opens("the driver ", d.Library) {
			return run.Suspect{Kind: run.Driver, Name: answer.Style.Base(d.Path), Manifest: d.Path, Library: d.Library},
				true
		}
	}
	at := slices.IndexFunc(answer.Layers, func(l *manifest.Layer) bool { return opens("the layer ", l.Library) })
	if at < 0 {
		return c, false
	}
	l := answer.Layers[at]
	return run.Suspect{Kind: run.Layer, Name: l.Name, Manifest: l.Manifest, Library: l.Library}, true
}

// slowStart is the delay from which a layer counts as slow. A busy machine slows every run, so a layer is slow only if
// a run without it also takes at most half as long.
const slowStart = time.Second

// A driver is slow if a run with it alone takes slowDriver, and slowerDriver times as long as a run with any other
// driver of a present device alone. All runs happen side by side, so a busy machine delays each of them. A driver
// without a device here is of no use, so less time counts (Frogging-Family/nvidia-all issue 229).
const (
	slowDriver   = 2 * time.Second
	slowAbsent   = 500 * time.Millisecond
	slowerDriver = 5
)

// addSlowDrivers adds a finding for a driver whose run alone took far longer than the other drivers' runs.
func (e *evidence) addSlowDrivers() {
	took := func(a *alone) time.Duration {
		if !slices.Contains([]ProbeResult{ProbeOK, ProbeNoDevice, ProbeFails}, a.Result) {
			return -1
		}
		return time.Duration(a.Millis * float64(time.Millisecond))
	}
	isAbsent := func(a *alone) bool { return e.deviceAbsent(a.of.family()) }
	for i := range e.alone {
		others := time.Duration(-1)
		for j := range e.alone {
			if j != i && !isAbsent(&e.alone[j]) {
				others = max(others, took(&e.alone[j]))
			}
		}
		it, absent := took(&e.alone[i]), isAbsent(&e.alone[i])
		limit := term.Either(absent, slowAbsent, slowDriver)
		if others < 0 || it < limit || it < slowerDriver*others || e.alone[i].Result == ProbeFails && !absent {
			continue
		}
		var do *Remedy
		if c, ok := e.leaveOut(e.alone[i].of); ok {
			do = placement{Change: c, aim: term.Either(absent, forTime, forPower)}.remedy()
		}
		e.add(DriverSlow, e.alone[i].Name, e.alone[i].Manifest,
			textf("a short program took %s with it alone, and at most %s with any driver for this machine alone%s",
				seconds(it), seconds(others), term.Either(absent, "; this machine has no device for it", "")), do)
	}
}

func seconds(d time.Duration) string {
	return term.Either(d < slowAbsent, fmt.Sprintf("%d ms", d.Milliseconds()), fmt.Sprintf("%.1f s", d.Seconds()))
}

// delays reports whether a layer is slow: a run without it is much shorter.
func delays(with, without time.Duration) bool { return with-without >= slowStart && without <= with/2 }

// slow adds findings for layers without which programs start much sooner. with is the duration of the run with all
// layers.
func (t *trying) slow(ctx context.Context, e *evidence, with time.Duration) error {
	if with < slowStart {
		return nil
	}
	layers := t.scene.Suspects(nil).Layers
	without, err := t.took(ctx, e.out, layers)
	if err != nil || without < 0 || !delays(with, without) {
		return err
	}
	// the first run read files from disk and shared the machine with other children
	if with, err = t.took(ctx, e.out, nil); err != nil {
		return err
	}
	for _, l := range layers {
		without, err := t.took(ctx, e.out, []run.Suspect{l})
		if err != nil {
			return err
		}
		if without < 0 || !delays(with, without) {
			continue
		}
		again, err := t.took(ctx, e.out, nil) // a slow layer is slow in every run, and a busy machine in some
		if err != nil || again < 0 {
			return err
		}
		if with = min(with, again); delays(with, without) {
			var do *Remedy
			if layer := explain.Layer(e.Answer, l.Name, l.Manifest); layer != nil {
				if c, ok := e.leaveOut(&Entry{Name: l.Name, Manifest: l.Manifest, Layer: layer}); ok {
					do = placement{Change: c, aim: forTime}.remedy()
				}
			}
			e.add(LayerSlow, l.Name, l.Manifest,
				textf("it makes every program start %s later: a short program took %s with it, %s without it",
					seconds(with-without), seconds(with), seconds(without)), do)
		}
	}
	return nil
}

// took returns the duration of a child process without some layers; -1: it failed or did not finish in time.
func (t *trying) took(ctx context.Context, out, without []run.Suspect) (time.Duration, error) {
	t.patience = t.Limit // one run may take ten times as long as another
	saw, err := t.chain(ctx, slices.Concat(out, without))
	if err != nil || saw.Outcome != probe.Fine {
		return -1, err
	}
	return totalDuration(saw), nil
}

// totalDuration returns the total duration of a child's phases.
func totalDuration(r *probe.Result) (all time.Duration) {
	for _, phase := range r.Phases {
		all += time.Duration(phase.Micros * float64(time.Microsecond))
	}
	return all
}

// tryNamedLayers runs a child process with each installed layer that the program's file names and that no rule makes
// active: a program may enable the layer itself (gfx-rs/wgpu issue 3712). Layers that write files get no trial.
func (t *trying) tryNamedLayers(ctx context.Context, e *evidence) error {
	names := slices.DeleteFunc(slices.Clone(e.namedLayers), func(name string) bool { return isNamed(name, "recorder") })
	environ, _ := t.scene.Without(e.out)
	asked, _ := t.scene.Source.Lookup(variables.InstanceLayers.Name())
	for m := range each(e.Layers) {
		if !e.Works || m.Used || !m.Good || m.Layer.Implicit || !slices.Contains(names, m.Name) {
			continue
		}
		enable := explain.SetVariable(variables.InstanceLayers.Name(),
			term.Enclosed("", asked, machine.ListSeparator)+m.Name)
		a := alone{of: m, Probe: Probe{Kind: "layer", Name: m.Name, Manifest: m.Manifest}, named: m.Name}
		var err error
		if a.saw, err = t.child(ctx, t.at, explain.Apply(environ, []explain.Change{enable}), t.Limit); err != nil {
			return err
		}
		a.enter(a.saw)
		if _, wrong := a.failure(); !wrong {
			continue
		}
		for _, l := range t.scene.Suspects(nil).Layers {
			environ, _ := t.scene.Without(append(slices.Clone(e.out), l))
			without, err := t.child(ctx, t.at, explain.Apply(environ, []explain.Change{enable}), t.Limit)
			if err != nil {
				return err
			}
			other := e.entryOf(&l)
			if without.Outcome == probe.Fine && other != nil { // KhronosGroup/Vulkan-ValidationLayers issue 11111
				a.of, a.Name, a.Manifest, a.with = other, other.Name, other.Manifest, m.Name
				break
			}
		}
		e.addResult(&a)
	}
	return nil
}
