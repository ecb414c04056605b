package cure

import (
	"path"
	"slices"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/machine"
)

// Trial tries changes on one machine. What it reads of the machine it reads once.
type Trial struct {
	source  *machine.Source
	known   *known
	before  Outcome
	results map[string]Outcome
}

// known is what was read of a machine, without variables.
type known struct {
	directories map[string]facts.Directory
	files       map[string]facts.File
	exists      map[string]bool
}

// Key names a driver or layer: a layer's name, or "", and its manifest.
type Key struct{ Layer, Manifest string }

// Outcome is what a program gets.
type Outcome map[Key]bool

// effort bounds what all changes together cost, in files: on a machine with a hundred thousand manifests only a few
// changes are tried.
const effort = 200_000

// triesLeast is how many changes are tried on any machine.
const triesLeast = 8

// New is a trial on a machine, given what was decided there.
func New(source *machine.Source, answer *plan.Answer) *Trial {
	return &Trial{source: source, before: outcome(answer), results: map[string]Outcome{},
		known: &known{map[string]facts.Directory{}, map[string]facts.File{}, map[string]bool{}}}
}

func outcome(answer *plan.Answer) Outcome {
	in := Outcome{}
	for _, a := range answer.Active {
		in[LayerKey(answer.Layers[a.Layer])] = true
	}
	for _, d := range answer.Drivers {
		in[Key{Manifest: d.Path}] = true
	}
	return in
}

// LayerKey is that of a layer.
func LayerKey(l *manifest.Layer) Key { return Key{l.Name, l.Manifest} }

// after is the outcome after a change; nil when that is not known.
func (t *Trial) after(c Change) Outcome {
	if result, done := t.results[c.Line()]; done {
		return result
	}
	if !c.Possible() || len(t.results) >= max(triesLeast, effort/(1+len(t.known.files))) {
		return nil
	}
	var result Outcome
	if answer, err := decision.Ask(&tried{c.On(t.source), t.known}); err == nil {
		result = outcome(answer)
	}
	t.results[c.Line()] = result
	return result
}

// First is the first change after which a driver or layer is in (or out) and nothing else is otherwise than before;
// failing that, the first after which it is. False: none of them does it.
func (t *Trial) First(key Key, in bool, changes ...Change) (Change, bool) {
	for _, strict := range []bool{true, false} {
		for _, c := range changes {
			if after := t.after(c); after != nil && after[key] == in && (!strict || t.only(key, after)) {
				return c, true
			}
		}
	}
	return Change{}, false
}

// only tells whether an outcome differs from that before in one thing at most.
func (t *Trial) only(key Key, after Outcome) bool {
	for k := range after {
		if k != key && !t.before[k] {
			return false
		}
	}
	for k := range t.before {
		if k != key && !after[k] {
			return false
		}
	}
	return true
}

// tried gives the facts of a machine after a change.
type tried struct {
	*machine.Source
	known *known
}

func (t *tried) gone(name string) bool { return slices.Contains(t.Without, path.Clean(name)) }

func (t *tried) Directory(name string) facts.Directory {
	directory, ok := t.known.directories[name]
	if !ok {
		all := *t.Source
		all.Without = nil
		directory = all.Directory(name)
		t.known.directories[name] = directory
	}
	if len(t.Without) == 0 {
		return directory
	}
	left := facts.Directory{Listed: directory.Listed}
	for _, n := range directory.Names {
		if !t.gone(name + "/" + n) {
			left.Names = append(left.Names, n)
		}
	}
	return left
}

func (t *tried) File(name string) facts.File {
	if t.gone(name) {
		return facts.File{Status: facts.FileNotOpened}
	}
	file, ok := t.known.files[name]
	if !ok {
		file = t.Source.File(name)
		t.known.files[name] = file
	}
	return file
}

func (t *tried) Exists(name string) bool {
	if t.gone(name) {
		return false
	}
	is, ok := t.known.exists[name]
	if !ok {
		is = t.Source.Exists(name)
		t.known.exists[name] = is
	}
	return is
}
