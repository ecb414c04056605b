package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/environment"
)

// causes are the causes of findings, as far as they are known.
type causes struct {
	list      []Finding
	because   []Kind       // by finding; nil: none
	confirmed map[int]bool // suspicions that a trial has confirmed
}

// setCauses sets the cause of each finding that follows from another one, and is the only function that does. A finding has its first cause.
func setCauses(list []Finding, rules ...func(*causes)) *causes {
	c := &causes{list, make([]Kind, len(list)), map[int]bool{}}
	for i := range list {
		c.because[i] = list[i].Because
	}
	for _, rule := range rules {
		rule(c)
	}
	for i := range list {
		list[i].Because = c.because[i]
	}
	return c
}

// set sets a finding's cause.
func (c *causes) set(at int, code Kind) {
	if c.because[at] == nil {
		c.because[at] = code
	}
}

// has reports whether there is a finding with a code that follows from no other finding.
func (c *causes) has(code *Code) bool {
	for i := range c.list {
		if c.list[i].Code == code && c.because[i] == nil {
			return true
		}
	}
	return false
}

// causes returns the rules about causes on Linux. A finding that another finding's fix removes is its consequence, and so are the consequences
// of problems that no change of a variable fixes.
func (e *exam) causes(removals []removal) []func(*causes) {
	searched := placesOf(e.Answer)
	rules := []func(*causes){e.underVariable, func(c *causes) {
		for _, r := range removals {
			c.follow(r)
		}
	}}
	if len(e.Sandboxes) > 0 {
		rules = append(rules, (*causes).underVersion)
	}
	return append(rules, (*causes).underLibrary, func(c *causes) { e.unreadManifests(c, searched) }, func(c *causes) { e.withoutDrivers(c, searched) }, (*causes).underSettings)
}

// underVariable marks the findings about a variable that go with the change of another one: further missing files of its list, and patterns
// without a match if the variable excludes every driver. An entry that may not be read follows from the finding about the permission.
func (e *exam) underVariable(c *causes) {
	first := map[string]diag.Severity{}
	for i := range c.list {
		f := &c.list[i]
		about, is := f.fact.(misled)
		severity, had := first[f.Subject]
		switch {
		case !is:
		case f.Code == diag.VariableAllOut:
			for o := range c.list {
				if c.list[o].Code == diag.VariableMatch && c.list[o].Subject == f.Subject {
					c.set(o, f.Code)
				}
			}
		case about.Kind == environment.NoFile && had && severity == f.usual:
			c.set(i, f.Code)
		case about.Kind == environment.NoFile:
			first[f.Subject] = f.usual
		case about.Kind == environment.NoAccess:
			part := e.closedPart(path.Clean(about.Place))
			for o := range each(c.list) {
				if o.Code == diag.FileOpen && o.Path == about.Place || o.Code == DirectoryUnreadable && o.Path == part {
					c.set(i, o.Code)
				}
			}
		}
	}
}

// follow marks the findings that disappear with a finding's fix as its consequences.
func (c *causes) follow(r removal) {
	root := &c.list[r.of]
	for i := range c.list {
		f := &c.list[i]
		if _, still := r.left[f.key()]; still || i == r.of {
			continue
		}
		if slices.Contains(followers, f.Code) && !slices.Contains(followers, root.Code) || f.lacksLayer() && root.lacksPlace() {
			c.set(i, root.Code)
		}
	}
}

// underVersion marks the faults of NVIDIA's libraries of a version that the sandbox gets no more as consequences of the version.
func (c *causes) underVersion() {
	for root := range each(c.list) {
		_, version, is := strings.Cut(path.Base(root.Path), ".so.")
		if root.Code != NvidiaVersion || !is {
			continue
		}
		for i := range c.list {
			if f := &c.list[i]; f.Subject == root.Subject && strings.HasSuffix(f.lacks(), ".so."+version) {
				c.set(i, NvidiaVersion)
			}
		}
	}
}

