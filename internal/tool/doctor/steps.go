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
