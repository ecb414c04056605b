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

// maxLooks is how often a machine is looked at again to try fixes: each takes as long as the first look.
const maxLooks = 24

// offer is a change that may end what was found.
type offer struct {
	explain.Change
	aim aim
}

// offer adds changes that may end what was found. Only one that was tried, and that ends it, is told.
func (f *Finding) offer(why aim, changes ...explain.Change) *Finding {
	for _, c := range changes {
		f.offers = append(f.offers, offer{c, why})
	}
	return f
}

// key is what makes two findings the same one.
type key struct {
	code          Kind
	subject, path string
}

func (f *Finding) key() key { return key{f.Code, f.Subject, f.Path} }

// settling is the search for what helps.
type settling struct {
	record
	plan    *plan.Answer
	options Options
	linker  *binary.Linker
	gpus    []*GPU
}

// settle tries the changes that are offered, each on the whole examination, and tells those that help. What ends with
// another finding's fix follows from that one.
func (e *settling) settle() {
	looked := map[string]*outcome{} // by change
	before := map[key]bool{}
	for i := range e.Findings {
		before[e.Findings[i].key()] = e.Findings[i].Severity == diag.Problem
	}
	after := func(c explain.Change) *outcome {
		line := c.Line()
		if known := looked[line]; known != nil {
			return known
		}
		if !c.Possible() || !c.Obeyed(e.source) || len(looked) >= maxLooks {
			return &outcome{}
		}
		options := e.options
		if c.File == "" { // otherwise the file that goes may be known as a library
			options.share = e.linker
		}
		what := &outcome{followed: map[Kind]bool{}}
		if again, err := look(c.On(e.source), options); err == nil {
			what.found = make(map[key]bool, len(again.Findings))
			for i := range again.Findings {
				what.found[again.Findings[i].key()] = again.Findings[i].Severity == diag.Problem
			}
			what.worse = worse(before, what.found)
		}
		looked[line] = what
		return what
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		for _, c := range f.offers {
			what := after(c.Change)
			// A note says what to do for the sake of something else, such as time or power.
			if what.found == nil || f.Severity != diag.Note && what.worse {
				continue
			}
			if _, still := what.found[f.key()]; still {
				continue
			}
			f.advice = e.tried(c)
			if f.Severity != diag.Note && !what.followed[f.Code] {
				what.followed[f.Code] = true
				e.follow(f, what.found)
			}
			break
		}
		f.offers = nil
	}
	e.consequences()
}

// outcome is what a change leads to.
type outcome struct {
	found    map[key]bool  // the findings after it, and whether each is a problem; nil: not known
	worse    bool          // there is a problem that was none before
	followed map[Kind]bool // codes of findings that it ends, for which everything else that it ends was marked
}

// worse tells whether there is a problem that was none before.
func worse(before, after map[key]bool) bool {
	for key, problem := range after {
		if problem && !before[key] {
			return true
		}
	}
	return false
}

// followers are codes of what may follow from something else.
var followers = []Kind{NoDriver, SoftwareOnly, GPUNoDriver, diag.DriverNone,
	diag.VariableIgnored, diag.FileOpen, LoaderMissing, LoaderOld, diag.DriverDisabled, diag.DriverNotSelected}

// ofHardware are codes of what is wrong with a device itself, or with the kernel's side of it.
var ofHardware = []Kind{GPUNoKernelDriver, GPUOldKernelDriver, GPUNoNode, GPUPermission,
	GPUNouveau, GPUNoDriver, GPUNeedsNewer, NvidiaVersion}

// ofLibraries are codes of what is wrong with a library that a manifest names.
var ofLibraries = []Kind{LibraryMissing, LibraryUnreadable, LibraryForeign, LibraryNeeds,
	LibraryVersion, LibrarySymbol, LibraryRuntime, LibraryTwice, DriverInterface}

// leftovers are codes of what an earlier program has left behind.
var leftovers = []Kind{LeftoverOverride, LeftoverSettings}

// follow marks what is gone with a finding's fix as following from it.
func (r *Report) follow(root *Finding, after map[key]bool) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if _, still := after[f.key()]; !still && f != root && f.Because == nil && slices.Contains(followers, f.Code) &&
			!slices.Contains(followers, root.Code) {
			f.Because = root.Code
		}
	}
}

// consequences marks what follows from a problem that no change of a variable fixes: without a library there is no
// driver, without a driver no device.
func (e *settling) consequences() {
	e.oneCause()
	searched, drivers := placesOf(e.plan), e.manifests(nil)
	root := slices.IndexFunc(e.Findings, func(f Finding) bool {
		return searched.lack(&f) || f.Severity == diag.Problem && f.Because == nil && !slices.Contains(followers, f.Code) &&
			(f.Path != "" && drivers[f.Path] != nil || slices.Contains(ofHardware, f.Code))
	})
	said, contradicted := map[key]bool{}, map[string]bool{} // the latter by layer
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
			} else if said[f.key()] { // the decision comes to it twice
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
}

// manifests are the drivers by their manifests, the first of each among those that count; nil: all do.
func (r *Report) manifests(which func(m *Module) bool) map[string]*Module {
	list := make(map[string]*Module, len(r.Drivers))
	for i := range r.Drivers {
		if m := &r.Drivers[i]; list[m.Manifest] == nil && (which == nil || which(m)) {
			list[m.Manifest] = m
		}
	}
	return list
}

func (r *Report) has(code *Code) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == code && f.Because == nil })
}

// inShell tells whether a change is one for a container's shell: of a file, or of variables of which one was exported there
// and none was set when the container was started.
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

// tried is a change with the place where it has to be made.
func (e *record) tried(o offer) tried {
	t := tried{Change: o.Change, aim: o.aim, kind: e.kind("steam", "flatpak", "docker", "podman", "kubernetes")}
	if inContainer(t.kind) && e.inShell(&o.Change) {
		t.kind = "" // a file is changed as elsewhere, and where a variable was exported, it can be unset
	}
	t.detail = e.detail(t.kind)
	if !o.Set && o.Variable != "" {
		t.at = e.setAt(o.Variable)
	}
	return t
}

// setAt is the first line that gives a variable its value; of no file: not known.
func (e *record) setAt(variable string) Line {
	at, known := e.lines[variable]
	if known {
		return at
	}
	if places := SetIn(e.machine, variable); len(places) > 0 {
		at = places[0]
	}
	e.lines[variable] = at
	return at
}

// lacks is the library that a finding is about; "" for a finding about something else.
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
	case tooOld:
		return what.in + " " + what.version
	}
	return ""
}

// oneCause marks findings that are there because of one that is said already: a library that several drivers and layers
// lack is one problem, and a device has no driver because the driver's manifest cannot be read.
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

// places are where drivers' manifests are looked for.
type places struct {
	files       map[string]bool
	directories []string // each with a slash at its end
}

// placesOf are the places of a decision.
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

// lack tells whether a problem keeps the search from a driver: its manifest, or the directory of it, cannot be read.
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

// mayServe tells whether a manifest, by its name, may be that of a driver for a device.
func mayServe(manifest string, g *GPU) bool {
	f := familyOf(manifest)
	return f == nil || f.WorksOn(g.Kernel) || f.Name == drivers.NVIDIA && g.Vendor == "0x10de"
}
