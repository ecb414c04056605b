package explain

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/machine"
)

// Trial tests changes on one machine. It reads each file of the machine once.
type Trial struct {
	source  *machine.Source // caches the files that it reads
	options []Option
	before  *trialResult
	results map[string]*trialResult
}

// trialResult is the part of a decision that Trial compares.
type trialResult struct {
	in    Selection
	found map[FindingKey]diag.Severity
}

// FindingKey names a finding of the decision.
type FindingKey struct {
	Code          diag.Code
	Subject, Path string
}

// ItemKey names a driver or layer: a layer's name, or "", and its manifest.
type ItemKey struct{ Layer, Manifest string }

// Selection is the set of a program's drivers and layers.
type Selection map[ItemKey]bool

// trialEffort limits the files that all changes together read. On a machine with a hundred thousand manifests, Trial
// therefore tests only a few changes.
const trialEffort = 200_000

// triesLeast is the number of changes that Trial tests on any machine.
const triesLeast = 8

// NewTrial returns a trial on a machine with this decision, which was made with these options.
func NewTrial(source *machine.Source, answer *plan.Answer, options ...Option) *Trial {
	return &Trial{source: source.Keeping(), options: options, before: trialResultOf(answer), results: map[string]*trialResult{}}
}

func trialResultOf(answer *plan.Answer) *trialResult {
	r := &trialResult{Selection{}, map[FindingKey]diag.Severity{}}
	for _, a := range answer.Active {
		r.in[LayerKey(answer.Layers[a.Layer])] = true
	}
	for _, d := range answer.Drivers {
		r.in[ItemKey{Manifest: d.Path}] = true
	}
	for _, f := range answer.Diagnostics {
		r.found[FindingKey{f.Code, f.Subject, f.Path}] = f.Code.Entry().Severity
	}
	return r
}

// LayerKey returns a layer's key.
func LayerKey(l *manifest.Layer) ItemKey { return ItemKey{l.Name, l.Manifest} }

// after returns the decision after a change; nil if the change cannot be tested.
func (t *Trial) after(c Change) *trialResult {
	if known, done := t.results[string(c.Line())]; done {
		return known
	}
	if !c.Possible() || !c.Obeyed(t.source) || len(t.results) >= max(triesLeast, trialEffort/(1+t.source.Kept.Files())) {
		return nil
	}
	var r *trialResult
	if answer, err := Decide(c.On(t.source), t.options...); err == nil {
		r = trialResultOf(answer)
	}
	t.results[string(c.Line())] = r
	return r
}

// First returns the first change that puts a driver or layer in (or out) and alters nothing else; failing that, the first that
// puts it in (or out) at all. It returns false if there is none.
func (t *Trial) First(key ItemKey, in bool, changes ...Change) (Change, bool) {
	for _, strict := range []bool{true, false} {
		for _, c := range changes {
			if after := t.after(c); after != nil && after.in[key] == in && (!strict || t.only(key, after)) {
				return c, true
			}
		}
	}
	return Change{}, false
}

// Ending returns the first change that ends a fault, causes no other problem, and leaves the program's drivers and layers
// the same. A program without a driver may get drivers. Ending returns false if there is no such change.
func (t *Trial) Ending(fault FindingKey, changes ...Change) (Change, bool) {
	for _, c := range changes {
		after := t.after(c)
		if after == nil || !t.only(ItemKey{}, after) && !t.firstDriver(after) {
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

// firstDriver reports whether a program without a driver gets one, and keeps its layers.
func (t *Trial) firstDriver(after *trialResult) bool {
	for k := range t.before.in {
		if k.Layer == "" || !after.in[k] {
			return false
		}
	}
	for k := range after.in {
		if k.Layer != "" && !t.before.in[k] {
			return false
		}
	}
	return len(after.in) > len(t.before.in)
}

// only reports whether a program gets the same drivers and layers as before, apart from one.
func (t *Trial) only(key ItemKey, after *trialResult) bool {
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
