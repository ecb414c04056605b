package doctor

import (
	"reflect"
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// Schema is raised when a field of Report changes its meaning or goes.
const Schema = 1

// Finding is one thing found.
type Finding struct {
	Code      Kind          `json:"code"`
	Severity  diag.Severity `json:"severity"` // note, warning or problem
	Subject   string        `json:"subject"`  // a driver, layer, library, device, variable
	Path      string        `json:"path,omitempty"`
	Line      int           `json:"line,omitempty"`
	Column    int           `json:"column,omitempty"`
	What      string        `json:"what"`
	Why       string        `json:"why,omitempty"`
	Do        string        `json:"do,omitempty"`
	Statement string        `json:"statement,omitempty"`
	Commands  []string      `json:"commands,omitempty"` // the lines for a shell that are in do
	Because   Kind          `json:"because,omitempty"`  // the code of the finding that causes this one; fixing that finding removes this one

	fact     fact
	advice   advice // nil: there is nothing to do
	harmless bool   // a leftover of a device that is not here
	device   string // the name of the device that it is about; "": none
	offers   []offer
}

// Module is a driver or layer, as its manifest names it.
type Module struct {
	Name     string `json:"name"`
	Manifest string `json:"manifest"`
	Library  string `json:"library"`        // as written for the dynamic linker
	File     string `json:"file,omitempty"` // where that is found, without symbolic links
	Class    int    `json:"class,omitempty"`
	Machine  string `json:"machine,omitempty"`
	Used     bool   `json:"used"`  // a program that asks for nothing gets it
	Needs    int    `json:"needs"` // how many other libraries it needs
	Good     bool   `json:"good"`  // nothing is wrong with the library
}

// Report is what an examination found.
type Report struct {
	Schema    int             `json:"schema"`
	Verdict   string          `json:"verdict"`           // all of it in one line
	System    string          `json:"system,omitempty"`  // the distribution
	Program   string          `json:"program,omitempty"` // that was examined; absent: any that asks for nothing
	PID       int             `json:"pid,omitempty"`     // of the process that was examined
	Class     int             `json:"class,omitempty"`   // the program's word size, where it is not that of the library
	Sandboxes []Sandbox       `json:"sandboxes"`
	GPUs      []GPU           `json:"gpus"`
	Loader    *loaders.Loader `json:"loader,omitempty"` // that the program gets; absent: none
	Static    loaders.Static  `json:"-"`                // of the program
	Loaders   []Loader        `json:"loaders"`
	Other     *OtherSize      `json:"other_word_size,omitempty"` // absent: the machine has nothing for it, or the program is named
	Drivers   []Module        `json:"drivers"`
	Layers    []Module        `json:"layers"`
	Tried     bool            `json:"tried"` // drivers and layers were loaded, in children
	Works     bool            `json:"works"` // all of them together gave a device that did what it was asked
	Probes    []Probe         `json:"probes,omitempty"`
	Through   []string        `json:"probed_through,omitempty"` // the loaders' files that children have loaded
	Findings  []Finding       `json:"findings"`

	Answer *plan.Answer `json:"-"` // the decision that was examined

	source    *machine.Source
	own       probe.Place   // of the tool's library
	ownLinker bool          // the program has a C library of its own
	chosen    bool          // GPUs are not all
	sum       func() string // the verdict on what has been found by now
}

// Probe is how a driver alone, all drivers and layers together, or the one that made these fail behaved in a child process.
type Probe struct {
	Kind     string      `json:"kind"` // driver, layer, or together
	Name     string      `json:"name"`
	Manifest string      `json:"manifest"`
	Result   ProbeResult `json:"result"`           // ok, no device, fails, crashes, hangs, exits, not yet, asleep
	Detail   string      `json:"detail,omitempty"` // with what: the signal or VkResult, and the phase
	Said     string      `json:"said,omitempty"`   // the loader's own message about it
	Only     string      `json:"only,omitempty"`   // the version of the program's loader: with the tool's own it works
	Devices  []string    `json:"devices,omitempty"`
	Millis   float64     `json:"ms"` // what the phases took together
}

// ProbeResult is what became of a child.
type ProbeResult string

// Results of probes.
const (
	ProbeOK       ProbeResult = "ok"
	ProbeNoDevice ProbeResult = "no device"
	ProbeFails    ProbeResult = "fails"
	ProbeCrashes  ProbeResult = "crashes"
	ProbeHangs    ProbeResult = "hangs"
	ProbeExits    ProbeResult = "exits"   // it called exit
	ProbeWaits    ProbeResult = "not yet" // it has not ended
	ProbeAsleep   ProbeResult = "asleep"  // not loaded, because that would wake its device
)

// Has tells whether there is a finding of a severity.
func (r *Report) Has(severity diag.Severity) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == severity })
}

