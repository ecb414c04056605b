package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/tool/environment"
)

// maxLooks is the maximum number of examinations for trying fixes. Each takes as long as the first examination.
const maxLooks = 24

// offer is a change that may remove a finding.
type offer struct {
	explain.Change
	aim    aim
	result string // the effect of the change, when the user chooses among several; "": no choice
}

// offer adds changes that may remove the finding. Only a change that was tried and removes it becomes advice.
func (f *Finding) offer(why aim, changes ...explain.Change) *Finding {
	for _, c := range changes {
		f.offers = append(f.offers, offer{Change: c, aim: why})
	}
	return f
}

// key identifies a finding.
type key struct {
	code          Kind
	subject, path string
	entry         string // of a variable's list, or the missing library
}

func (f *Finding) key() key {
	k := key{code: f.Code, subject: f.Subject, path: f.Path, entry: f.lacks()}
	if m, is := f.fact.(misled); is {
		k.entry = m.Place + m.Layer
	}
	return k
}

// settling is the trial of the offered changes.
type settling struct {
	record
	plan    *plan.Answer
	options Options
	linker  *binary.Linker
	gpus    []*GPU
}

// settle tries each offered change on the whole examination and keeps those that help. A finding that another finding's fix
// removes is a consequence of that finding. Advice with a known effect is tried likewise, and is dropped if it does not help.
func (e *settling) settle() {
	t := &trials{settling: e, before: map[key]diag.Severity{}, known: map[string]*outcome{}}
	for i := range e.Findings {
		k := e.Findings[i].key()
		t.before[k] = e.Findings[i].Severity
		if e.Findings[i].Severity == diag.Warning {
			t.before[key{code: k.code, subject: k.subject}] = diag.Warning
		}
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.keep || !t.offers(f) {
			t.advice(f)
		}
		f.offers = nil
	}
	e.consequences()
}

// trials are the tried changes of one machine.
type trials struct {
	*settling
	before map[key]diag.Severity
	known  map[string]*outcome // by the effect's name
}

// outcome is the result of a change.
type outcome struct {
	found    map[key]diag.Severity // the findings after the change; nil: unknown
	caused   map[key]diag.Severity // the findings that the change causes, or makes worse
	followed map[Kind]bool         // the codes of removed findings whose consequences are marked
}

// after examines the machine with a change.
func (t *trials) after(c effect) *outcome {
	if known := t.known[c.name()]; known != nil {
		return known
	}
	what := &outcome{followed: map[Kind]bool{}, caused: map[key]diag.Severity{}}
	if len(t.known) >= maxLooks {
		return what
	}
	options := t.options
	options.share = t.linker
	source, options, possible := c.on(t.source, &options)
	if !possible {
		return what
	}
	if again, err := look(source, options); err == nil {
		what.found = make(map[key]diag.Severity, len(again.Findings))
		for i := range again.Findings {
			f := &again.Findings[i]
			what.found[f.key()] = f.Severity
			k := f.key()
			if f.Severity == diag.Warning { // two drivers of one device have one warning, of either
				k = key{code: k.code, subject: k.subject}
			}
			if before, had := t.before[k]; !had || before < f.Severity {
				what.caused[f.key()] = f.Severity
			}
		}
	}
	t.known[c.name()] = what
	return what
}

// ends reports whether a change removes a finding and causes none of a severity. A device's examination stops at its first
// fault, so a change may reveal the device's next one. A change of one filter does not help while another filter excludes the
// same driver.
func (t *trials) ends(f *Finding, what *outcome, severity diag.Severity) bool {
	if what.found == nil {
		return false
	}
	for other, is := range what.caused {
		if is >= severity && (other.subject != f.Subject || !slices.Contains(ofHardware, f.Code)) {
			return false
		}
		if is == diag.Warning && other.subject == f.Subject && slices.Contains(filtered, f.Code) && slices.Contains(filtered, other.code) {
			return false
		}
	}
	_, still := what.found[f.key()]
	return !still
}

