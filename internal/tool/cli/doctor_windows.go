package cli

import (
	"context"
	"errors"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/term"
)

// triable reports whether child processes can load the program's drivers and layers.
func triable(about *subject) bool { return about.process == nil }

// examine returns the doctor's report on the running system for a program. It stops unfinished trials at the end of the
// context.
func examine(ctx context.Context, s *invocation, about *subject, wanted examination) (*doctor.Report, error) {
	report, err := doctor.ExamineWindows(runningWindows(about.source, decideFor(about)))
	if err != nil {
		return nil, examineError(err)
	}
	if about.source.Elevated {
		report.System += ", for programs that run as administrator"
	}
	if about.process != nil {
		report = report.WithProcess(about.process.PID, about.process.Differences(report.Answer))
	}
	report, err = wanted.try(ctx, s, about, report)
	return report, examineError(err)
}

// fixError returns the reason for which values of the registry cannot be fixed.
func (d *doctoring) fixError(s *invocation, about *subject) error {
	switch {
	case d.App != "" || d.Load:
		return errors.New("--fix changes values for every program, and loads no driver: not with --app or --probe")
	case len(s.Env) > 0:
		return errors.New("--fix uses the variables of this process: not with --env")
	case fix.UndoFile(&about.source.Machine) == "":
		return exit.Unable("there is no place for the undo file: LOCALAPPDATA is not set")
	}
	return nil
}

// step returns the first change of a registry value which the caller may write and whose name has no control character;
// nil: none.
func (f *fixer) step(report *doctor.Report) (*step, error) {
	for i := range report.Findings {
		finding := &report.Findings[i]
		at, on, is := finding.RegistryChange()
		if !is || finding.Severity == diag.Note || finding.Because != nil || !at.Exportable() ||
			at.Hive != facts.CurrentUser && !elevatedHere() || !f.asks(finding.Commands[0]) {
			continue
		}
		what := term.Either(on, "switches on ", "deletes ")
		return &step{finding: finding, line: finding.Commands[0], files: []string{what + at.String()},
			do: func() (err error) {
				if err = fix.Change(&f.source.Machine, windows.Running{}, at, on); err == nil {
					f.source, err = f.invocation.source("", false)
				}
				return err
			}}, nil
	}
	return nil, nil
}

func registryOf() fix.Registry { return windows.Running{} }
