package doctor

import (
	"context"
	"slices"
	"time"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/settingsfile"
)

// orPolicy is advice about an overlay that harms programs which only compute, too: the compute policy was tried.
func orPolicy(first advice) advice {
	const command = "vkloader policy compute on"
	text, commands := first.say()
	return advised(text+"; for all programs that only compute: "+command, append(slices.Clone(commands), command)...)
}

// tryPolicy tries the compute policy when an overlay crashes or hangs: a program that shows nothing runs with all layers,
// without the policy and with it. Only when the policy makes the difference it is told.
func (r *Report) tryPolicy(ctx context.Context, at probe.Place, environ []string, a *alone, driver string, limit time.Duration) error {
	if a.Result != ProbeCrashes && a.Result != ProbeHangs || !plan.IsOverlay(a.layer) || r.source.Foreign() {
		return nil
	}
	text, err := r.withPolicy()
	if err != nil {
		return nil // another program's file: it is not changed
	}
	environ = machine.WithVariable(environ, variables.DriverFiles.Name(), driver)
	shadowed, remove, err := explain.ShadowSettings(environ, text)
	if err != nil {
		return nil // this system cannot try settings
	}
	defer remove()
	before, err := probe.Submit(ctx, at, environ, limit)
	if err != nil || before.Outcome == probe.Fine {
		return err
	}
	after, err := probe.Submit(ctx, at, shadowed, limit)
	if err != nil || after.Outcome != probe.Fine {
		return err
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Path == a.Manifest && (f.Code == LayerCrashes || f.Code == LayerHangs) {
			f.advice = orPolicy(f.advice)
		}
	}
	return nil
}

// withPolicy is the settings file in force with the compute policy on.
func (r *Report) withPolicy() (string, error) {
	found, err := settingsfile.Look(r.source)
	if err != nil {
		return "", err
	}
	f := found.InForce()
	if f != nil && !f.Ours {
		return "", settingsfile.NotOurs(f)
	}
	content, err := f.Decode()
	if err != nil {
		return "", err
	}
	settingsfile.For(content, nil, true)
	for _, object := range settingsfile.Objects(content) {
		object[settings.ComputeMember] = settings.NoOverlays.String()
	}
	text, err := settingsfile.Encode(content)
	return string(text), err
}
