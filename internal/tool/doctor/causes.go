package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// causes are the causes of a report's findings, as far as they are known.
type causes struct {
	of        *Report
	list      []Finding
	because   []Kind       // by finding; nil: none
	confirmed map[int]bool // suspicions that a trial has confirmed
}

// setCauses sets the cause of each finding that follows from another one, and is the only function that does. A
// finding has its first cause.
func (r *Report) setCauses(rules ...func(*causes)) *causes {
	c := &causes{r, r.Findings, make([]Kind, len(r.Findings)), map[int]bool{}}
	for i := range c.list {
		c.because[i] = c.list[i].Because
	}
	for _, rule := range rules {
		rule(c)
	}
	for i := range c.list {
		c.list[i].Because = c.because[i]
	}
	return c
}

// follow returns the rule about tried fixes: findings that disappear with another finding's fix are its consequences.
func follow(removals []removal) func(*causes) {
	return func(c *causes) {
		for _, r := range removals {
			root := &c.list[r.of]
			for i := range c.list {
				f := &c.list[i]
				_, still := r.left[f.key()]
				follows := slices.Contains(followers, f.Code) && !slices.Contains(followers, root.Code) ||
					(f.misleads(environment.NoLayer, environment.NoLayerMatches) || f.Code == LibraryForeign) &&
						root.misleads(noPlace...)
				if !still && i != r.of && follows && c.because[i] == nil {
					c.because[i] = root.Code
				}
			}
		}
	}
}

// link is a rule about causes: a finding with one of the codes to follows from the first finding with one of the codes
// from for which holds is true. Without codes, each finding is meant.
type link struct {
	from, to []Kind
	holds    func(c *causes, cause, effect int) bool
}

// hide returns the rule about causes of a list of links. An earlier link takes precedence.
func hide(links []link) func(*causes) {
	return func(c *causes) {
		for _, l := range links {
			for i := range c.list {
				if at := c.first(&l, i); at >= 0 && c.because[i] == nil {
					c.because[i] = c.list[at].Code
				}
			}
		}
	}
}

// first returns the place of the first finding that a link makes the cause of another one; -1: there is none.
func (c *causes) first(l *link, effect int) int {
	if l.to != nil && !slices.Contains(l.to, c.list[effect].Code) {
		return -1
	}
	for at := range c.list {
		if at != effect && (l.from == nil || slices.Contains(l.from, c.list[at].Code)) && l.holds(c, at, effect) {
			return at
		}
	}
	return -1
}

// sameSubject and samePath say that a cause is about the same as its effect.
func sameSubject(c *causes, cause, effect int) bool {
	return c.list[cause].Subject == c.list[effect].Subject
}
func samePath(c *causes, cause, effect int) bool { return c.list[cause].Path == c.list[effect].Path }

// sameDriver says that the cause is the same fault of the same library, which a second manifest of the same name names.
func sameDriver(c *causes, cause, effect int) bool {
	first, f := &c.list[cause], &c.list[effect]
	a, b := c.of.driverAt(first.Path), c.of.driverAt(f.Path)
	return cause < effect && first.Code == f.Code && first.Subject == f.Subject && a != nil && b != nil && a != b &&
		a.File != "" && a.File == b.File && first.fact.say() == f.fact.say()
}

// isRoot reports whether a cause follows from no other finding.
func isRoot(c *causes, cause, _ int) bool { return c.because[cause] == nil }

// variableLinks are the links between findings about variables.
var variableLinks = []link{
	{[]Kind{diag.VariableAllOut}, []Kind{diag.VariableMatch}, sameSubject},
	{nil, nil, func(c *causes, cause, effect int) bool { // further missing files of one list
		first, f := &c.list[cause], &c.list[effect]
		return cause < effect && first.misleads(environment.NoFile) && f.misleads(environment.NoFile) &&
			first.Subject == f.Subject && first.usual == f.usual
	}},
	// an entry that may not be read
	{[]Kind{diag.FileOpen, DirectoryUnreadable}, nil, func(c *causes, cause, effect int) bool {
		about, is := c.list[effect].fact.(misled)
		is = is && about.Kind == environment.NoAccess
		return is && c.list[cause].Path == term.Either(c.list[cause].Code == diag.FileOpen, about.Place, about.closed)
	}},
}

