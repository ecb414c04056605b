package cli

import (
	"context"
	"errors"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/term"
)

const fixPlace = "the registry" // doctor --fix changes it

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
	if wanted.how == filesOnly {
		return report, nil
	}
	found, err := probe.Find(s.executable, "")
	if err == nil {
		report, err = report.Try(ctx, wanted.tries(found, about))
		err = allowUntried(s, wanted, err)
	}
	return report, examineError(err)
}

// ownValues fixes registry values.
type ownValues struct {
	*invocation
	machine machine.Machine
	*doctoring
	all bool // values of all users may be written
}

// fixHere does each tried and accepted step that changes a registry value which the caller may write.
func fixHere(s *invocation, about *subject, d *doctoring) error {
	if err := asksFirst(s, &d.repairing); err != nil {
		return err
	}
	m := about.source.Machine
	if d.App != "" || d.Load {
		return errors.New("--fix changes values for every program, and loads no driver: not with --app or --probe")
	}
	if len(s.Env) > 0 {
		return errors.New("--fix uses the variables of this process: not with --env")
	}
	if fix.UndoFile(&m) == "" {
		return exit.Unable("there is no place for the undo file: LOCALAPPDATA is not set")
	}
	return fixStepwise(s, &ownValues{s, m, d, elevatedHere()}, &d.repairing)
}

// namesFix prints the command that makes changes, if there is a change to make.
func (d *doctoring) namesFix(s *invocation, about *subject, report *doctor.Report) {
	m := about.source.Machine
	if d.Elevated || d.App != "" || d.PID != 0 || len(s.Env) > 0 || fix.UndoFile(&m) == "" {
		return
	}
	every := func(shell.Line) bool { return true }
	if step, _ := (&ownValues{s, m, d, elevatedHere()}).step(report, every); step != nil {
		nameFix(s, "")
	}
}

// mayWrite reports whether the caller may write a value, whose name has no control character.
func (f *ownValues) mayWrite(at windows.ValueName) bool {
	return (f.all || at.Hive == facts.CurrentUser) && at.Exportable()
}

func (f *ownValues) examine() (*doctor.Report, error) {
	source, err := f.invocation.source("", false)
	if err != nil {
		return nil, err
	}
	about := &subject{source: source}
	return examine(context.Background(), f.invocation, about, examination{how: f.effort(about), limit: f.Limit})
}

func (f *ownValues) step(report *doctor.Report, asks func(line shell.Line) bool) (*step, error) {
	for i := range report.Findings {
		finding := &report.Findings[i]
		at, on, is := finding.RegistryChange()
		if !is || finding.Severity == diag.Note || finding.Because != nil || !f.mayWrite(at) ||
			!asks(finding.Commands[0]) {
			continue
		}
		what := term.Either(on, "switches on ", "deletes ")
		return &step{finding: finding, line: finding.Commands[0], files: []string{what + at.String()},
			do: func() error { return fix.Change(&f.machine, windows.Running{}, at, on) }}, nil
	}
	return nil, nil
}

func registryOf() fix.Registry { return windows.Running{} }
