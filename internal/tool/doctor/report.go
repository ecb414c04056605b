package doctor

import (
	"cmp"
	_ "embed"
	"encoding"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/selector"
	"vkloader/internal/tool/term"
)

// Schema is the version of Report. A removed field or a new meaning of a field raises it.
const Schema = 1

// Finding is a single result of an examination.
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
	Commands  []shell.Line  `json:"commands,omitempty"` // the shell lines in do
	// why the fix was not tried on a copy of the facts; absent: it was, or there is none
	Untried string `json:"untried,omitempty"`
	// the code of the finding that causes this one; fixing that finding removes this one
	Because Kind `json:"because,omitempty"`

	fact       fact
	remedies   []*Remedy     // in order of preference; the last one may be nil: no fix
	usual      diag.Severity // where the fault costs programs something
	exempt     exemption
	device     string // the name of the affected device; "": none
	excludedBy string // the variable, file or kernel driver that excludes the device
	missing    bool   // it tells why programs do not get a device that can render
}

// Entry is a driver or layer that was found.
type Entry struct {
	Name     string `json:"name"`
	Manifest string `json:"manifest"`
	Library  string `json:"library"`        // as passed to the dynamic linker
	File     string `json:"file,omitempty"` // its path, with symbolic links resolved
	Class    int    `json:"class,omitempty"`
	Machine  string `json:"machine,omitempty"`
	Used     bool   `json:"used"`              // a program gets it by default
	Needs    int    `json:"needs"`             // the number of its dependencies
	Good     bool   `json:"good"`              // the library has no fault
	Brought  bool   `json:"brought,omitempty"` // a driver beside the program, which names it itself

	standing.Standing

	Driver *manifest.Driver `json:"-"` // as the decision has it; nil: a layer
	Layer  *manifest.Layer  `json:"-"` // likewise; nil: a driver
}

// family returns the driver's family, by its library; nil: unknown.
func (m *Entry) family() *drivers.Family { return drivers.Of(m.Library) }

// isUnknown reports whether the driver works and is of no known family, so it may serve any device.
func (m *Entry) isUnknown() bool { return m.Good && m.family() == nil }

// serves reports whether it is a working driver of the machine, not one that a program brings.
func (m *Entry) serves() bool { return m.Good && !m.Brought }

// functions returns the test of a library's functions, the usual one of them, and the code of a library that fails it.
func (m *Entry) functions() (is drivers.Interface, usual string, misfit Code) {
	if m.Layer == nil {
		return drivers.DriverInterface, "vk_icdGetInstanceProcAddr", DriverInterface
	}
	negotiate := cmp.Or(m.Layer.Negotiate, "vkNegotiateLoaderLayerInterfaceVersion")
	return drivers.LayerInterface(negotiate, m.Layer.GetInstance), negotiate, LayerInterface
}

// Report is the result of an examination.
type Report struct {
	Schema  int    `json:"schema"`
	Verdict string `json:"verdict"`          // the result in one line
	System  string `json:"system,omitempty"` // the distribution
	// the examined program; absent: a program with default settings
	Program   string            `json:"program,omitempty"`
	PID       int               `json:"pid,omitempty"`   // of the examined process
	Class     int               `json:"class,omitempty"` // the program's word size, if it differs from the library's
	Sandboxes []Sandbox         `json:"sandboxes"`
	GPUs      []GPU             `json:"gpus"`
	Loader    *loaders.Loader   `json:"loader,omitempty"` // the program's loader; absent: none
	Static    loaders.StaticUse `json:"-"`                // the program's static linking
	Loaders   []Loader          `json:"loaders"`
	HasSteam  bool              `json:"-"` // it is installed
	// absent: the machine has no loader for it, or a program other than a launcher is named
	Other   *OtherSize `json:"other_word_size,omitempty"`
	Drivers []Entry    `json:"drivers"`
	Layers  []Entry    `json:"layers"`
	Tried   bool       `json:"tried"` // child processes loaded the drivers and layers
	Works   bool       `json:"works"` // a device of the combined drivers and layers completed the work
	Probes  []Probe    `json:"probes,omitempty"`
	// in programs' order, as all drivers and layers together list them
	Devices  []probe.Device `json:"devices,omitempty"`
	Through  []string       `json:"probed_through,omitempty"` // the loaders' files that child processes loaded
	Findings []Finding      `json:"findings"`

	Answer *plan.Answer `json:"-"` // the examined decision

	source      *machine.Source
	options     Options
	namedLayers []string            // in the program's file
	ownLinker   *binary.Interpreter // that of a program with a C library of its own
	// examines the machine again with a change, and loads nothing. keeps reports whether programs keep their drivers
	// and layers, except for the subject of a finding; nil: they do. It returns false if the change cannot be tried.
	examineAfter func(*effect) (found []Finding, keeps func(*Finding) bool, possible bool)
	// a driver, or a part of one, is installed outside the search
	stray bool
	// returns the verdict; nil: a part of an examination
	judge func(*Report) string
}