// driverLinks are the links between findings about files and devices. A library that several drivers lack is one
// problem; without a library there is no driver, without a driver no device.
var driverLinks = []link{
	// a sandbox gets the libraries of a version no more
	{[]Kind{NvidiaVersion}, nil, func(c *causes, cause, effect int) bool {
		_, version, is := strings.Cut(path.Base(c.list[cause].Path), ".so.")
		return is && len(c.of.Sandboxes) > 0 && sameSubject(c, cause, effect) &&
			strings.HasSuffix(c.list[effect].lacks(), ".so."+version)
	}},
	{[]Kind{LoaderBroken}, nil, func(c *causes, cause, effect int) bool { // the program's old library
		file, f := c.list[cause].lacks(), &c.list[effect]
		return file != "" &&
			(strings.HasPrefix(f.lacks()+" ", file+" ") || f.Code == NoDriver || f.Code == SoftwareOnly)
	}},
	{nil, nil, func(c *causes, cause, effect int) bool { // one missing library
		first, f := &c.list[cause], &c.list[effect]
		earlier := cause < effect
		if c.of.isSoftware(first.Path) != c.of.isSoftware(f.Path) {
			earlier = c.of.isSoftware(f.Path)
		}
		return earlier && f.lacks() != "" && first.lacks() == f.lacks() && c.because[cause] == nil &&
			first.Severity != diag.Note && f.Severity != diag.Note
	}},
	{[]Kind{DriverHeadless}, nil, sameDriver},
	// further libraries of the program, with one step
	{[]Kind{LibraryShadowed}, []Kind{LibraryShadowed}, func(c *causes, cause, effect int) bool {
		return cause < effect && samePath(c, cause, effect) && isRoot(c, cause, effect)
	}},
	{nil, []Kind{GPUNoDriver}, func(c *causes, cause, effect int) bool { // a manifest that cannot be read
		g, f := c.of.gpuOf(&c.list[effect]), drivers.OfManifest(c.list[cause].Path)
		return g != nil && c.lacksDriver(cause) &&
			(f == nil || f.WorksOn(g.Kernel) || f.Name == drivers.NVIDIA && g.Vendor == "0x10de")
	}},
	{[]Kind{diag.VariableContradiction}, []Kind{diag.LayerDisabled, diag.LayerForced},
		func(c *causes, cause, effect int) bool {
			about, is := c.list[cause].fact.(misled)
			return is && about.Kind == environment.OnAndOff && about.Layer == c.list[effect].Subject
		}},
	// the decision reports it twice
	{nil, []Kind{diag.LayerDisabled, diag.LayerForced}, func(c *causes, cause, effect int) bool {
		return cause < effect && c.list[cause].key() == c.list[effect].key()
	}},
	{nil, []Kind{NoDriver, SoftwareOnly, diag.DriverNone}, func(c *causes, cause, effect int) bool {
		f := &c.list[cause]
		about := f.Path != "" && c.of.driverAt(f.Path) != nil || slices.Contains(ofHardware, f.Code)
		return c.lacksDriver(cause) || c.because[cause] == nil && f.Severity == diag.Problem &&
			!slices.Contains(followers, f.Code) && about
	}},
	{[]Kind{GPUPermission}, []Kind{ServicePermission}, func(c *causes, cause, effect int) bool { // of one user
		return samePath(c, cause, effect) && c.list[cause].fact.say() == c.list[effect].fact.say()
	}},
	{[]Kind{LoaderMissing}, []Kind{GPUNoDriver, NoDriver}, func(c *causes, cause, effect int) bool {
		return path.Base(c.list[cause].Path) == loaderName // a store's loader has the drivers' directory built in
	}},
	{[]Kind{NoDriver}, []Kind{diag.DriverNone}, isRoot},
	{[]Kind{GPUNoDriver}, []Kind{NoDriver, SoftwareOnly}, isRoot},
	{[]Kind{GPUVirtual, GPUNoVulkan}, []Kind{SoftwareOnly}, isRoot},
	{[]Kind{LeftoverSettings}, []Kind{GPULeftOut}, func(c *causes, cause, effect int) bool {
		return c.because[cause] == nil && strings.Contains(c.list[effect].fact.say(), c.list[cause].Path)
	}},
}

