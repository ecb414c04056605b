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

// caused returns the findings with their causes. A finding that another finding's fix removes is its consequence, and so are
// the consequences of problems that no change of a variable fixes.
func (e *exam) caused(findings []Finding, removals []removal) []Finding {
	list := slices.Clone(findings)
	for _, r := range removals {
		followed(list, r)
	}
	if len(e.Sandboxes) > 0 {
		underVersion(list)
	}
	searched := placesOf(e.Answer)
	oneCause(list)
	e.unreadManifests(list, searched)
	e.withoutDrivers(list, searched)
	underSettings(list)
	raise(list)
	return list
}

// followed marks the findings that disappear with a finding's fix as its consequences.
func followed(list []Finding, r removal) {
	root := list[r.of]
	for i := range list {
		f := &list[i]
		if _, still := r.left[f.key()]; still || i == r.of || f.Because != nil {
			continue
		}
		if slices.Contains(followers, f.Code) && !slices.Contains(followers, root.Code) || f.lacksLayer() && root.lacksPlace() {
			f.Because = root.Code
		}
	}
}

// underVersion marks the faults of NVIDIA's libraries of a version that the sandbox gets no more as consequences of the version.
func underVersion(list []Finding) {
	for root := range each(list) {
		_, version, is := strings.Cut(path.Base(root.Path), ".so.")
		if root.Code != NvidiaVersion || !is {
			continue
		}
		for f := range each(list) {
			if f.Because == nil && f.Subject == root.Subject && strings.HasSuffix(f.lacks(), ".so."+version) {
				f.Because = NvidiaVersion
			}
		}
	}
}

// oneCause marks the findings about a library that an earlier finding lacks, too: one missing library of several drivers and
// layers is one problem.
func oneCause(list []Finding) {
	first := map[string]Kind{}
	for f := range each(list) {
		lacks := f.lacks()
		switch cause, said := first[lacks]; {
		case lacks == "" || f.Because != nil || f.Severity == diag.Note:
		case said:
			f.Because = cause
		default:
			first[lacks] = f.Code
		}
	}
}

// unreadManifests marks devices without a driver as consequences of a manifest or directory that cannot be read.
func (e *exam) unreadManifests(list []Finding, searched *places) {
	for f := range each(list) {
		at := slices.IndexFunc(e.gpus, func(g *GPU) bool { return g.Name == f.device })
		if f.Code != GPUNoDriver || f.Because != nil || at < 0 {
			continue
		}
		for o := range each(list) {
			if searched.lack(o) && mayServe(o.Path, e.gpus[at]) {
				f.Because = o.Code
				break
			}
		}
	}
}

// withoutDrivers marks the consequences of the lack of a driver: without a library there is no driver, without a driver no
// device. It also marks the two findings about a layer that one variable enables and another one disables.
func (e *exam) withoutDrivers(list []Finding, searched *places) {
	drivers := e.manifests(nil)
	root := slices.IndexFunc(list, func(f Finding) bool {
		return searched.lack(&f) || f.Severity == diag.Problem && f.Because == nil && !slices.Contains(followers, f.Code) &&
			(f.Path != "" && drivers[f.Path] != nil || slices.Contains(ofHardware, f.Code))
	})
	said, contradicted := map[key]bool{}, map[string]bool{} // the latter by layer name
	for i := range list {
		if about, is := list[i].fact.(misled); is && about.Kind == environment.OnAndOff {
			contradicted[about.Layer] = true
		}
	}
	for i := range list {
		f := &list[i]
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
			f.Because = list[root].Code
		case f.Code == diag.DriverNone && has(list, NoDriver):
			f.Because = NoDriver
		case (f.Code == NoDriver || f.Code == SoftwareOnly) && has(list, GPUNoDriver):
			f.Because = GPUNoDriver
		}
	}
}