// Probe is the result of a child process with a single driver, with all drivers and layers, or with the culprit.
type Probe struct {
	Kind     string `json:"kind"` // driver, layer, or together
	Name     string `json:"name"`
	Manifest string `json:"manifest"`
	// ok, no device, fails, crashes, hangs, exits, not yet, not tried, asleep
	Result ProbeResult `json:"result"`
	Detail string      `json:"detail,omitempty"` // the signal or VkResult, and the phase
	Said   string      `json:"said,omitempty"`   // the loader's message about the failure
	// the version of the program's loader, if the tool's own loader works
	Only    string   `json:"only,omitempty"`
	Devices []string `json:"devices,omitempty"`
	Wrote   []string `json:"wrote,omitempty"` // the last lines of the driver on standard error
	Millis  float64  `json:"ms"`              // the total time of the phases

	devices []probe.Device
}

// ProbeResult is the outcome of a child process.
type ProbeResult string

// Results of probes.
const (
	ProbeOK       ProbeResult = "ok"
	ProbeNoDevice ProbeResult = "no device"
	ProbeFails    ProbeResult = "fails"
	ProbeCrashes  ProbeResult = "crashes"
	ProbeHangs    ProbeResult = "hangs"
	ProbeExits    ProbeResult = "exits"     // it called exit
	ProbeWaits    ProbeResult = "not yet"   // it is still running
	ProbeUntried  ProbeResult = "not tried" // no variable leaves the others out
	ProbeAsleep   ProbeResult = "asleep"    // not loaded, because loading would wake its device
)

// Shown reports whether a report shows the finding without --full: a note only if it tells why programs do not get a
// device, or a layer.
func (f *Finding) Shown() bool { return f.Because == nil && (f.Severity != diag.Note || f.missing) }

// Has reports whether there is a finding of a severity.
func (r *Report) Has(severity diag.Severity) bool {
	return contains(r.Findings, func(f *Finding) bool { return f.Severity == severity })
}

// add adds a finding, which costs a program what lost says. Without advice, the finding gets the table's advice.
func (r *Report) add(code Code, subject, path string, what fact, do *Remedy, lost ...loss) *Finding {
	entry := code.Entry()
	if do == nil {
		do = newAdvice(entry.Do)
	}
	severity := append(lost, usual)[0].severity(entry.Severity)
	r.Findings = append(r.Findings,
		Finding{Code: code, Severity: severity, usual: severity, Subject: subject, Path: path,
			fact: what, Why: entry.Means, remedies: []*Remedy{do}, Statement: entry.Statement})
	return &r.Findings[len(r.Findings)-1]
}

// newReport returns an empty report on a system.
func newReport(system string) *Report {
	return &Report{Schema: Schema, System: system, Sandboxes: []Sandbox{}, GPUs: []GPU{}, Loaders: []Loader{},
		Drivers: []Entry{}, Layers: []Entry{}, Findings: []Finding{}}
}

// entries returns the drivers and layers of the decision before their examination.
func (r *Report) entries() (list []Entry) {
	for _, d := range r.Answer.Drivers {
		list = append(list,
			Entry{Name: r.Answer.Style.Base(d.Path), Manifest: d.Path, Library: d.Library, Used: true, Driver: d})
	}
	active := explain.Active(r.Answer)
	for _, l := range r.Answer.Layers {
		if !l.Meta {
			list = append(list, Entry{Name: l.Name, Manifest: l.Manifest, Library: l.Library,
				Used: slices.Contains(active, l), Layer: l})
		}
	}
	return list
}

// examineEntries enters the drivers and layers of the decision, as a function examines each.
func (r *Report) examineEntries(examine func(*Entry)) {
	for _, m := range r.entries() {
		if examine(&m); m.Layer == nil {
			r.Drivers = append(r.Drivers, m)
		} else {
			r.Layers = append(r.Layers, m)
		}
	}
}