// certain removes a cause that is none: a driver for a device may not exist, and the lack of every driver is a problem.
func certain(c *causes) {
	device := slices.IndexFunc(c.list, func(f Finding) bool { return f.Code == GPUNoDriver })
	for i := range c.list {
		if c.list[i].Code == NoDriver && c.because[i] == GPUNoDriver && device >= 0 &&
			c.list[device].Severity == diag.Warning {
			c.because[i] = nil
		}
	}
}

// trialLinks are the links from findings about files and devices to the failures in trials.
var trialLinks = []link{
	{unloadable, []Kind{DriverFails},
		func(c *causes, cause, effect int) bool { return c.of.concerns(&c.list[cause], c.list[effect].Path) }},
	{fatal, []Kind{DriverFails, DriverNoDevice}, samePath},
	{failures, failures, sameDriver},
	// each device that the driver may serve has an obstacle
	{causesOfDevice, []Kind{DriverFails, DriverNoDevice}, func(c *causes, cause, effect int) bool {
		d := c.of.driverAt(c.list[effect].Path)
		serves := func(g *GPU) bool {
			return d != nil && d.family() != nil &&
				(d.family().MayServe(g.Kernel, g.Vendor) || d.family().Made(g.Vendor))
		}
		return contains(c.of.GPUs, func(g *GPU) bool { return serves(g) && c.list[cause].obstructs(g) }) &&
			!contains(c.of.GPUs, func(g *GPU) bool {
				return serves(g) && !contains(c.list, func(f *Finding) bool { return f.obstructs(g) })
			})
	}},
	{[]Kind{LayerCrashes, LayerFails, LayerExits}, []Kind{LibrarySymbol}, samePath}, // the layer's finding says it
	// a layer that draws with one device and shows with another (felixdoerre/primus_vk issue 34)
	{ofHardware, []Kind{LayerFails, LayerCrashes}, func(c *causes, cause, effect int) bool {
		return isNamed(c.list[effect].Subject, "layer-of-two-devices") && c.list[cause].Severity != diag.Note
	}},
	{[]Kind{LibraryTwice}, []Kind{LayerCrashes, LayerHangs, LayerFails, LayerExits},
		func(c *causes, cause, effect int) bool {
			first, second := c.of.layerAt(c.list[cause].Path), c.of.layerAt(c.list[effect].Path)
			what, is := c.list[effect].fact.(misbehaved)
			return is && what.with != "" && first != nil && second != nil && first.File == second.File
		}},
	{[]Kind{LibraryShadowed},
		slices.DeleteFunc(slices.Clone(failures), func(k Kind) bool { return k == DriverNoDevice }), samePath},
}

// whyUnlisted is the link from the findings that explain why a driver does not list a device. Only without one may the
// driver be older than the device.
var whyUnlisted = link{nil, []Kind{DriverNoDevice}, func(c *causes, cause, effect int) bool {
	root, f := &c.list[cause], &c.list[effect]
	g := c.of.gpuOf(f)
	return g != nil && (root.Code == SystemFiles || root.Code == SettingsHide || root.obstructs(g) ||
		samePath(c, cause, effect) && slices.Contains([]Kind{LibraryRuntime, LibraryNeeds, LibraryVersion,
			LibrarySymbol, DriverHeadless}, root.Code))
}}