// underLibrary marks the findings about a library that an earlier finding lacks, too: one missing library of several drivers and layers is one
// problem.
func (c *causes) underLibrary() {
	first := map[string]Kind{}
	for i := range c.list {
		f := &c.list[i]
		lacks := f.lacks()
		switch cause, said := first[lacks]; {
		case lacks == "" || c.because[i] != nil || f.Severity == diag.Note:
		case said:
			c.set(i, cause)
		default:
			first[lacks] = f.Code
		}
	}
}

// unreadManifests marks devices without a driver as consequences of a manifest or directory that cannot be read.
func (e *exam) unreadManifests(c *causes, searched *places) {
	for i := range c.list {
		f := &c.list[i]
		at := slices.IndexFunc(e.gpus, func(g *GPU) bool { return g.Name == f.device })
		if f.Code != GPUNoDriver || at < 0 {
			continue
		}
		for o := range c.list {
			if c.because[o] == nil && searched.lack(&c.list[o]) && mayServe(c.list[o].Path, e.gpus[at]) {
				c.set(i, c.list[o].Code)
			}
		}
	}
}

// withoutDrivers marks the consequences of the lack of a driver: without a library there is no driver, without a driver no
// device. It also marks the two findings about a layer that one variable enables and another one disables.
func (e *exam) withoutDrivers(c *causes, searched *places) {
	drivers := e.manifests(nil)
	root, device := -1, -1 // device: the first one without a driver
	contradicted := map[string]bool{}
	for i := range c.list {
		f := &c.list[i]
		of := f.Path != "" && drivers[f.Path] != nil || slices.Contains(ofHardware, f.Code)
		if root < 0 && c.because[i] == nil && (searched.lack(f) || f.Severity == diag.Problem && !slices.Contains(followers, f.Code) && of) {
			root = i
		}
		if device < 0 && f.Code == GPUNoDriver {
			device = i
		}
		if about, is := f.fact.(misled); is && about.Kind == environment.OnAndOff {
			contradicted[about.Layer] = true
		}
	}
	said := map[key]bool{}
	for i := range c.list {
		f := &c.list[i]
		switch missing := f.Code == NoDriver || f.Code == SoftwareOnly; {
		case c.because[i] != nil:
		case f.Code == diag.LayerDisabled || f.Code == diag.LayerForced:
			if contradicted[f.Subject] {
				c.set(i, diag.VariableContradiction)
			} else if said[f.key()] { // the decision reports it twice
				c.set(i, f.Code)
			}
			said[f.key()] = true
		case root >= 0 && (missing || f.Code == diag.DriverNone):
			c.set(i, c.list[root].Code)
		case f.Code == diag.DriverNone && c.has(NoDriver):
			c.set(i, NoDriver)
		case missing && c.has(GPUNoDriver):
			c.set(i, GPUNoDriver)
		}
		if f.Code == NoDriver && f.Severity == diag.Problem && c.because[i] == GPUNoDriver && device >= 0 && c.list[device].Severity == diag.Warning {
			c.because[i] = nil // a driver for the device may not exist
		}
	}
}

// underSettings marks the devices that a settings file leaves out as consequences of the finding about that file.
func (c *causes) underSettings() {
	for i := range c.list {
		for o := range c.list {
			f, root := &c.list[i], &c.list[o]
			if f.Code == GPULeftOut && root.Code == LeftoverSettings && c.because[o] == nil && strings.Contains(f.fact.say(), root.Path) {
				c.set(i, root.Code)
			}
		}
	}
}

// trialCauses marks the failures in trials that earlier findings explain, and the further variables that hide devices with the first one. A
// failure confirms a suspicion about the library of its driver or layer.
func (e *evidence) trialCauses(c *causes) {
	first := true
	for i := range c.list {
		f := &c.list[i]
		if _, is := f.fact.(hides); is {
			if !first {
				c.set(i, VariableHides)
			}
			first = false
		}
		if !f.isFailure() {
			continue
		}
		if at := e.causeOf(f.Code, f.Path); at >= 0 {
			root := &c.list[at]
			c.set(i, root.Code)
			c.confirmed[at] = slices.Contains(fatal, root.Code) || slices.Contains(unloadable, root.Code) && root.exempt == notExempt
		} else if g := slices.IndexFunc(e.GPUs, func(g GPU) bool { return g.Name == f.device }); f.Code == DriverNoDevice && g >= 0 {
			if at := e.otherCause(&e.GPUs[g], f.Path); at >= 0 {
				c.set(i, c.list[at].Code)
			}
		}
	}
}