// isOrdinary reports whether a finding of the decision is of the normal state, which "list" and "explain" show.
func isOrdinary(f *diag.Diagnostic) bool {
	return slices.Contains([]diag.Code{diag.DriverUsed, diag.LayerListed, diag.LayerActive, diag.LayerInactive,
		diag.LocationMissing,
		// by VK_INSTANCE_LAYERS
		diag.SettingsNone, diag.SettingsUsed}, f.Code) || f.Code == diag.LayerForced && f.Path == ""
}

// takenOver adds a finding of the library's decision unchanged.
func (r *Report) takenOver(f *diag.Diagnostic) {
	r.addDiagnostic(f, f.Code.Entry().Severity, sentence(f.What), entryOf(f.Code))
}

// addDiagnostic adds a finding of the library's decision with a severity, a fact and advice.
func (r *Report) addDiagnostic(f *diag.Diagnostic, severity diag.Severity, what fact, do *Remedy) *Finding {
	r.Findings = append(r.Findings,
		Finding{Code: f.Code, Severity: severity, usual: severity, Subject: f.Subject, Path: f.Path,
			Line: f.Line, Column: f.Column, fact: what, remedies: []*Remedy{do}, Statement: f.Code.Entry().Statement})
	return &r.Findings[len(r.Findings)-1]
}

// addDecision adds a finding of the library's decision with its fix.
func (e *exam) addDecision(f *diag.Diagnostic) {
	severity, what, do := f.Code.Entry().Severity, fact(sentence(f.What)), entryOf(f.Code)
	var changes []explain.Change
	v, excludes := explain.SwitchOf(f.Code)
	filter := f.Code == diag.DriverNotSelected || f.Code == diag.DriverDisabled
	if filter {
		severity = e.standings().Severity(f)
	}
	switch {
	case f.Code == diag.LayerForced: // a variable asks for the layer, as VK_INSTANCE_LAYERS may
		do = doNothingChosen
	// the finding about the contradiction names a layer that a variable enables and another one disables
	case f.Code == diag.LayerDisabled:
		what, do = textf("%s excludes it", variables.LayersDisable.Name()), doNothingChosen
	case filter && severity == diag.Note: // the user asked for the filter, and a working driver remains
		do = doNothingChosen
	case f.Code == diag.LayerDuplicate && strings.Count(f.What, f.Path) > 1: // zed-industries/zed issue 23682
		what, do = textf("%s is found twice: once in its own directory, and once by a variable", f.Path),
			newAdvice("Nothing: it is the same file.")
		for _, v := range []variables.ID{variables.LayerPath, variables.AddLayerPath, variables.ImplicitLayerPath,
			variables.AddImplicitLayerPath} {
			changes = append(changes, explain.DropFromList(e.source, v, machine.ListSeparator, func(entry string) bool {
				return path.Clean(entry) == path.Dir(f.Path) || path.Clean(entry) == f.Path
			})...)
		}
	case excludes:
		do, changes = newAdvice("Change "+v.Name()+"."), explain.DropFromFilter(e.source, v, f.Subject)
		// both exclude the driver
		if other := variables.DriversSelect; v == variables.DriversDisable && e.source.Var(other.Name(), true).Set {
			for _, c := range slices.Clone(changes) {
				changes = append(changes, c.With(explain.UnsetVariable(other.Name())))
			}
		}
	default:
		what, do, changes = e.unreadable(f, what, do)
	}
	if filter && severity == diag.Problem {
		what = textf("%s excludes the software renderer, and no graphics device has a driver: programs get no device",
			variables.DriversDisable.Name())
	}
	e.addDiagnostic(f, severity, what, do).offer(fixing, changes...)
}

// Selector returns a selector of a listed device.
func (r *Report) Selector(at int) string {
	return selector.Best(term.Words(r.Devices, func(d probe.Device) discover.Device {
		return discover.Device{Index: d.Index, Name: d.Name, PCI: d.PCI, VendorID: d.VendorID, DeviceID: d.DeviceID,
			DeviceUUID: d.DeviceUUID}
	}), at)
}

// sortFindings returns findings in order of severity, problems first, and without duplicates. Without a loader, no
// driver helps a program. With a variable that excludes a driver, nothing needs an installation.
func sortFindings(list []Finding) []Finding {
	type whole struct {
		key
		line, column int
		what         string
	}
	list = slices.Clone(list)
	place := func(f Finding) int {
		return 2*int(f.Severity) + term.Either(f.Code == LoaderMissing || f.Code == GPULeftOut, 1, 0)
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return place(b) - place(a) })
	seen := make(map[whole]bool, len(list))
	return slices.DeleteFunc(list, func(f Finding) bool {
		one := whole{f.key(), f.Line, f.Column, f.fact.say()}
		known := seen[one]
		seen[one] = true
		return known
	})
}