// causeOf returns the place of the finding that causes a failure in a trial; -1: there is none.
func (r *Report) causeOf(failure Finding, links ...link) int {
	c := &causes{of: r, list: append(slices.Clip(r.Findings), failure)}
	for _, l := range links {
		if at := c.first(&l, len(c.list)-1); at >= 0 {
			return at
		}
	}
	return -1
}

// confirm marks the suspicions about the library of a driver or layer that a failure confirms.
func confirm(c *causes) {
	for i := range c.list {
		for _, l := range trialLinks {
			if at := c.first(&l, i); at >= 0 {
				root := &c.list[at]
				c.confirmed[at] = slices.Contains(fatal, root.Code) || root.Code == LibraryTwice ||
					slices.Contains(unloadable, root.Code) && root.exempt == notExempt
				break
			}
		}
	}
}

// hidesDevices marks the further variables that hide devices with the first one, or with the program's library.
var hidesDevices = link{[]Kind{VariableHides, LibraryShadowed}, []Kind{VariableHides},
	func(c *causes, cause, effect int) bool {
		_, first := c.list[cause].fact.(hides)
		// a trial without the linker's variables has no library of the program, either
		if c.list[cause].Code == LibraryShadowed {
			first = strings.HasPrefix(c.list[effect].Subject, "LD_")
		}
		_, further := c.list[effect].fact.(hides)
		return cause < effect && first && further
	}}

// gpuOf returns the device that a finding affects; nil: none.
func (r *Report) gpuOf(f *Finding) *GPU {
	return find(r.GPUs, func(g *GPU) bool { return g.Name == f.device })
}

// failures are the codes of failures in trials.
var failures = []Kind{DriverCrashes, DriverHangs, DriverFails, DriverExits, DriverNoDevice, LayerCrashes, LayerHangs,
	LayerFails, LayerExits}

// has reports whether there is a finding with a code that follows from no other finding.
func has(list []Finding, code Code) bool {
	return contains(list, func(f *Finding) bool { return f.Code == code && f.Because == nil })
}

// lacksDriver reports whether a finding is a problem that keeps the search from a driver manifest, and that no other
// finding causes: the manifest or its directory cannot be read.
func (c *causes) lacksDriver(at int) bool {
	f := &c.list[at]
	switch {
	case f.Severity != diag.Problem || c.because[at] != nil:
		return false
	case f.Code == DirectoryUnreadable:
		return true
	}
	return slices.Contains(ofManifest, f.Code) &&
		slices.ContainsFunc(c.of.Answer.Searched[search.Drivers].List, func(l search.Location) bool {
			return l.Path == f.Path || !l.File && strings.HasPrefix(f.Path, strings.TrimRight(l.Path, "/")+"/")
		})
}

// ofManifest lists the codes of faults of a manifest.
var ofManifest = []Kind{diag.FileOpen, diag.FileRead, diag.FileSyntax, diag.FileTop, diag.FileCost,
	diag.ManifestVersion, diag.DriverField, diag.DriverVariant}

// misleads reports whether a finding is about a variable with a fault of one of the kinds.
func (f *Finding) misleads(kinds ...environment.Kind) bool {
	m, is := f.fact.(misled)
	return is && slices.Contains(kinds, m.Kind)
}

// noPlace are the faults of a path variable that leads to no manifest.
var noPlace = []environment.Kind{environment.NoFile, environment.NoDirectory, environment.EmptyDirectory,
	environment.NoManifest}

// lacks returns the library that a finding is about; "" for other findings.
func (f *Finding) lacks() string {
	switch what := f.fact.(type) {
	case lacking:
		return what.library
	case nowhere:
		return what.name
	}
	return ""
}

// followers lists the codes of findings that may be consequences.
var followers = []Kind{NoDriver, SoftwareOnly, GPUNoDriver, diag.DriverNone,
	diag.VariableIgnored, diag.FileOpen, LoaderMissing, LoaderOld, diag.DriverDisabled, diag.DriverNotSelected}