// isFailure reports whether a finding is a failure of a driver or layer in a trial.
func (f *Finding) isFailure() bool { return slices.Contains(failures, f.Code) }

// failures are the codes of failures in trials.
var failures = []Kind{DriverCrashes, DriverHangs, DriverFails, DriverExits, DriverNoDevice, LayerCrashes, LayerHangs, LayerFails, LayerExits}

// has reports whether there is a finding with a code that follows from no other finding.
func has(list []Finding, code *Code) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Code == code && f.Because == nil })
}

// causeOf returns the place of the finding that causes the failure of a driver or layer in a trial; -1: there is none.
func (r *Report) causeOf(code Kind, manifest string) int {
	if code == DriverFails {
		if root := slices.IndexFunc(r.Findings, func(f Finding) bool { return r.concerns(&f, manifest) && slices.Contains(unloadable, f.Code) }); root >= 0 {
			return root
		}
	}
	if code == DriverFails || code == DriverNoDevice {
		if known := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Path == manifest && slices.Contains(fatal, f.Code) }); known >= 0 {
			return known
		}
	}
	return slices.IndexFunc(r.Findings, func(f Finding) bool {
		_, hides := f.fact.(hiding)
		return hides && code != DriverNoDevice && f.Path == manifest
	})
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

// lack reports whether a finding is a problem that keeps the search from a driver manifest: the manifest or its directory cannot be read.
func (p *places) lack(f *Finding) bool {
	if f.Severity != diag.Problem {
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
	f := drivers.OfManifest(manifest)
	return f == nil || f.WorksOn(g.Kernel) || f.Name == drivers.NVIDIA && g.Vendor == "0x10de"
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

// lacks returns the library that a finding is about; "" for other findings.
func (f *Finding) lacks() string {
	switch what := f.fact.(type) {
	case lacking:
		return what.library
	case nowhere:
		return what.name
	case hiding:
		return what.file
	}
	return ""
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

// fatal lists the codes of static findings that may keep a driver from working.
var fatal = []Kind{DriverHeadless, LibraryRuntime}

// unloadable lists the codes of faults that keep the dynamic linker from loading a library.
var unloadable = []Kind{LibraryMissing, LibraryUnreadable, LibraryForeign, LibraryNeeds, LibraryVersion, LibrarySymbol}

// causesOfDevice are the codes of findings about a device that keep its driver from listing it.
var causesOfDevice = []Kind{GPUPermission, GPUNoNode, GPUNoKernelDriver, GPUOldKernelDriver, GPUNouveau, NvidiaVersion, GPUVirtual, GPUNeedsNewer, GPUUnfinished}

// causesOfDriver are the codes of findings about a driver's files that keep it from listing a device.
var causesOfDriver = []Kind{LibraryRuntime, LibraryNeeds, LibraryVersion, LibrarySymbol, DriverHeadless}

// otherCause returns the place of the finding that explains why a driver does not list a device; -1: there is none. Only then may the driver be
// older than the device.
func (r *Report) otherCause(g *GPU, manifest string) int {
	return slices.IndexFunc(r.Findings, func(f Finding) bool {
		return f.Code == SystemFiles || f.Code == SettingsHide ||
			slices.Contains(causesOfDevice, f.Code) && (f.device == g.Name || f.Code == NvidiaVersion && g.Kernel == "nvidia") ||
			slices.Contains(causesOfDriver, f.Code) && f.Path == manifest
	})
}

// unlisted marks the first driver of each device that none of its drivers lists, if all of them were tried.
func (e evidence) unlisted() evidence {
	e = e.next()
	for g := range each(e.GPUs) {
		serves := func(a alone) bool { return slices.Contains(g.Drivers, a.Manifest) }
		first := slices.IndexFunc(e.alone, serves)
		if first >= 0 && !ofHost(e.alone[first].Library) && !slices.ContainsFunc(e.alone, func(a alone) bool { return serves(a) && a.Result != ProbeNoDevice }) {
			e.alone[first].unlisted = g
		}
	}
	return e
}
