package doctor

import (
	"context"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
	"vkloader/internal/tool/term"
)

// Examine examines a machine through a source of facts and tries the changes that may fix its findings. It returns an
// error if the examination is impossible.
//
// Each step reads the results of earlier steps only:
//
//	newExam    the facts: the decision, the user, the sandboxes and the devices
//	rules      findings with their remedies
//	complete   the remedies that were tried on a copy of the facts and help, the causes, and the severities
//	otherSize  the programs of the other word size
//	finish     the order and texts of findings, and the verdict
//
// Try applies the rules that load drivers and layers.
func Examine(source *machine.Source, options Options) (*Report, error) {
	e, err := examineSize(source, options)
	if err != nil {
		return nil, err
	}
	if e.Other, err = e.otherSize(); err != nil {
		return nil, err
	}
	if o := e.Other; o != nil && e.someGood() && (o.Loader == nil || len(o.Drivers) == 0 || o.first != "") {
		e.add(OtherWordSize, "32-bit programs", "", sentence(o.Line()+term.Enclosed(". ", o.first, "")), o.advice)
	}
	e.HasSteam = slices.ContainsFunc(e.places("Steam"), e.machine.Exists)
	e.judge = verdict
	return e.finish(), nil
}

// examineSize returns the examination of one word size.
func examineSize(source *machine.Source, options Options) (*exam, error) {
	e, err := look(source, options) // the findings, with changes that may fix them
	if err != nil {
		return nil, err
	}
	// the changes that fix them, and the causes
	(&engine{report: e.Report, word: e.place, exempt: e.exempter}).complete()
	return e, nil
}

// Try loads a program's drivers and layers in child processes: each driver alone, and all drivers and layers together,
// side by side. If the combination fails, it tries smaller combinations until it finds the culprit. Children that still
// run at the end of the context are reported as not finished. It returns the report with the results, and an error if
// no trial is possible or a trial ends early.
func (r *Report) Try(ctx context.Context, how Tries) (*Report, error) {
	e := newEvidence(r)
	err := e.grow(ctx, how)
	return e.finish(), err
}

// grow adds the results of all trials, with their findings, or those up to an error.
func (e *evidence) grow(ctx context.Context, how Tries) error {
	t, err := e.trying(how)
	if err != nil {
		return err
	}
	if t.elevated {
		e.addElevated()
		return nil
	}
	t.selectDrivers(e)
	if err = t.runAll(ctx, e); err != nil { // the results of child processes
		return err
	}
	if err = t.judgeAll(ctx, e); err != nil { // the results of drivers
		return err
	}
	e.dropCovered()
	e.markUnlisted()
	for a := range each(e.alone) {
		e.addResult(a)
	}
	e.countDrivers()
	e.addSlowDrivers()
	if e.all != nil {
		err = t.together(ctx, e) // findings about the drivers and layers together
	}
	e.idleAgain()
	e.conclude()
	return err
}

// conclude sets the causes of the trials' findings, and the severities that follow.
func (e *evidence) conclude() {
	c := e.setCauses(confirm, hide(append(slices.Clip(trialLinks), whyUnlisted, hidesDevices)))
	weigh(e.Findings, e.exemptByTrial, func(at int) bool { return c.confirmed[at] })
}

// rules returns the rules of Linux, in the order in which they are applied. A rule makes the findings with some codes,
// which no other rule makes. It reads the facts that the examination has collected, and the findings of the rules
// before. Trials have further findings, Examine compares the word sizes, and WithProcess a process with its program.
func rules() []func(*exam) {
	return []func(*exam){(*exam).decisions, (*exam).addClosedDirectories, (*exam).libraries, (*exam).outdatedCache,
		(*exam).systemFiles, (*exam).devices, (*exam).nvidiaVersions, (*exam).hiddenByLayer, (*exam).idle,
		(*exam).rivals, (*exam).fallback, (*exam).serviceUsers, (*exam).serviceDevices, (*exam).programWants,
		(*exam).namedFiles, (*exam).findVulkan, (*exam).loaders, (*exam).leftovers, (*exam).elevation,
		(*exam).variables, (*exam).selections, (*exam).layerSettings, (*exam).values, (*exam).absence,
		(*exam).addIgnored, (*exam).static}
}

// Options select the program and the user of an examination.
type Options struct {
	User    string // the name or number of the user whose permissions count; "": the current user
	Library string // the tool's own loader, with symbolic links resolved; "": none

	Bundle StartFile // the launcher or the image of the program; the zero value: none

	Mapped string // the loader that a process has mapped; "": the one that the dynamic linker finds

	Groups []uint32 // the groups of a process, when User is its number; nil: those of /etc/group

	// the control groups of a process, as /proc/PID/cgroup lists them; "": those of the tool, unless a program is named
	ControlGroup string

	joined   []joined       // memberships that a fix in trial adds
	dropIns  []dropIn       // settings that a fix in trial adds to units
	share    *binary.Linker // from another examination of this machine
	packages *packages      // from the same examination as share
	known    loaders.Known  // the identified loaders of this machine
}

// host is a machine's files and variables.
type host struct{ machine *machine.Machine }

// exam is an examination of a machine as one program sees it, and the report about it.
type exam struct {
	*Report
	host
	source *machine.Source
	lines  map[string]settingLine // the lines that set variables, as far as known
	class  int                    // word size of the program
	linker *binary.Linker
	system distribution
	user   user

	judged         *decide.Standings // nil: not judged yet
	leftOutDrivers []keptOut         // excluded by a variable or the settings file, and work; nil: not known yet
	named          map[string]bool   // files that variables or settings name; nil: not read yet
}