// filtered lists the codes of drivers that a filter variable excludes.
var filtered = []Kind{diag.DriverDisabled, diag.DriverNotSelected}

// ofHardware lists the codes of faults of a device or its kernel driver.
var ofHardware = append(slices.Clip(causesOfDevice), GPUNoDriver)

// ofLibraries lists the codes of faults of a library in a manifest.
var ofLibraries = append(slices.Clip(unloadable), LibraryRuntime, LibraryTwice)

// fatal lists the codes of static findings that may keep a driver from working.
var fatal = []Kind{DriverHeadless, LibraryRuntime}

// unloadable lists the codes of faults that keep the loader from using a library.
var unloadable = []Kind{LibraryMissing, LibraryUnreadable, LibraryForeign, LibraryNeeds, LibraryVersion, LibrarySymbol,
	DriverInterface}

// causesOfDevice are the codes of findings about a device that keep its driver from listing it.
var causesOfDevice = []Kind{GPUPermission, GPUNoNode, GPUNoKernelDriver, GPUOldKernelDriver, GPUNouveau,
	NvidiaVersion, GPUVirtual, GPUNeedsNewer, GPUUnfinished, GPUNoVulkan}

// obstructs reports whether a finding about a device keeps its driver from listing it.
func (f *Finding) obstructs(g *GPU) bool {
	return slices.Contains(causesOfDevice, f.Code) &&
		(f.device == g.Name || f.Code == NvidiaVersion && g.Kernel == "nvidia")
}

// markUnlisted marks the first driver of each device that none of its drivers lists, if all of them were tried.
func (e *evidence) markUnlisted() {
	for g := range each(e.GPUs) {
		serves := func(a *alone) bool { return slices.Contains(g.Drivers, a.Manifest) }
		first := find(e.alone, serves)
		if first != nil && !contains(e.alone, func(a *alone) bool { return serves(a) && a.Result != ProbeNoDevice }) {
			first.unlisted = g
		}
	}
}

// loss is the known damage to a program by the subject of a finding.
type loss uint8

const (
	usual      loss = iota // as the code says
	nothing                // a note
	little                 // a warning, or less
	something              // a warning
	everything             // a problem
)

// severity returns the severity of a finding with a loss, whose code has a usual severity.
func (l loss) severity(of diag.Severity) diag.Severity {
	switch l {
	case nothing:
		return diag.Note
	case little:
		return min(of, diag.Warning)
	case something:
		return diag.Warning
	case everything:
		return diag.Problem
	case usual:
	}
	return of
}

// exemption is the reason why a fault costs programs nothing.
type exemption uint8

const (
	notExempt     exemption = iota
	absentDevice            // it is for devices that this machine does not have
	beside                  // programs have the same one for their word size
	otherPrograms           // it is for programs of the other word size, and a driver for these programs works
	otherDevices            // programs get a device, and perhaps not every one
	listedDevice            // the trial lists the device all the same
)

// exemptAdvice is the advice for findings that cost nothing.
var exemptAdvice = [...]*Remedy{absentDevice: doNothing,
	beside: newAdvice("Nothing: programs have a driver or layer for their word size. " +
		"With library_arch in the manifest, the loader would skip this one without a message."), otherPrograms: nil,
	otherDevices: nil, listedDevice: doNothing}

