package doctor

import (
	"context"
	"slices"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// Examine examines a machine through a source of facts and tries the changes that may fix its findings. It returns an error
// if the examination is impossible.
//
// Each step reads the results of earlier steps only:
//
//	newExam    the facts: the decision, the user, the sandboxes and the devices
//	apply      the rules: findings with their remedies
//	complete   the remedies that were tried on a copy of the facts and help, the causes, and the severities
//	otherSize  the programs of the other word size
//	worded     the order and texts of findings, and the verdict
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
	if o := e.Other; o != nil && e.someGood() && (len(o.Drivers) == 0 || o.first != "") {
		e.add(OtherWordSize, "32-bit programs", "", sentence(o.Line()+term.Enclosed("; ", o.first, "")), o.advice)
	}
	e.judge = verdict
	return e.finish(), nil
}

// examineSize returns the examination of one word size.
func examineSize(source *machine.Source, options Options) (*exam, error) {
	e, err := look(source, options) // the findings, with changes that may fix them
	if err != nil {
		return nil, err
	}
	e.engine().complete() // the changes that fix them, and the causes
	return e, nil
}

// Try loads a program's drivers and layers in child processes: each driver alone, and all drivers and layers together, side
// by side. If the combination fails, it tries smaller combinations until it finds the culprit. Children that still run at
// the end of the context are reported as not finished. It returns the report with the results, and an error if no trial is
// possible or a trial ends early.
func (r *Report) Try(ctx context.Context, how Tries) (*Report, error) {
	e, err := newEvidence(r), error(nil)
	for rule := range each(rules()) {
		if rule.trial != nil && err == nil {
			err = rule.trial(e, ctx, how)
		}
	}
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
	for _, a := range e.alone { // another driver works, and the device of this one is absent
		if a.Result == ProbeFails && e.hasWorkingDriver() && e.deviceAbsent(drivers.Of(a.of.Library)) {
			a.of.Harmless = true
		}
	}
	e.addSlowDrivers()
	if e.all != nil {
		err = t.together(ctx, e) // findings about the drivers and layers together
	}
	e.conclude()
	return err
}

// conclude sets the causes of the trials' findings, and the severities that follow.
func (e *evidence) conclude() {
	c := e.setCauses(confirm, hide(append(slices.Clip(trialLinks), whyUnlisted, hidesDevices)))
	weigh(e.Findings, e.exemptByTrial, func(at int) bool { return c.confirmed[at] })
}

// rule finds the findings with some codes, which no other rule makes. Each system has its function: it reads the facts that the system's
// examination has collected, and the findings of the rules before. A rule without function for a system finds nothing there.
type rule struct {
	codes   []Code
	linux   func(*exam)
	windows func(*windowsExam)
	macos   func(*macExam)
	files   bool                                          // the function for Windows reads files, which may not be there
	trial   func(*evidence, context.Context, Tries) error // after all others, if drivers and layers are loaded
}

// rules returns every rule, in the order in which they are applied. Two rules have no function: Examine compares the word sizes, and
// WithProcess a process with its program.
func rules() []rule {
	return []rule{
		{codes: []Code{RegistryStale, RegistryOff, RegistrySwitchedOff, RegistryUnread}, windows: (*windowsExam).registry},
		{codes: []Code{SDKRemoved}, macos: (*macExam).sdks},
		{codes: []Code{DriverPackage}, // with the decision's codes
			linux: (*exam).decisions, windows: (*windowsExam).decisions, macos: (*macExam).decisions},
		{codes: []Code{DirectoryUnreadable}, linux: (*exam).addClosedDirectories},
		{codes: []Code{LibraryMissing, LibraryUnreadable, LibraryForeign, LibraryNeeds, LibraryVersion, LibrarySymbol, LibraryShadowed,
			LibraryRuntime, LibraryTwice, LibraryQuarantined, DriverHeadless, DriverInterface, LayerInterface, LayerVariable},
			linux: (*exam).allLibraries, windows: (*windowsExam).libraries, macos: (*macExam).libraries, files: true},
		{codes: []Code{DriverCopies}, macos: (*macExam).copies},
		{codes: []Code{SystemFiles}, linux: (*exam).systemFiles},
		{codes: []Code{GPUNoKernelDriver, GPUOldKernelDriver, GPUNoNode, GPUPermission, GPUNouveau, GPUNoDriver, GPUDisplayOnly,
			GPUReserved, GPURemoved, GPUAsleep, GPULeftOut, GPUNoVulkan, GPUNeedsNewer, GPUUnfinished, GPUVirtual}, linux: (*exam).devices},
		{codes: []Code{NvidiaVersion}, linux: (*exam).nvidiaVersions},
		{codes: []Code{VariableHides, DriverCrashes, DriverHangs, DriverFails, DriverExits, DriverNoDevice, DriverSlow,
			DeviceNotConformant, LayerCrashes, LayerHangs, LayerFails, LayerExits, LayerLeftOut, LayerSlow,
			TogetherFails, SettingsHide, TrialRights, GPUMissing, DeviceWindowless},
			linux: (*exam).hiddenByLayer, trial: (*evidence).grow},
		{codes: []Code{DriverIdle}, linux: (*exam).idle},
		{codes: []Code{DeviceTwice}, linux: (*exam).rivals},
		{codes: []Code{NoDriver, NoDevice, SoftwareOnly},
			linux: (*exam).fallback, windows: (*windowsExam).addNoDriver, macos: (*macExam).addNoDriver, files: true},
		{codes: []Code{ServicePermission}, linux: (*exam).serviceUsers},
		{codes: []Code{ServiceDevices}, linux: (*exam).serviceDevices},
		{codes: []Code{ProgramNeeds}, linux: (*exam).programWants},
		{codes: []Code{LayerEverywhere}, windows: (*windowsExam).implicit, files: true},
		{codes: []Code{DriverTranslates}, windows: (*windowsExam).addLayered, files: true},
		{codes: []Code{LoaderMissing, LoaderBroken, LoaderOld, LoaderBundled, LoaderOther}, linux: (*exam).loaders},
		{codes: []Code{LoaderAbsent, LoaderDamaged, LoaderShadows}, windows: (*windowsExam).loaders, files: true},
		{codes: []Code{ViewLacksDriver, ViewLacksLayer}, windows: (*windowsExam).otherView},
		{codes: []Code{LeftoverOverride, LeftoverSettings, SettingsOwn, SettingsPath}, linux: (*exam).leftovers},
		{codes: []Code{ElevatedIgnores, ElevatedProgram}, linux: (*exam).elevation},
		{codes: []Code{ElevatedVariable, ElevatedUserKey}, windows: (*windowsExam).addElevatedFindings},
		{linux: (*exam).variables}, // with the decision's codes
		{codes: []Code{VariableDevice}, linux: (*exam).selections},
		{codes: []Code{LayerSettings}, linux: (*exam).layerSettings},
		{codes: []Code{VariableValue, VariableUnknown}, linux: (*exam).values},
		{codes: []Code{NotInstalled}, linux: (*exam).absence},
		{codes: []Code{LoaderIgnores}, linux: (*exam).addIgnored, windows: (*windowsExam).addIgnored},
		{codes: []Code{ProgramStatic}, linux: (*exam).static},
		{codes: []Code{OtherWordSize}},
		{codes: []Code{ProcessOldFile, ProcessDiffers}},
	}
}

// apply applies the rules to an examination of one system. find returns the function of a rule; nil: none.
func apply[Exam any](e Exam, find func(*rule) func(Exam)) {
	list := rules()
	for r := range each(list) {
		if f := find(r); f != nil {
			f(e)
		}
	}
}