// offers tries a finding's offered changes and makes the first one that helps its advice: one without a new warning, if
// there is one, and never one with a new problem.
func (t *trials) offers(f *Finding) bool {
	for _, severity := range []diag.Severity{diag.Warning, diag.Problem} {
		if severity == diag.Problem && f.Severity == diag.Note {
			return false // a note is worth no warning
		}
		for i, c := range f.offers {
			what := t.after(changeEffect{c.Change})
			if !t.ends(f, what, severity) {
				continue
			}
			choice := []offer{c}
			for _, other := range f.offers[i+1:] {
				if c.result != "" && t.ends(f, t.after(changeEffect{other.Change}), severity) {
					choice = append(choice, other)
				}
			}
			f.advice = t.tried(choice...)
			if f.Severity != diag.Note && !what.followed[f.Code] {
				what.followed[f.Code] = true
				t.follow(f, what.found)
			}
			return true
		}
	}
	return false
}

// advice tries advice with a known effect and replaces it by words if it does not help.
func (t *trials) advice(f *Finding) {
	do, is := f.advice.(told)
	if !is || do.effect == nil {
		return
	}
	switch what := t.after(do.effect); {
	case what.found == nil:
		do.because, f.advice = outsideOnly, do
	case t.ends(f, what, diag.Problem):
	default:
		f.advice = nil
		if c, is := f.Code.(*Code); is {
			f.advice = advised(c.Do)
		}
	}
}

// followers lists the codes of findings that may be consequences.
var followers = []Kind{NoDriver, SoftwareOnly, GPUNoDriver, diag.DriverNone,
	diag.VariableIgnored, diag.FileOpen, LoaderMissing, LoaderOld, diag.DriverDisabled, diag.DriverNotSelected}

// filtered lists the codes of drivers that a filter variable excludes.
var filtered = []Kind{diag.DriverDisabled, diag.DriverNotSelected}

// ofHardware lists the codes of faults of a device or its kernel driver.
var ofHardware = []Kind{GPUNoKernelDriver, GPUOldKernelDriver, GPUNoNode, GPUPermission,
	GPUNouveau, GPUNoDriver, GPUNeedsNewer, GPUUnfinished, NvidiaVersion}

// ofLibraries lists the codes of faults of a library in a manifest.
var ofLibraries = []Kind{LibraryMissing, LibraryUnreadable, LibraryForeign, LibraryNeeds,
	LibraryVersion, LibrarySymbol, LibraryRuntime, LibraryTwice, DriverInterface}

// leftovers lists the codes of files that an earlier program left behind.
var leftovers = []Kind{LeftoverOverride, LeftoverSettings}

// follow marks the findings that disappear with a finding's fix as its consequences.
func (r *Report) follow(root *Finding, after map[key]diag.Severity) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if _, still := after[f.key()]; still || f == root || f.Because != nil {
			continue
		}
		if slices.Contains(followers, f.Code) && !slices.Contains(followers, root.Code) || f.lacksLayer() && root.lacksPlace() {
			f.Because = root.Code
		}
	}
}

// lacksLayer reports whether a variable names a layer that programs do not find.
func (f *Finding) lacksLayer() bool {
	m, is := f.fact.(misled)
	return is && (m.Kind == environment.NoLayer || m.Kind == environment.NoLayerMatches)
}

// lacksPlace reports whether a path variable leads to no manifest.
func (f *Finding) lacksPlace() bool {
	m, is := f.fact.(misled)
	return is && slices.Contains([]environment.Kind{environment.NoFile, environment.NoDirectory, environment.EmptyDirectory, environment.NoManifest}, m.Kind)
}

