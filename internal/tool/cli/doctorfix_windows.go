package cli

import (
	"errors"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/term"
)

// ownValues fixes registry values.
type ownValues struct {
	*invocation
	machine machine.Machine
	all     bool // values of all users may be written
}

// fixHere does each tried and accepted step that changes a registry value which the caller may write.
func fixHere(s *invocation, about *subject, d *doctoring) error {
	if err := asksFirst(s, &d.repairing); err != nil {
		return err
	}
	m := about.source.Machine
	if len(s.variables) > 0 {
		return errors.New("--fix uses the variables of this process: not with --env")
	}
	if fix.UndoFile(&m) == "" {
		return exit.Unable("there is no place for the undo file: LOCALAPPDATA is not set")
	}
	return fixStepwise(s, &ownValues{s, m, elevatedHere()}, &d.repairing)
}

// namesFix prints the command that makes changes, if there is a change to make.
func (d *doctoring) namesFix(s *invocation, about *subject, report *doctor.Report) {
	m := about.source.Machine
	if d.elevated || d.app != "" || d.pid != 0 || len(s.variables) > 0 || fix.UndoFile(&m) == "" {
		return
	}
	if (&ownValues{s, m, elevatedHere()}).step(report, func(string) bool { return true }) != nil {
		nameFix(s, term.StyleFor(s.out, s.getenv))
	}
}

func (f *ownValues) nothing() string {
	return "Nothing was done: none of these problems can be fixed in registry values that you may write."
}

func (f *ownValues) after() string { return "" }

func (f *ownValues) took(*step) {}

// mayWrite reports whether the caller may write a value and the registry editor can export it.
func (f *ownValues) mayWrite(at windows.ValueName) bool {
	return (f.all || at.Hive == facts.CurrentUser) && at.Exportable()
}

func (f *ownValues) next(asks func(line string) bool) (*doctor.Report, *step, error) {
	source, err := f.invocation.source("", false)
	if err != nil {
		return nil, nil, err
	}
	report, err := examineFiles(f.invocation, source)
	if err != nil {
		return nil, nil, err
	}
	return report, f.step(report, asks), nil
}

// step returns the first step for a report; nil: none.
func (f *ownValues) step(report *doctor.Report, asks func(line string) bool) *step {
	for i := range report.Findings {
		finding := &report.Findings[i]
		at, on, is := finding.RegistryChange()
		if !is || finding.Severity == diag.Note || finding.Because != nil || !f.mayWrite(at) || !asks(finding.Commands[0]) {
			continue
		}
		what := "deletes "
		if on {
			what = "switches on "
		}
		return &step{finding: finding, line: finding.Commands[0],
			files: []string{what + at.String(), "exports it to " + fix.ExportFile(&f.machine)},
			do:    func() error { return fix.Change(&f.machine, windows.Running{}, at, on) }}
	}
	return nil
}

func (f *ownValues) whyLeft(finding *doctor.Finding, tried map[string]bool) string {
	at, _, is := finding.RegistryChange()
	switch {
	case is && tried[finding.Commands[0]]:
		return "you declined the step, or it did not help"
	case is && !f.mayWrite(at) && at.Hive == facts.LocalMachine:
		return "it concerns all users: run it in a prompt that runs as administrator"
	}
	return finding.Unfixed()
}

// registryOf returns the registry for --undo.
func registryOf() fix.Registry { return windows.Running{} }