// examOf returns an examination that completes a report.
func examOf(r *Report, source *machine.Source) *exam {
	return &exam{Report: r, host: host{&source.Machine}, source: source, lines: map[string]settingLine{}}
}

// setSystem sets the system on which packages are installed, for programs of a word size.
func (e *exam) setSystem(class int, known *packages) *exam {
	d := readDistribution(e.machine)
	narrow, _ := machines.Running(32)
	own, _ := machines.Own()
	architectures := e.machine.Whole("/var/lib/dpkg/arch")
	d.packages, d.class, d.narrow = known, class, narrow.Target
	d.kernel = pairValue("kernel", func(name string) bool { return name == own.Target })
	d.foreign = narrow.Target != "" && strings.Contains(architectures, narrow.Target)
	e.class, e.system = class, d
	return e
}

// look examines a machine without trying changes.
func look(source *machine.Source, options Options) (*exam, error) {
	e, err := newExam(source, options)
	if err != nil {
		return nil, err
	}
	for _, apply := range rules() {
		apply(e)
	}
	e.weigh()
	e.Findings = sortFindings(e.Findings)
	return e, nil
}

// decisions adds the findings of the decision.
func (e *exam) decisions() {
	e.Findings = slices.Grow(e.Findings, len(e.Answer.Diagnostics))
	for f := range each(e.Answer.Diagnostics) {
		if !isOrdinary(f) && !e.isCovered(f) {
			e.addDecision(f)
		}
	}
}

// newExam returns the beginning of an examination: the decision of the program's loader, the user and the sandboxes.
func newExam(source *machine.Source, options Options) (*exam, error) {
	source = source.Keeping()
	if options.packages == nil {
		options.packages = newPackages()
	}
	if options.known == nil {
		options.known = loaders.Known{}
	}
	class, report := source.Class, newReport("")
	if class == 0 {
		class = ProcessClass
	}
	if class != ProcessClass {
		report.Class = class
	}
	linker := binary.NewLinker(&source.Machine, binary.LinkerOptions{Class: class, Machine: binary.Processor(class),
		Elevated: source.Elevated, Program: source.Program, Share: options.share})
	source = report.decideFor(source, linker, &options)
	report.options = options
	var err error
	if report.Answer, err = explain.Decide(source); err != nil {
		return nil, err
	}
	e := examOf(report, source).setSystem(class, options.packages)
	e.linker, report.namedLayers = linker, namesOfLayers(linker.Text(source.Program))
	e.examineAfter = e.after
	e.System = e.system.name
	if e.user, err = e.findUser(options.User, options.Groups); err != nil {
		return nil, err
	}
	e.addGroups()
	e.sandboxes()
	e.system.within(e)
	e.GPUs = devicesOf(e.machine)
	return e, nil
}

// isCovered reports whether a finding of the decision belongs to "list" and "explain", or has a counterpart of the
// doctor.
func (e *exam) isCovered(f *diag.Diagnostic) bool {
	switch f.Code {
	case diag.LayerMissing:
		return f.Path == "" // a variable names it
	case diag.VariableIgnored: // two names with equal values serve every loader version
		return f.Subject == variables.ICDFilenames.Name() &&
			e.variable(f.Subject) == e.variable(variables.DriverFiles.Name())
	case diag.SettingsIgnored, diag.SettingsKeys:
		return f.Cause == diag.OtherPrograms // a file for other programs is no fault
	case diag.FileOpen:
		return e.source.Absent(f.Path) && e.isNamedFile(f.Path)
	}
	return f.Subject == manifest.OverrideName
}

// ProcessClass is the word size of the programs that the library is built for.
const ProcessClass = machine.OwnClass

// absence replaces the findings about missing drivers and loaders by one note when nothing on the machine needs Vulkan:
// there is no manifest, no variable names one, and no device expects a driver. A container and an examined program
// always need it.
func (e *exam) absence() {
	e.weigh()
	if e.source.Program != "" || len(e.Sandboxes)+len(e.Answer.Layers) > 0 || contains(e.GPUs, e.expects) ||
		len(e.Drivers) > 0 ||
		e.elsewhere(nil) != "" ||
		// it may have a manifest
		slices.ContainsFunc(e.Answer.Searched[search.Drivers].List, func(l search.Location) bool {
			return l.File || len(e.source.Directory(l.Path).Names) > 0 || e.closedAt(l.Path) != ""
		}) {
		return
	}
	// A package may have lost its driver manifest, or the manifest may be in a directory outside the search.
	if _, gone := e.missingManifest(e.usualDriver()); gone != "" ||
		contains(e.excludedDrivers(), func(k *keptOut) bool { return k.isUnsearched() }) {
		return
	}
	asked := false
	variables.Each(func(id variables.ID) {
		asked = asked || strings.HasPrefix(id.Name(), "VK_") && e.source.Var(id.Name(), id.Secure()).Value != ""
	})
	missing := []Kind{NoDriver, LoaderMissing, diag.DriverNone}
	if asked || contains(e.Findings, func(f *Finding) bool {
		return f.Severity == diag.Problem && !slices.Contains(missing, f.Code)
	}) {
		return
	}
	e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool { return slices.Contains(missing, f.Code) })
	var do *Remedy
	family := e.system.family()
	loader, software := packageOf(loaderName, family), packageOf(drivers.Of("libvulkan_lvp.so").Name, family)
	if loader != "" && software != "" {
		do = onlyCPU.before(e.system.choose(loader, software))
	}
	what := term.Either(len(e.Loaders) > 0, "no driver is installed", "neither a loader nor a driver is installed") +
		term.Either(len(e.GPUs) > 0, "", ", and no graphics device was found")
	e.add(NotInstalled, "Vulkan", "", sentence(what), do).missing = len(e.GPUs) == 0
}