// finish returns the report with ordered findings, their texts and the verdict.
func (r Report) finish() *Report {
	r.nameByTrial()
	r.Findings = sortFindings(r.withMissingDevices())
	for i := range r.Findings {
		r.Findings[i].word(&r)
	}
	if r.judge != nil {
		r.Verdict = r.judge(&r)
	}
	return &r
}

// word fills in the texts of the finding and its fix.
func (f *Finding) word(r *Report) {
	f.What, f.Do, f.Commands, f.Untried = f.fact.say(), "", nil, ""
	if do := f.remedy(); do != nil {
		f.Do, f.Commands, f.Untried = do.text, do.lines, do.because.text()
	}
	if what, is := f.fact.(unread); is {
		f.What, f.Do = what.of(r.Loader), "It is "+r.Loader.NotInForce(what.program)+"."+term.Either(f.Path != "" &&
			f.usual != diag.Note, " To remove it: vkloader settings clear", "")
	}
	switch f.exempt {
	case absentDevice:
		f.Why = "It is for a device that this machine does not have, so programs get no device from it."
	case listedDevice:
		f.Why = "When it was tried, a driver listed the device all the same."
	}
}

// NotTried returns why the fix was not tried, where this helps a person who makes it; "" otherwise.
func (f *Finding) NotTried() string {
	useful := slices.Contains([]string{ofUsual.text(), outsideOnly.text(), restarted.text()}, f.Untried)
	return term.Either(useful, f.Untried, "")
}

// last returns the last remedy: the only one after the engine has tried them.
func (f *Finding) last() *Remedy { return f.remedies[len(f.remedies)-1] }

// remedy returns the remedy that counts here; nil: none. A fault that costs nothing needs none, and neither does one
// that follows from another, unless a change was tried.
func (f *Finding) remedy() *Remedy {
	do := f.last()
	if f.Because != nil && (do == nil || do.change == nil) { // it ends with its cause
		return nil
	}
	if do != nil && do.change != nil || exemptAdvice[f.exempt] == nil {
		return do
	}
	return exemptAdvice[f.exempt]
}

// Change returns the change that was tried and removes the finding, if it changes files or variables of this machine
// and needs no decision of the user; false otherwise.
func (f *Finding) Change() (explain.Change, bool) {
	if do := f.remedy(); do != nil && do.fixes {
		return *do.change, true
	}
	return explain.Change{}, false
}

// SavesTime reports whether the fix makes programs start faster.
func (f *Finding) SavesTime() bool {
	do := f.remedy()
	return do != nil && (do.aim == forTime || do.aim == forSpace)
}

// host returns the examined machine.
func (r *Report) host() host { return host{&r.source.Machine} }

// find returns the first element of a list for which is returns true; nil: none.
func find[T any](list []T, is func(*T) bool) *T {
	for one := range each(list) {
		if is(one) {
			return one
		}
	}
	return nil
}

// contains reports whether is returns true for an element of a list.
func contains[T any](list []T, is func(*T) bool) bool { return find(list, is) != nil }

// each yields a pointer to each element of a list.
func each[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

//go:generate go run vkloader/tools/pages doctor-codes zcodes.go

// Code is the stable name of a kind of finding of the doctor. The library's decision has codes of type diag.Code.
type Code string

//go:embed codes.txt
var codesTable string

// CodeEntry is the table entry of a code.
type CodeEntry struct {
	diag.Entry
	Means string // why it matters
}

// codeEntries returns the codes of the table, in its order, and their texts. The table is read at the first call.
var codeEntries = sync.OnceValues(func() (codes []Code, entries map[Code]*CodeEntry) {
	entries = map[Code]*CodeEntry{}
	diag.Read(codesTable, func(e diag.Entry, lines []string) {
		e.Do = lines[1]
		codes = append(codes, Code(e.Name))
		entries[Code(e.Name)] = &CodeEntry{e, lines[0]}
	})
	return codes, entries
})

// Entry returns the texts of a code.
func (c Code) Entry() *CodeEntry {
	_, entries := codeEntries()
	return entries[c]
}

func (c Code) String() string { return string(c) }

// MarshalText returns the code's name for JSON.
func (c Code) MarshalText() ([]byte, error) { return []byte(c), nil }

// Kind is the code of a finding: a Code of the doctor, or a diag.Code of the library's decision.
type Kind interface {
	fmt.Stringer
	encoding.TextMarshaler
}

// Codes returns every code, in the order of the table. The documentation is generated with it.
func Codes() []Code {
	codes, _ := codeEntries()
	return codes
}
