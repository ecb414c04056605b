package explain

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/machine"
)

// Trial tries changes on one machine. What it reads of the machine it reads once.
type Trial struct {
	source  *machine.Source // which keeps what it reads
	decide  func(facts.Source) (*plan.Answer, error)
	before  *trialResult
	results map[string]*trialResult
}

// trialResult is a decision, as far as changes are judged by it.
type trialResult struct {
	in    Outcome
	found map[Fault]diag.Severity
}

// Fault names a finding of the decision.
type Fault struct {
	Code          diag.Code
	Subject, Path string
}

// Key names a driver or layer: a layer's name, or "", and its manifest.
type Key struct{ Layer, Manifest string }

// Outcome is what a program gets.
type Outcome map[Key]bool

// trialEffort bounds what all changes together cost, in files: on a machine with a hundred thousand manifests only a few
// changes are tried.
const trialEffort = 200_000

// triesLeast is how many changes are tried on any machine.
const triesLeast = 8

// NewTrial is a trial on a machine, given what was decided there.
func NewTrial(source *machine.Source, answer *plan.Answer) *Trial {
	return NewTrialFor(Decide, source, answer)
}

// NewTrialFor is NewTrial for a program that asks for something, as the function decides.
func NewTrialFor(decide func(facts.Source) (*plan.Answer, error), source *machine.Source, answer *plan.Answer) *Trial {
	return &Trial{source: source.Keeping(), decide: decide, before: trialResultOf(answer), results: map[string]*trialResult{}}
}

func trialResultOf(answer *plan.Answer) *trialResult {
	r := &trialResult{Outcome{}, map[Fault]diag.Severity{}}
	for _, a := range answer.Active {
		r.in[LayerKey(answer.Layers[a.Layer])] = true
	}
	for _, d := range answer.Drivers {
		r.in[Key{Manifest: d.Path}] = true
	}
	for _, f := range answer.Findings {
		r.found[Fault{f.Code, f.Subject, f.Path}] = f.Code.Entry().Severity
	}
	return r
}

// LayerKey is that of a layer.
func LayerKey(l *manifest.Layer) Key { return Key{l.Name, l.Manifest} }

// after is what is decided after a change; nil when that is not known.
func (t *Trial) after(c Change) *trialResult {
	if known, done := t.results[c.Line()]; done {
		return known
	}
	if !c.Possible() || !c.Obeyed(t.source) || len(t.results) >= max(triesLeast, trialEffort/(1+t.source.Kept.Files())) {
		return nil
	}
	var r *trialResult
	if answer, err := t.decide(c.On(t.source)); err == nil {
		r = trialResultOf(answer)
	}
	t.results[c.Line()] = r
	return r
}

// First is the first change after which a driver or layer is in (or out) and nothing else is otherwise than before;
// failing that, the first after which it is. False: none of them does it.
func (t *Trial) First(key Key, in bool, changes ...Change) (Change, bool) {
	for _, strict := range []bool{true, false} {
		for _, c := range changes {
			if after := t.after(c); after != nil && after.in[key] == in && (!strict || t.only(key, after)) {
				return c, true
			}
		}
	}
	return Change{}, false
}

// Ending is the first change after which the decision does not find a fault any more, finds no other problem, and gives
// programs the same drivers and layers. False: none of them does it.
func (t *Trial) Ending(fault Fault, changes ...Change) (Change, bool) {
	for _, c := range changes {
		after := t.after(c)
		if after == nil || !t.only(Key{}, after) {
			continue
		}
		_, still := after.found[fault]
		for f, severity := range after.found {
			_, had := t.before.found[f]
			still = still || severity == diag.Problem && !had
		}
		if !still {
			return c, true
		}
	}
	return Change{}, false
}

// only tells whether a program gets, but for one thing, what it got before.
func (t *Trial) only(key Key, after *trialResult) bool {
	for k := range after.in {
		if k != key && !t.before.in[k] {
			return false
		}
	}
	for k := range t.before.in {
		if k != key && !after.in[k] {
			return false
		}
	}
	return true
}