// underSettings marks the devices that a settings file leaves out as consequences of the finding about that file.
func underSettings(list []Finding) {
	for f := range each(list) {
		if f.Code != GPULeftOut || f.Because != nil {
			continue
		}
		for o := range each(list) {
			if o.Code == LeftoverSettings && o.Because == nil && strings.Contains(f.fact.say(), o.Path) {
				f.Because = o.Code
			}
		}
	}
}

// raise makes the cause of a problem a problem, too: a warning with a problem that follows from it is what programs suffer from.
// The lack of a driver that may not exist stays a warning.
func raise(list []Finding) {
	for i := range list {
		f := &list[i]
		if f.Because == nil || f.Severity != diag.Problem {
			continue
		}
		if f.Because == GPUNoDriver && (f.Code == SoftwareOnly || f.Code == NoDriver) {
			if at := slices.IndexFunc(list, func(o Finding) bool { return o.Code == GPUNoDriver }); at >= 0 && list[at].Severity == diag.Warning {
				if f.Code == SoftwareOnly {
					f.Severity = diag.Warning
				} else {
					f.Because = nil
				}
				continue
			}
		}
		at := slices.IndexFunc(list, func(o Finding) bool { return o.Code == f.Because && o.Because == nil && o.Severity == diag.Problem })
		for n := range list {
			if o := &list[n]; at < 0 && o.Code == f.Because && o.Because == nil && o.Severity == diag.Warning {
				o.Severity, at = diag.Problem, n
			}
		}
	}
}

// has reports whether there is a finding with a code that follows from no other finding.
func has(list []Finding, code *Code) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Code == code && f.Because == nil })
}

// causeOf returns the place of the finding that causes the failure of a driver or layer in a trial; -1: there is none.
func (r *Report) causeOf(a *alone, code *Code) int {
	if code == DriverFails {
		if root := slices.IndexFunc(r.Findings, func(f Finding) bool { return r.concerns(&f, a.Manifest) && slices.Contains(unloadable, f.Code) }); root >= 0 {
			return root
		}
	}
	if code == DriverFails || code == DriverNoDevice {
		if known := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Path == a.Manifest && slices.Contains(fatal, f.Code) }); known >= 0 {
			return known
		}
	}
	return slices.IndexFunc(r.Findings, func(f Finding) bool {
		_, hides := f.fact.(hiding)
		return hides && code != DriverNoDevice && f.Path == a.Manifest
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

// otherCause returns the finding that explains why a driver does not list a device; nil if there is none. Only then may the
// driver be older than the device.
func (r *Report) otherCause(g *GPU, manifest string) *Finding {
	for f := range each(r.Findings) {
		switch {
		case f.Code == SystemFiles, f.Code == SettingsHide:
			return f
		case slices.Contains(causesOfDevice, f.Code) && (f.device == g.Name || f.Code == NvidiaVersion && g.Kernel == "nvidia"):
			return f
		case slices.Contains(causesOfDriver, f.Code) && f.Path == manifest:
			return f
		}
	}
	return nil
}

// unlisted adds a finding for each device that none of its drivers lists, if all of them were tried.
func (e evidence) unlisted() evidence {
	e = e.next()
	for g := range each(e.GPUs) {
		serves := func(a alone) bool { return slices.Contains(g.Drivers, a.Manifest) }
		first := slices.IndexFunc(e.alone, serves)
		if first < 0 || ofHost(e.alone[first].Library) || slices.ContainsFunc(e.alone, func(a alone) bool { return serves(a) && a.Result != ProbeNoDevice }) {
			continue
		}
		for f := range each(e.Findings) {
			if f.Code == DriverNoDevice && f.Path == e.alone[first].Manifest && f.Because == nil {
				f.device, f.fact = g.Name, said("it works, but does not list %s", g.Label)
				if cause := e.otherCause(g, f.Path); cause != nil {
					f.Because = cause.Code
				} else {
					f.Severity, f.advice = diag.Problem, e.newerDriver(&e.alone[first])
				}
			}
		}
	}
	return e
}
