package cli

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// outcome has a program's drivers and layers with some settings, by the machine's files.
type outcome struct {
	drivers, layers []string
	device          bool // a driver is for a device of this machine, or may be
}

// outcomeFor decides for a program, or for all programs without settings of their own. planned is a dry run's file; nil: the files
// as they are.
func outcomeFor(m *machine.Machine, program string, planned *settings.Written) (*outcome, error) {
	source := &machine.Source{Machine: *m, Program: program}
	if planned != nil && planned.Gone {
		source.Without = []string{planned.Path}
	} else if planned != nil {
		source.Added = map[string]string{planned.Path: planned.Text}
	}
	answer, err := explain.Decide(source)
	if err != nil {
		return nil, err
	}
	return &outcome{
		drivers: term.Words(answer.Drivers, func(d *manifest.Driver) string { return machine.Style.Base(d.Path) }),
		layers:  term.Words(answer.Active, func(a plan.Active) string { return explain.LayerKey(answer.Layers[a.Layer]).Layer }),
		device:  decide.StandingsOf(source, nil, answer).AnyDevice(),
	}, nil
}

// tellOutcome prints the drivers and layers that a change of the settings gives to programs, as far as they differ from the earlier
// ones, and a warning if the change takes the last device.
func tellOutcome(s *invocation, m *machine.Machine, program string, before *outcome, planned *settings.Written) error {
	after, err := outcomeFor(m, program, planned)
	if err != nil {
		return err
	}
	gets := term.Either(program == "", "programs get", term.OneLine(program)+" gets")
	tell := func(kind string, before, after []string) {
		what := "no " + kind
		if len(after) > 0 {
			what = "the " + term.Either(len(after) == 1, kind, kind+"s") + " " + term.OneLine(strings.Join(after, ", "))
		}
		if !slices.Equal(before, after) {
			fmt.Fprintf(s.messages(), "vkloader: with these settings, %s %s\n", gets, what)
		}
	}
	tell("driver", before.drivers, after.drivers)
	tell("layer", before.layers, after.layers)
	if before.device && !after.device {
		fmt.Fprintf(s.messages(), "vkloader: warning: with these settings, %s no device: none of the drivers is for a device of this machine\n", gets)
	}
	return nil
}