// consequences marks the consequences of problems that no change of a variable fixes: without a library there is no driver,
// without a driver no device.
func (e *settling) consequences() {
	e.underVersion()
	e.oneCause()
	searched, drivers := placesOf(e.plan), e.manifests(nil)
	root := slices.IndexFunc(e.Findings, func(f Finding) bool {
		return searched.lack(&f) || f.Severity == diag.Problem && f.Because == nil && !slices.Contains(followers, f.Code) &&
			(f.Path != "" && drivers[f.Path] != nil || slices.Contains(ofHardware, f.Code))
	})
	said, contradicted := map[key]bool{}, map[string]bool{} // the latter by layer name
	for i := range e.Findings {
		if about, is := e.Findings[i].fact.(misled); is && about.Kind == environment.OnAndOff {
			contradicted[about.Layer] = true
		}
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		switch {
		case f.Because != nil:
		case f.Code == diag.LayerDisabled || f.Code == diag.LayerForced:
			if contradicted[f.Subject] {
				f.Because = diag.VariableContradiction
			} else if said[f.key()] { // the decision reports it twice
				f.Because = f.Code
			}
			said[f.key()] = true
		case root >= 0 && (f.Code == NoDriver || f.Code == SoftwareOnly || f.Code == diag.DriverNone):
			f.Because = e.Findings[root].Code
		case f.Code == diag.DriverNone && e.has(NoDriver):
			f.Because = NoDriver
		case (f.Code == NoDriver || f.Code == SoftwareOnly) && e.has(GPUNoDriver):
			f.Because = GPUNoDriver
		}
	}
	e.underSettings()
	e.raise()
}

// underSettings marks the devices that a settings file leaves out as consequences of the finding about that file.
func (r *Report) underSettings() {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Code != GPULeftOut || f.Because != nil {
			continue
		}
		for n := range r.Findings {
			if o := &r.Findings[n]; o.Code == LeftoverSettings && o.Because == nil && strings.Contains(f.fact.say(), o.Path) {
				f.Because = o.Code
			}
		}
	}
}

// raise makes the cause of a problem a problem, too: a warning with a problem that follows from it is what programs suffer from.
// The lack of a driver that may not exist stays a warning.
func (r *Report) raise() {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Because == nil || f.Severity != diag.Problem {
			continue
		}
		if without := r.first(GPUNoDriver); f.Code == SoftwareOnly && f.Because == GPUNoDriver && without.Severity == diag.Warning {
			f.Severity = diag.Warning
			continue
		} else if f.Code == NoDriver && f.Because == GPUNoDriver && without.Severity == diag.Warning {
			f.Because = nil
			continue
		}
		at := slices.IndexFunc(r.Findings, func(o Finding) bool { return o.Code == f.Because && o.Because == nil && o.Severity == diag.Problem })
		for n := range r.Findings {
			if o := &r.Findings[n]; at < 0 && o.Code == f.Because && o.Because == nil && o.Severity == diag.Warning {
				o.Severity, at = diag.Problem, n
			}
		}
	}
}

// manifests maps manifest paths to drivers. With several drivers for a path, it takes the first for which the function which
// returns true; a nil function accepts all.
func (r *Report) manifests(which func(m *Module) bool) map[string]*Module {
	list := make(map[string]*Module, len(r.Drivers))
	for i := range r.Drivers {
		if m := &r.Drivers[i]; list[m.Manifest] == nil && (which == nil || which(m)) {
			list[m.Manifest] = m
		}
	}
	return list
}

// first returns the first finding with a code, and a note without one.
func (r *Report) first(code *Code) Finding {
	for i := range r.Findings {
		if r.Findings[i].Code == code {
			return r.Findings[i]
		}
	}
	return Finding{}
}

func (r *Report) has(code *Code) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == code && f.Because == nil })
}

// inShell reports whether the user makes a change in a container's shell: it changes a file, or it unsets exported variables
// and no variable that was set at the container's start.
func (h host) inShell(c *explain.Change) bool {
	exported, file := false, false
	for ; c != nil; c = c.And {
		switch _, set := h.machine.Lookup(c.Variable); {
		case c.Variable == "":
			file = true
		case !set:
		case !h.byShell(c.Variable):
			return false
		default:
			exported = true
		}
	}
	return exported || file
}

