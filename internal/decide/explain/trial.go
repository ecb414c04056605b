package explain

import (
	"maps"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/machine"
)

// Trial tests changes on one machine. It reads each file of the machine once.
type Trial struct {
	source  *machine.Source // caches the files that it reads
	options []Option
	before  Selection
	results map[string]Selection // by the change's line; nil: no decision
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
	return &Trial{source: source.Keeping(), options: options, before: selectionOf(answer), results: map[string]Selection{}}
}

func selectionOf(answer *plan.Answer) Selection {
	s := Selection{}
	for _, a := range answer.Active {
		s[LayerKey(answer.Layers[a.Layer])] = true
	}
	for _, d := range answer.Drivers {
		s[ItemKey{Manifest: d.Path}] = true
	}
	return s
}

// LayerKey returns a layer's key.
func LayerKey(l *manifest.Layer) ItemKey { return ItemKey{l.Name, l.Manifest} }

// after returns the drivers and layers after a change; nil if the change cannot be tested.
func (t *Trial) after(c Change) Selection {
	line := string(c.Line())
	if known, done := t.results[line]; done {
		return known
	}
	if !c.Possible() || !c.Obeyed(t.source) || len(t.results) >= max(triesLeast, trialEffort/(1+t.source.Kept.Files())) {
		return nil
	}
	t.results[line] = nil
	if answer, err := Decide(c.On(t.source), t.options...); err == nil {
		t.results[line] = selectionOf(answer)
	}
	return t.results[line]
}

// First returns the first change that puts a driver or layer in (or out) and alters nothing else; failing that, the first that
// puts it in (or out) at all. It returns false if there is none.
func (t *Trial) First(key ItemKey, in bool, changes ...Change) (Change, bool) {
	for _, strict := range []bool{true, false} {
		for _, c := range changes {
			if after := t.after(c); after != nil && after[key] == in && (!strict || t.only(key, after)) {
				return c, true
			}
		}
	}
	return Change{}, false
}

// only reports whether a program gets the same drivers and layers as before, apart from one.
func (t *Trial) only(key ItemKey, after Selection) bool {
	same := maps.Clone(after)
	if same[key] = true; !t.before[key] {
		delete(same, key)
	}
	return maps.Equal(same, t.before)
}
