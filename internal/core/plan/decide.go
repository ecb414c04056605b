package plan

import (
	"strconv"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
)

// call is what all parts of a decision look at, and the script that they write.
type call struct {
	q *Question
	f *facts.Store
	m *Memory
	*script
}

// decision makes one answer. Each part decides one thing, and uses only the parts before it.
type decision struct {
	call
	costs    costs         // what hostile files may cost
	files    manifests     // what manifests say
	finder   finder        // which manifests there are
	file     settingsFile  // which settings are in force
	switches switches      // which layers variables turn on and off
	layers   lister        // which layers there are
	compute  computePolicy // which layers it leaves out
	chain    chain         // which of them are active
	drivers  driverSearch  // which drivers are opened
	offers   offers        // which of those that were opened count
	request  request       // whether the program may have what it asks for
	made     Answer
}

func newDecision(q *Question, f *facts.Store) *decision {
	m := q.Memory
	if m == nil {
		m = &Memory{}
	}
	d := &decision{call: call{q, f, m, &script{explain: q.Explain, mixed: q.Platform.Mixed, facts: f}}}
	d.costs.call, d.request.call = d.call, d.call
	d.finder = finder{call: d.call, searched: &d.made.Searched}
	d.files = manifests{call: d.call, costs: &d.costs}
	d.file = settingsFile{call: d.call, files: &d.files}
	d.switches = switches{call: d.call, implicit: make(map[*manifest.Layer]bool)}
	d.layers = lister{call: d.call, costs: &d.costs, files: &d.files, file: &d.file, switches: &d.switches, finder: &d.finder}
	d.compute = computePolicy{call: d.call, file: &d.file, switches: &d.switches}
	d.chain = chain{call: d.call, switches: &d.switches, compute: &d.compute}
	d.drivers = driverSearch{call: d.call, files: &d.files, file: &d.file, finder: &d.finder}
	return d
}

// Decide answers a question. Needs of the answer are the facts to add to f before asking again.
func Decide(q *Question, f *facts.Store) *Answer {
	d := newDecision(q, f)
	d.m.turn++
	if q.Platform.Rights != nil {
		d.file.rights = q.Platform.Rights(&q.Platform, f)
	}
	if d.prefetch() {
		d.switches.read()
		switch q.Kind {
		case Version:
			d.file.read()
			if !q.Terminator {
				d.preLayers(manifest.PreVersion)
			}
		case Layers:
			d.listLayers()
		case Extensions, ExtensionsDrivers:
			d.listExtensions()
		case Instance, InstanceDrivers:
			d.instance()
		}
	}
	if f.Missing() {
		d.made.Needs = f.Needs()
	} else {
		d.finish()
	}
	return &d.made
}

// finish puts what the parts have decided into the answer.
func (d *decision) finish() {
	a := &d.made
	a.Style, a.Steps, a.Findings = d.q.Platform.Style, d.steps, d.findings
	a.Settings, a.Remember = d.file.set, d.file.remember
	a.Layers, a.Active, a.Unlisted, a.Drivers = d.chain.layers, d.chain.active, d.layers.unlisted, d.drivers.list
	a.KeepUnknown, a.DirectExclusive = d.offers.unknown, d.request.exclusive
}

// Resolve answers a question with facts of a source, asking as often as needed; nil when it never comes to an end.
func Resolve(q *Question, from facts.Source) *Answer {
	var a *Answer
	if !facts.Resolve(facts.NewStore(), from, func(s *facts.Store) { a = Decide(q, s) }) {
		return nil
	}
	return a
}

// prefetch asks for what the question's searches need in as few rounds as possible; false while something is missing. It
// decides nothing: whatever it leaves out is asked for where it is needed. Directories come first; then the settings
// file, driver manifests and those of implicit layers; then what these name, with the manifests of explicit layers.
// Nothing else is parsed before all is there.
func (d *decision) prefetch() bool {
	if !d.m.begun {
		variables.Decisive(func(v variables.ID) { d.f.Variable(v) })
		if d.f.Missing() {
			return false
		}
		d.m.begun = true
	}
	wanted := d.q.scope()
	implicit := d.finder.look(search.ImplicitLayers)
	var explicit, drivers []search.Found
	if wanted.explicit {
		explicit = d.finder.look(search.ExplicitLayers)
	}
	if wanted.drivers {
		drivers = d.finder.look(search.Drivers)
	}
	settings := d.file.place()
	if d.f.Missing() {
		return false
	}
	d.finder.ask(implicit)
	d.finder.ask(drivers)
	if settings != "" {
		d.f.File(settings)
		d.f.Exe()
	} else if len(implicit) == 0 {
		d.finder.ask(explicit)
	}
	if d.f.Missing() {
		return false
	}
	d.quiet = d.q.Quiet && !d.q.Explain && !d.file.listens(settings)
	replaced := d.askForImplicit(implicit)
	if settings != "" {
		return true // the decision knows what else the file names, and whether it leaves anything to the search
	}
	if !replaced {
		d.finder.ask(explicit)
	}
	return !d.f.Missing()
}

// askForImplicit asks for what the manifests of implicit layers name, and tells whether an override layer may take the
// place of the explicit ones.
func (d *decision) askForImplicit(implicit []search.Found) (replaced bool) {
	for i := range implicit {
		file, _ := d.f.File(implicit[i].Path)
		if file.Status != facts.FileRead {
			continue
		}
		p := d.files.parse(implicit[i].Path, file, search.ImplicitLayers)
		if p.fault != nil {
			continue
		}
		for _, l := range p.layers.Layers {
			d.switches.byOwnVariables(l)
			if l.IsOverride() {
				d.f.Exe()
				replaced = replaced || len(l.OverridePaths) > 0
			}
		}
	}
	return replaced
}

// earlier gives what the first question of the call has found; nil when this is no second one, or the answer must explain everything.
func (d *decision) earlier() *before {
	b := d.m.before
	if b == nil || b.kind != d.q.Kind || d.q.Explain {
		return nil
	}
	return b
}

// ignored finds those of the variables that are set, and that something else takes the place of.
func (c *call) ignored(winner string, list ...variables.ID) {
	for _, v := range list {
		if c.f.Variable(v).Set {
			c.find(diag.VariableIgnored, v.Name(), "", v.Name()+" is set, but has no effect because of "+winner)
		}
	}
}

func decimal(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
