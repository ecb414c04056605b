package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/term"
)

// triable reports whether child processes can load the program's drivers and layers.
func triable(about *subject) bool {
	return !about.source.Foreign() && about.process == nil &&
		(about.source.Class == 0 || about.source.Class == machine.OwnClass)
}

// examine returns the doctor's report on a machine. It stops unfinished trials at the end of the context.
func examine(ctx context.Context, s *invocation, about *subject, wanted examination) (*doctor.Report, error) {
	source := about.source
	options := doctor.Options{User: wanted.user, Bundle: s.bundle}
	if p := about.process; p != nil {
		options.User, options.Groups = strconv.FormatUint(uint64(p.User), 10), p.Groups
		// a process that has ended belongs to no service
		groups, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", p.PID))
		options.ControlGroup = string(groups)
		if mapped := p.Loaders(); len(mapped) > 0 {
			options.Mapped = mapped[0].Path
		}
	}
	if found, err := probe.Find(s.executable, ""); err == nil {
		if real, err := filepath.EvalSymlinks(found.Library); err == nil {
			options.Library = real
		}
	}
	result, err := doctor.Examine(source, options)
	if err == nil {
		result, err = wanted.try(ctx, s, about, result)
	}
	if told := (*exit.Error)(nil); errors.As(err, &told) {
		return nil, err
	}
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	if about.process != nil {
		result = result.WithProcess(about.process.PID, about.process.Differences(result.Answer))
	}
	return result, nil
}

// fixError returns the reason for which the user's own files cannot be fixed.
func (d *doctoring) fixError(s *invocation, about *subject) error {
	if !about.source.Foreign() && len(s.Env) > 0 {
		return errors.New("--fix uses the variables of this process: --env only with --root")
	}
	return nil
}

// step returns the first step in the user's own files: a change, or the exclusion of a component that crashes or hangs
// from the program of --app or from all; nil: none.
func (f *fixer) step(report *doctor.Report) (*step, error) {
	if next := f.nextChange(report); next != nil {
		return next, nil
	}
	return f.nextExclusion(report)
}

// nextChange returns the first change that fixes a problem or warning or, with --full, saves time; nil: none.
func (f *fixer) nextChange(report *doctor.Report) *step {
	for i := range report.Findings {
		finding := &report.Findings[i]
		change, is := finding.Change()
		faster := f.Full && finding.SavesTime()
		if !is || finding.Severity == diag.Note && !faster || finding.Because != nil || !f.asks(change.Line()) {
			continue
		}
		edits := fix.Edits(&f.source.Machine, change)
		if edits == nil {
			continue
		}
		next := &step{finding: finding, line: change.Line(), edits: edits, do: func() error {
			err := fix.Do(&f.source.Machine, edits)
			// Variables stay as in this session. The file is removed or written.
			f.source = change.On(f.source)
			f.source.Without, f.source.Added = f.about.source.Without, f.about.source.Added
			return err
		}}
		for part := &change; part != nil; part = part.And {
			next.later = next.later || part.File == ""
		}
		for _, e := range edits {
			what := term.Either(e.Remove, "removes ", "writes ")
			next.files = append(next.files, what+e.Path)
		}
		return next
	}
	return nil
}

// nextExclusion returns the exclusion of the first driver or layer that crashed or hung when loaded; nil: none.
func (f *fixer) nextExclusion(report *doctor.Report) (*step, error) {
	loader := loaders.For(f.source, loaders.Linker(f.source), nil)
	for _, p := range report.Probes {
		change := newExclusion(p.Kind, p.Name, f.App)
		line := exclusionLine(&change)
		at := slices.IndexFunc(report.Findings,
			func(f doctor.Finding) bool { return f.Path == p.Manifest && f.Subject == p.Name })
		endings := []doctor.ProbeResult{doctor.ProbeCrashes, doctor.ProbeHangs, doctor.ProbeExits}
		if !slices.Contains(endings, p.Result) || p.Kind == "together" || !f.asks(line) || at < 0 ||
			!obeysExclusion(loader, p.Kind) {
			continue
		}
		found, err := f.settings()
		if err != nil {
			return nil, err
		}
		file, err := found.TryExclusion(change, p.Manifest)
		if err != nil || !fix.Own(&f.source.Machine, file) {
			continue
		}
		next := &step{finding: &report.Findings[at], line: line, files: []string{"writes " + file}}
		next.do = func() error {
			return fix.Around(&f.source.Machine, []string{file}, func() error { return exclude(f.invocation, change) })
		}
		return next, nil
	}
	return nil, nil
}
