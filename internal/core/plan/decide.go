package plan

import (
	"strconv"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
)

// call is the common state of the parts of a decision.
type call struct {
	q *Question
	f *facts.Store
	m *Memory
	*script
}

// decision makes one answer. Each part decides one question, and uses only the parts before it.
type decision struct {
	call
	costs    costs        // the budgets for the cost of hostile files
	files    manifests    // the content of manifests
	finder   finder       // the search for manifests
	file     settingsFile // the settings in force
	switches switches     // the layers that variables enable and disable
	layers   lister       // the layer list
	chain    chain        // the active layers
	drivers  driverSearch // the drivers to open
	offers   offers       // the opened drivers whose extensions are offered
	request  request      // the checks of the program's request
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
	d.layers = lister{call: d.call, costs: &d.costs, files: &d.files, file: &d.file, switches: &d.switches,
		finder: &d.finder}
	d.chain = chain{call: d.call, switches: &d.switches}
	d.drivers = driverSearch{call: d.call, files: &d.files, file: &d.file, finder: &d.finder}
	return d
}

// Decide answers a question. If the answer has Needs, add these facts to f and ask again.
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

// finish copies the results of the parts into the answer.
func (d *decision) finish() {
	a := &d.made
	a.Style, a.Steps, a.Diagnostics = d.q.Platform.Style, d.steps, d.diagnostics
	a.Settings, a.Remember = d.file.set, d.file.remember
	a.Layers, a.Active, a.Unlisted, a.Drivers = d.chain.layers, d.chain.active, d.layers.unlisted, d.drivers.list
	a.KeepUnknown, a.DirectExclusive = d.offers.unknown, d.request.exclusive
}

// Resolve answers a question with the facts of a source. It returns nil if facts are still missing after many rounds.
func Resolve(q *Question, from facts.Provider) *Answer {
	var a *Answer
	if !facts.Resolve(facts.NewStore(), from, func(s *facts.Store) { a = Decide(q, s) }) {
		return nil
	}
	return a
}

// prefetch requests the facts for the question's searches in as few rounds as possible. It returns false while some are
// missing. It decides nothing; facts that it does not request are requested later, by the part that uses them. The
// order is: directories; the settings file and the manifests of drivers and implicit layers; the paths in these, and
// the manifests of explicit layers. No other file is parsed before all facts are there.
func (d *decision) prefetch() bool {
	if !d.m.begun {
		variables.Decisive(func(v variables.ID) { d.f.Variable(v) })
		if d.f.Missing() {
			return false
		}
		d.m.begun = true
	}
	wanted := d.q.scope()
	implicit := d.finder.usual(search.ImplicitLayers).found
	var explicit, drivers []search.ManifestFile
	if wanted.explicit {
		explicit = d.finder.usual(search.ExplicitLayers).found
	}
	if wanted.drivers {
		drivers = d.finder.usual(search.Drivers).found
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
		return true // the decision requests other paths of the file, and the search if the file leaves it on
	}
	if !replaced {
		d.finder.ask(explicit)
	}
	return !d.f.Missing()
}

// askForImplicit requests the paths in the manifests of implicit layers. It reports whether an override layer may
// replace the explicit layers.
func (d *decision) askForImplicit(implicit []search.ManifestFile) (replaced bool) {
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
			d.switches.ownVariables(l)
			if l.IsOverride() {
				d.f.Exe()
				replaced = replaced || len(l.OverridePaths) > 0
			}
		}
	}
	return replaced
}

// earlier returns the results of the call's first question, or nil if this is the first or the answer must be
// explained.
func (d *decision) earlier() *firstAnswer {
	b := d.m.before
	if b == nil || b.kind != d.q.Kind || d.q.Explain {
		return nil
	}
	return b
}

// reportIgnored adds a finding for each set variable that the winner overrides.
func (c *call) reportIgnored(cause diag.Cause, winner string, list ...variables.ID) {
	for _, v := range list {
		if c.f.Variable(v).Set {
			c.find(diag.VariableIgnored, v.Name(), "", cause, winner)
		}
	}
}

func decimal(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
