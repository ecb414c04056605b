package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/run"
)

// slowStart is the delay from which a layer counts as slow. A busy machine slows every run, so a layer is slow only if a run
// without it also takes at most half as long.
const slowStart = time.Second

// A driver is slow if a run with it alone takes slowDriver, and slowerDriver times as long as a run with any other driver
// alone. All runs happen side by side, so a busy machine delays each of them.
const (
	slowDriver   = 2 * time.Second
	slowerDriver = 5
)

// addSlowDrivers adds a finding for a driver whose run alone took far longer than the other drivers' runs.
func (e *evidence) addSlowDrivers() {
	took := func(a *alone) time.Duration {
		if a.Result != ProbeOK && a.Result != ProbeNoDevice {
			return -1
		}
		return time.Duration(a.Millis * float64(time.Millisecond))
	}
	for i := range e.alone {
		others := time.Duration(-1)
		for j := range e.alone {
			if j != i {
				others = max(others, took(&e.alone[j]))
			}
		}
		it := took(&e.alone[i])
		if others < 0 || it < slowDriver || it < slowerDriver*others {
			continue
		}
		var do *Remedy
		if c, ok := e.trialOf(&e.alone[i]).First(explain.ItemKey{Manifest: e.alone[i].Manifest}, false,
			explain.LeaveOutDriver(e.source, e.alone[i].Manifest)...); ok {
			do = placement{Change: c, aim: forPower}.remedy()
		}
		e.add(DriverSlow, e.alone[i].Name, e.alone[i].Manifest,
			textf("a short program took %s with it alone, and at most %s with any other driver alone", seconds(it), seconds(others)), do)
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// delays reports whether a layer is slow: a run without it is much shorter.
func delays(with, without time.Duration) bool { return with-without >= slowStart && without <= with/2 }

// slow adds findings for layers without which programs start much sooner. with is the duration of the run with all layers.
func (t *trying) slow(ctx context.Context, e *evidence, with time.Duration) error {
	if with < slowStart {
		return nil
	}
	layers := t.scene.Suspects(nil).Layers
	without, err := t.took(ctx, e.out, layers)
	if err != nil || without < 0 || !delays(with, without) {
		return err
	}
	if with, err = t.took(ctx, e.out, nil); err != nil { // the first run read files from disk and shared the machine with other children
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
			e.addSlow(&l, with, without)
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

// addSlow adds a finding for a slow layer, with the change that excludes it.
func (e *evidence) addSlow(l *run.Suspect, with, without time.Duration) {
	var do *Remedy
	if layer := explain.Layer(e.Answer, l.Name, l.Manifest); layer != nil {
		changes := e.leaveOut(layer)
		if c, ok := explain.NewTrial(e.source, e.Answer).First(explain.ItemKey{Manifest: l.Manifest, Layer: l.Name}, false, changes...); ok {
			do = placement{Change: c, aim: forTime}.remedy()
		}
	}
	e.add(LayerSlow, l.Name, l.Manifest, textf("it makes every program start %s later: a short program took %s with it, %s without it",
		seconds(with-without), seconds(with), seconds(without)), do)
}