// tried returns the first of the changes that the user has the choice of, with the others and the place where the user makes it.
func (e *record) tried(choice ...offer) tried {
	o := choice[0]
	t := tried{Change: o.Change, aim: o.aim, kind: e.kind("steam", "flatpak", "docker", "podman", "kubernetes")}
	if inContainer(t.kind) && (e.inShell(&o.Change) || e.entered()) {
		t.kind = "" // files change as usual, and a shell can unset an exported variable
	}
	t.detail = e.detail(t.kind)
	if len(choice) > 1 {
		t.choice = choice
	}
	_, set := e.machine.Lookup(o.Variable)
	if u := e.unit(); t.kind == "" && u.Name != "" && o.File == "" {
		t.kind = "service"
		if places := e.setIn(&u, o.Variable); len(places) > 0 && set {
			t.at = places[0]
		}
		t.unit = u
	}
	if set && t.at.File == "" {
		t.at = e.setAt(o.Variable)
	}
	if (t.kind == "" || t.kind == "steam") && o.File == "" && set {
		t.sets = e.starterOf(t.at)
	}
	return t
}

// setAt returns the first line that sets a variable to its value; without a file: unknown.
func (e *record) setAt(variable string) FileLine {
	at, known := e.lines[variable]
	if known {
		return at
	}
	if places := SetIn(e.machine, variable); len(places) > 0 {
		at = places[0]
	} else {
		at = e.startedBy(e.ownHome(), variable)
	}
	e.lines[variable] = at
	return at
}

// lacks returns the library that a finding is about; "" for other findings.
func (f *Finding) lacks() string {
	switch what := f.fact.(type) {
	case absent:
		return what.file
	case nowhere:
		return what.name
	case unreadable:
		return what.file
	case needsUnusable:
		return what.name
	case hiding:
		return what.file
	case tooOld:
		return what.in + " " + what.version
	}
	return ""
}

// oneCause marks findings with the same cause as an earlier finding: one missing library of several drivers and layers is
// one problem, and an unreadable manifest explains a device without a driver.
func (e *settling) oneCause() {
	first := map[string]Kind{}
	for i := range e.Findings {
		f := &e.Findings[i]
		lacks := f.lacks()
		switch cause, said := first[lacks]; {
		case lacks == "" || f.Because != nil || f.Severity == diag.Note:
		case said:
			f.Because = cause
		default:
			first[lacks] = f.Code
		}
	}
	searched := placesOf(e.plan)
	for i := range e.Findings {
		f := &e.Findings[i]
		at := slices.IndexFunc(e.gpus, func(g *GPU) bool { return g.Name == f.device })
		if f.Code != GPUNoDriver || f.Because != nil || at < 0 {
			continue
		}
		for j := range e.Findings {
			if o := &e.Findings[j]; searched.lack(o) && mayServe(o.Path, e.gpus[at]) {
				f.Because = o.Code
				break
			}
		}
	}
}

// places are the search paths for driver manifests.
type places struct {
	files       map[string]bool
	directories []string // with a trailing slash
}

// placesOf returns the search paths of a decision.
func placesOf(answer *plan.Answer) *places {
	p := &places{files: map[string]bool{}}
	for _, l := range answer.Searched[search.Drivers].List {
		p.files[l.Path] = true
		if !l.File {
			p.directories = append(p.directories, strings.TrimRight(l.Path, "/")+"/")
		}
	}
	return p
}

// lack reports whether a problem keeps the search from a driver manifest: the manifest or its directory cannot be read.
func (p *places) lack(f *Finding) bool {
	if f.Severity != diag.Problem || f.Because != nil {
		return false
	}
	switch f.Code {
	case DirectoryUnreadable:
		return true
	case diag.FileOpen, diag.FileRead, diag.FileSyntax, diag.FileTop, diag.FileCost,
		diag.ManifestVersion, diag.DriverField, diag.DriverVariant:
	default:
		return false
	}
	return p.files[f.Path] || slices.ContainsFunc(p.directories, func(d string) bool { return strings.HasPrefix(f.Path, d) })
}

// mayServe reports whether a manifest's name allows it to belong to a driver for a device.
func mayServe(manifest string, g *GPU) bool {
	f := familyOf(manifest)
	return f == nil || f.WorksOn(g.Kernel) || f.Name == drivers.NVIDIA && g.Vendor == "0x10de"
}