// weigh sets the severity of each finding, and is the only function that does: what its making knows, unless its fault
// costs nothing here. confirmed reports whether a trial has confirmed a finding. A cause of a problem is a problem,
// too: it is the fault behind the damage to programs. The lack of a driver that may not exist stays a warning, and so
// do its consequences.
func weigh(list []Finding, exempt func(*Finding) exemption, confirmed func(at int) bool) {
	severities := make([]diag.Severity, len(list))
	for i := range list {
		f := &list[i]
		f.exempt = exempt(f)
		switch {
		case f.exempt != notExempt: // a note
		case confirmed(i):
			severities[i] = diag.Problem
		default:
			severities[i] = f.usual
		}
	}
	root := func(code Kind, severity diag.Severity) int { // of no other finding
		for i := range list {
			if list[i].Code == code && list[i].Because == nil && severities[i] == severity {
				return i
			}
		}
		return -1
	}
	for i := range list {
		f := &list[i]
		if f.Because == nil || severities[i] != diag.Problem || slices.Contains(failures, f.Code) {
			continue
		}
		if first := slices.IndexFunc(list,
			func(o Finding) bool { return o.Code == GPUNoDriver }); f.Code == SoftwareOnly &&
			f.Because == GPUNoDriver && first >= 0 && severities[first] == diag.Warning {
			severities[i] = diag.Warning
		} else if at := root(f.Because, diag.Warning); at >= 0 && root(f.Because, diag.Problem) < 0 {
			severities[at] = diag.Problem
		}
	}
	for i := range list {
		list[i].Severity = severities[i]
	}
}

// weigh sets the severities of the findings so far.
func (e *exam) weigh() { weigh(e.Findings, e.exempter(), func(int) bool { return false }) }

// exempter returns the function that decides whether a finding costs programs nothing, by the drivers, layers and
// devices.
func (e *exam) exempter() func(*Finding) exemption {
	served := contains(e.GPUs, func(g *GPU) bool { return len(g.Drivers) > 0 && len(g.Nodes) > 0 })
	told := e.someGood() || contains(e.Findings, func(f *Finding) bool { return f.Code == GPUNoDriver })
	return func(f *Finding) exemption {
		ofLibrary := slices.Contains(ofLibraries, f.Code)
		switch d := e.driverAt(f.Path); {
		case f.Code == LibraryForeign && e.hasOwnSize(f):
			return beside
		case ofLibrary && d != nil && (d.Harmless && d.Fault != standing.FaultForeign || e.deviceAbsent(d.family())),
			ofLibrary &&
				slices.ContainsFunc(e.Answer.Layers, func(l *manifest.Layer) bool {
					// it comes with a driver of absent devices
					return f.Path == l.Manifest && f.Subject == l.Name && e.deviceAbsent(drivers.Of(l.Library))
				}),
			slices.Contains(fatal, f.Code) && served && d != nil && e.deviceAbsent(d.family()):
			return absentDevice
		case f.Code == LibraryForeign && e.class != ProcessClass && told && e.driverAt(f.Path) != nil:
			return otherPrograms
		}
		return notExempt
	}
}

// driverAt returns the driver with a manifest; nil: none.
func (r *Report) driverAt(manifest string) *Entry {
	return find(r.Drivers, func(m *Entry) bool { return m.Manifest == manifest })
}

// isSoftware reports whether a manifest is that of a software renderer.
func (r *Report) isSoftware(manifest string) bool {
	d := r.driverAt(manifest)
	return d != nil && d.family().Software()
}

// layerAt returns the first layer with a manifest; nil: none.
func (r *Report) layerAt(manifest string) *Entry {
	return find(r.Layers, func(m *Entry) bool { return m.Manifest == manifest })
}

// hasOwnSize reports whether the library of a driver or layer for other programs exists for these programs, too, used
// or excluded. A driver has a library of the same name except for the word size, usually in another directory. A layer
// has the same name except for the word size, as with Steam and overlays.
func (e *exam) hasOwnSize(f *Finding) bool {
	stem := func(library string) string {
		name, _, _ := strings.Cut(search.BaseName(library), ".so")
		return sizeless(name)
	}
	if d := e.driverAt(f.Path); d != nil {
		return contains(e.Drivers, func(m *Entry) bool { return m.Good && stem(m.Library) == stem(d.Library) }) ||
			contains(e.excludedDrivers(), func(k *keptOut) bool { return stem(k.driver.Library) == stem(d.Library) })
	}
	return contains(e.Layers, func(m *Entry) bool {
		return m.Good && sizeless(m.Name) == sizeless(f.Subject)
	})
}
