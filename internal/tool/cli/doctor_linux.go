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
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/trust"
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
	found, missing := probe.Find(s.executable, "")
	if missing == nil {
		if real, err := filepath.EvalSymlinks(found.Library); err == nil {
			options.Library = real
		}
	}
	result, err := doctor.Examine(source, options)
	switch {
	case err != nil || wanted.how == filesOnly:
	case missing != nil && wanted.how == everything:
		err = missing
	case missing != nil:
		sayUntried(s, missing)
	default:
		result, err = result.Try(ctx, wanted.tries(found, about))
		err = allowUntried(s, wanted, err)
		// the files are examined anyway
		if text := trust.Refusal("tried", err); text != "" && wanted.how != everything {
			fmt.Fprintf(s.messages(), "vkloader: warning: %s\n", text)
			err = nil
		}
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

// ownFiles fixes the user's own files.
type ownFiles struct {
	*invocation
	*doctoring
	about  *subject
	source *machine.Source // after the steps so far, with the variables of future sessions
}

// fixHere does each tried and accepted step in the user's own files, and excludes components that crash or hang, from
// the program of --app or from all. With --full, it also makes programs start faster.
func fixHere(s *invocation, about *subject, d *doctoring) error {
	if err := asksFirst(s, &d.repairing); err != nil {
		return err
	}
	if !about.source.Foreign() && len(s.Env) > 0 {
		return errors.New("--fix uses the variables of this process: --env only with --root")
	}
	return fixStepwise(s, &ownFiles{invocation: s, doctoring: d, about: about, source: about.source}, &d.repairing)
}

// namesFix prints the command that makes changes, if there is a change to make.
func (d *doctoring) namesFix(s *invocation, about *subject, report *doctor.Report) {
	source := about.source
	if d.PID != 0 || d.Elevated || d.User != "" || source.Tree != nil || !source.Foreign() && len(s.Env) > 0 {
		return
	}
	usual := *d
	usual.Full = false
	f := &ownFiles{invocation: s, doctoring: &usual, about: about, source: source}
	if next, err := f.step(report, func(shell.Line) bool { return true }); err == nil && next != nil {
		nameFix(s, d.App)
	}
}

func (f *ownFiles) examine() (*doctor.Report, error) {
	about := &subject{source: f.source}
	return examine(context.Background(), f.invocation, about, examination{how: f.effort(about), limit: f.Limit})
}

func (f *ownFiles) step(report *doctor.Report, asks func(line shell.Line) bool) (*step, error) {
	if next := f.nextChange(report, asks); next != nil {
		return next, nil
	}
	return f.nextExclusion(report, asks)
}

// nextChange returns the first change that fixes a problem or warning or, with --full, saves time; nil: none.
func (f *ownFiles) nextChange(report *doctor.Report, asks func(line shell.Line) bool) *step {
	for i := range report.Findings {
		finding := &report.Findings[i]
		change, is := finding.Change()
		faster := f.Full && finding.SavesTime()
		if !is || finding.Severity == diag.Note && !faster || finding.Because != nil || !asks(change.Line()) {
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
func (f *ownFiles) nextExclusion(report *doctor.Report, asks func(line shell.Line) bool) (*step, error) {
	loader := loaders.For(f.source, loaders.Linker(f.source), nil)
	for _, p := range report.Probes {
		change := newExclusion(p.Kind, p.Name, f.App)
		line := exclusionLine(&change)
		at := slices.IndexFunc(report.Findings,
			func(f doctor.Finding) bool { return f.Path == p.Manifest && f.Subject == p.Name })
		endings := []doctor.ProbeResult{doctor.ProbeCrashes, doctor.ProbeHangs, doctor.ProbeExits}
		if !slices.Contains(endings, p.Result) || p.Kind == "together" || !asks(line) || at < 0 ||
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