// found adds a finding; without advice, it gets the table's.
func (r *Report) found(code *Code, subject, path string, what fact, do advice) *Finding {
	if do == nil {
		do = advised(code.Do)
	}
	r.Findings = append(r.Findings, Finding{Code: code, Severity: code.Severity, Subject: subject, Path: path,
		fact: what, Why: code.Means, advice: do, Statement: code.Statement})
	return &r.Findings[len(r.Findings)-1]
}

// newReport is a report on a system, in which nothing was found yet.
func newReport(system string) *Report {
	return &Report{Schema: Schema, System: system, Sandboxes: []Sandbox{}, GPUs: []GPU{}, Loaders: []Loader{}, Drivers: []Module{},
		Layers: []Module{}, Findings: []Finding{}}
}

// modules enters the drivers and layers of a decision, as functions judge them.
func (r *Report) modules(answer *plan.Answer, driver, layer func(Module) Module) {
	for _, d := range answer.Drivers {
		r.Drivers = append(r.Drivers, driver(Module{Name: answer.Style.Base(d.Path), Manifest: d.Path, Library: d.Library, Used: true}))
	}
	active := map[string]bool{}
	for _, a := range answer.Active {
		active[answer.Layers[a.Layer].Name] = true
	}
	for _, l := range answer.Layers {
		if !l.Meta {
			r.Layers = append(r.Layers, layer(Module{Name: l.Name, Manifest: l.Manifest, Library: l.Library, Used: active[l.Name]}))
		}
	}
}

// takenOver takes over a finding of the library's decision as it is.
func (r *Report) takenOver(f *diag.Finding) *Finding {
	e := f.Code.Entry()
	r.Findings = append(r.Findings, Finding{Code: f.Code, Severity: e.Severity, Subject: f.Subject, Path: f.Path,
		Line: f.Line, Column: f.Column, fact: decided{*f}, advice: entryOf(f.Code), Statement: e.Statement})
	return &r.Findings[len(r.Findings)-1]
}

// decided takes over a finding of the library's decision, with what ends it.
func (r *Report) decided(f *diag.Finding) *Finding {
	found := r.takenOver(f)
	if v, is := explain.SwitchOf(f.Code); is {
		found.advice = advised("Change " + v.Name() + ".")
		found.offer(fixing, explain.DropFromFilter(r.source, v, f.Subject)...)
	}
	return found
}

// say writes in words what was found and what to do.
func (r *Report) say() {
	for i := range r.Findings {
		f := &r.Findings[i]
		f.What, f.Do, f.Commands = f.fact.say(), "", nil
		if f.advice != nil {
			f.Do, f.Commands = f.advice.say()
		}
		if f.harmless {
			f.Why = ofAbsentDevice
		}
	}
}

// Change is the change that was tried and ends the finding, where it is one of files or variables of this machine that may
// be made for the user; false: there is none.
func (f *Finding) Change() (explain.Change, bool) {
	t, is := f.advice.(tried)
	return t.Change, is && t.kind == "" && t.aim != byHand && t.aim != forUnasked
}

// SavesTime tells whether the change that was tried makes programs start faster.
func (f *Finding) SavesTime() bool {
	t, is := f.advice.(tried)
	return is && (t.aim == forTime || t.aim == forSpace)
}

// soften makes a finding a warning at most.
func (f *Finding) soften(to diag.Severity) {
	if f.Severity == diag.Problem || to == diag.Note {
		f.Severity = to
	}
}

// Order puts problems first, then warnings, then notes; otherwise as found, each once. All are in words then, and the verdict
// is of all of them.
func (r *Report) Order() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return int(b.Severity) - int(a.Severity) })
	r.say()
	type whole struct {
		key
		line, column int
		what         string
	}
	seen := make(map[whole][]fact, len(r.Findings))
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
		one := whole{f.key(), f.Line, f.Column, f.What}
		if slices.ContainsFunc(seen[one], func(other fact) bool { return reflect.DeepEqual(f.fact, other) }) {
			return true
		}
		seen[one] = append(seen[one], f.fact)
		return false
	})
	if r.sum != nil {
		r.Verdict = r.sum()
	}
}
