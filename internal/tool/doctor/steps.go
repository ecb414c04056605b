package doctor

import (
	"context"
	"slices"

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
	e, err := examined(source, options)
	if err != nil {
		return nil, err
	}
	if e.Other, err = e.otherSize(); err != nil {
		return nil, err
	}
	if o := e.Other; o != nil && e.someGood() && (len(o.Drivers) == 0 || o.first != "") {
		e.found(OtherWordSize, "32-bit programs", "", sentence(o.Line()+term.Enclosed("; ", o.first, "")), o.advice)
	}
	e.judge = verdict
	return e.worded(), nil
}

// examined returns the examination of one word size.
func examined(source *machine.Source, options Options) (*exam, error) {
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
	e, err := evidence{Report: *r}, error(nil)
	for rule := range each(rules()) {
		if rule.trial != nil && err == nil {
			e, err = rule.trial(e, ctx, how)
		}
	}
	return e.worded(), err
}

// grown returns the evidence after all steps, or up to an error. Each step is a function from evidence to evidence.
func (e evidence) grown(ctx context.Context, how Tries) (evidence, error) {
	t, err := e.trying(how)
	if err != nil {
		return e, err
	}
	if t.elevated {
		return e.elevated(), nil
	}
	if e, err = t.ran(ctx, t.selected(e)); err != nil { // the results of child processes
		return e, err
	}
	if e, err = t.judged(ctx, e); err != nil { // the results of drivers
		return e, err
	}
	e = e.covered().unlisted().entered().weighed().absentDrivers().slowDrivers() // findings about drivers
	if e, err = t.lookups(ctx, e); err == nil && e.all != nil {
		e, err = t.together(ctx, e) // findings about the drivers and layers together
	}
	return e.concluded(), err
}

// concluded returns the evidence with the causes of the trials' findings, and the severities that follow.
func (e evidence) concluded() evidence {
	e = e.next()
	c := e.setCauses(confirm, hide(append(slices.Clip(trialLinks), whyUnlisted, hidesDevices)))
	weigh(e.Findings, e.exemptByTrial, func(at int) bool { return c.confirmed[at] })
	return e
}
