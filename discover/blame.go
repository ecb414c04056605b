package discover

import (
	"context"
	"errors"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// blame finds the driver or layer that causes a crash or hang: the layer whose removal ends it, or the driver that causes it
// alone.
func blame(ctx context.Context, at probe.Companions, options *ProbeOptions, report *Report) error {
	answer, err := Decide(ctx, Local(), Program{Path: at.Child, Env: options.Env})
	if err != nil {
		if errors.Is(err, ErrNoDriver) {
			return nil
		}
		return err
	}
	bad := func(environ []string) (bool, error) {
		result, err := runProbe(ctx, at, environ, options.Limit)
		return err == nil && (result.Outcome == probe.Crashed || result.Outcome == probe.Hung), err
	}
	without := machine.WithVariable(options.Env, variables.LayersDisable.Name(), "~all~")
	still, err := bad(without)
	if err != nil {
		return err
	}
	if !still {
		return blameLayer(answer, bad, options.Env, report)
	}
	for _, d := range answer.Drivers {
		if !d.Used {
			continue
		}
		alone := machine.WithVariable(without, variables.DriverFiles.Name(), d.Manifest)
		alone = machine.WithVariable(alone, variables.ICDFilenames.Name(), d.Manifest) // loaders before 1.3.207
		switch is, err := bad(alone); {
		case err != nil:
			return err
		case is:
			report.Manifest, report.File = d.Manifest, d.Library
			return nil
		}
	}
	return nil
}

// blameLayer finds the layer whose removal ends the crash or hang.
func blameLayer(answer *Answer, bad func([]string) (bool, error), environ []string, report *Report) error {
	m := machine.Machine{Environ: environ}
	before, _ := m.Lookup(variables.LayersDisable.Name())
	if before != "" {
		before += ","
	}
	for _, l := range answer.Layers {
		if !l.Used || l.Meta {
			continue
		}
		switch is, err := bad(machine.WithVariable(environ, variables.LayersDisable.Name(), before+l.Name)); {
		case err != nil:
			return err
		case !is:
			report.Manifest, report.File = l.Manifest, l.Library
			return nil
		}
	}
	return nil
}
