package cli

import (
	"context"
	"errors"
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// ownFiles fixes the user's own files.
type ownFiles struct {
	*invocation
	*doctoring
	about  *subject
	source *machine.Source // after the steps so far, with the variables of future sessions
	later  bool            // a step has changed a variable
}

// fixHere does each tried and accepted step in the user's own files. With --probe, it also quarantines components that fail
// when loaded, for the program of --app or for all. With --full, it also makes programs start faster.
func fixHere(s *invocation, about *subject, d *doctoring) error {
	if err := asksFirst(s, &d.repairing); err != nil {
		return err
	}
	if !about.source.Foreign() && len(s.variables) > 0 {
		return errors.New("--fix uses the variables of this process: --env only with --root")
	}
	return fixStepwise(s, &ownFiles{invocation: s, doctoring: d, about: about, source: about.source}, &d.repairing)
}

// namesFix prints the command that makes changes, if there is a change to make.
func (d *doctoring) namesFix(s *invocation, about *subject, report *doctor.Report) {
	source := about.source
	if d.pid != 0 || d.elevated || d.user != "" || d.device != "" || d.plugin != "" || source.Tree != nil || !source.Foreign() && len(s.variables) > 0 {
		return
	}
	usual := *d
	usual.full = false
	f := &ownFiles{invocation: s, doctoring: &usual, about: about, source: source}
	every := func(string) bool { return true }
	var options []string
	done := f.nextChange(report, every) != nil
	if usual.full = d.full; !done && d.full && f.nextChange(report, every) != nil {
		done, options = true, append(options, "--full")
	}
	if dies, err := f.nextQuarantine(report, every); err == nil && dies != nil && !source.Foreign() {
		done, options = true, append(options, "--probe")
	}
	if d.app != "" {
		options = append(options, "--app "+term.Quoted(d.app))
	}
	if done {
		nameFix(s, term.StyleFor(s.out, s.getenv), options...)
	}
}

func (f *ownFiles) nothing() string {
	return "Nothing was done: none of these problems can be fixed in your own files."
}

func (f *ownFiles) after() string {
	if f.later {
		return "Changed variables take effect at the next login."
	}
	return ""
}

func (f *ownFiles) took(s *step) {
	if s.change != nil {
		f.source = f.changed(*s.change)
	}
}

func (f *ownFiles) next(asks func(line string) bool) (*doctor.Report, *step, error) {
	report, err := examineFiles(f.invocation, f.source)
	if err != nil {
		return nil, nil, err
	}
	next := f.nextChange(report, asks)
	if next != nil || !f.load && !f.full || f.source.Foreign() {
		return report, next, nil
	}
	how := tryAwake
	if f.load {
		how = everything
	}
	if report, err = examine(context.Background(), f.invocation, &subject{source: f.source}, examination{how: how, limit: f.limit}); err != nil {
		return nil, nil, err
	}
	if next = f.nextChange(report, asks); next == nil && f.load {
		next, err = f.nextQuarantine(report, asks)
	}
	return report, next, err
}

// nextChange returns the first change that fixes a problem or warning or, with --full, saves time; nil: none.
func (f *ownFiles) nextChange(report *doctor.Report, asks func(line string) bool) *step {
	for i := range report.Findings {
		finding := &report.Findings[i]
		change, is := finding.Change()
		faster := f.full && finding.SavesTime()
		if !is || finding.Severity == diag.Note && !faster || finding.Because != nil || !asks(change.Line()) {
			continue
		}
		edits := fix.Edits(&f.source.Machine, change)
		if edits == nil || !f.betters(change, faster) {
			continue
		}
		next := &step{finding: finding, line: change.Line(), change: &change, edits: edits,
			do: func() error { return fix.Do(&f.source.Machine, edits) }}
		for _, e := range edits {
			what := "writes "
			if e.Remove {
				what = "removes "
			}
			next.files = append(next.files, what+e.Path)
		}
		return next
	}
	return nil
}

// nextQuarantine returns the quarantine of the first driver or layer that crashed or hung when loaded; nil: none.
func (f *ownFiles) nextQuarantine(report *doctor.Report, asks func(line string) bool) (*step, error) {
	app := f.app
	for _, p := range report.Probes {
		line := "vkloader settings quarantine add " + term.Quoted(p.Name)
		if app != "" {
			line += " --app " + term.Quoted(app)
		}
		at := slices.IndexFunc(report.Findings, func(f doctor.Finding) bool { return f.Path == p.Manifest && f.Subject == p.Name })
		if !died(p) || !asks(line) || at < 0 {
			continue
		}
		found, err := f.settings()
		if err != nil {
			return nil, err
		}
		// A quarantine has no effect if the program's loader does not read it.
		loaders.For(f.source, loaders.Linker(f.source, ""), nil).On(found.Source)
		files, err := settings.TryQuarantine(found, p.Name, app)
		if err != nil || !fix.Own(&f.source.Machine, files...) {
			continue
		}
		next := &step{finding: &report.Findings[at], line: line}
		for _, file := range files {
			next.files = append(next.files, "writes "+file)
		}
		next.do = func() error {
			return fix.Around(&f.source.Machine, files, func() error {
				_, err := addQuarantine(f.invocation, p.Name, app, p.Detail, 0)
				return err
			})
		}
		return next, nil
	}
	return nil, nil
}

// betters reports whether a change reduces the number of problems and warnings. A change that only replaces one warning by
// another is no step. A change that makes programs start faster must not increase the number.
func (f *ownFiles) betters(change explain.Change, faster bool) bool {
	options := doctor.Options{}
	problems, warnings, err := doctor.Count(f.source, options)
	if err != nil {
		return false
	}
	problemsAfter, warningsAfter, err := doctor.Count(change.On(f.source), options)
	if err != nil {
		return false
	}
	return problemsAfter < problems || problemsAfter == problems && (warningsAfter < warnings || faster && warningsAfter == warnings)
}

// changed returns the machine after a change of its files. Variables stay as in this session.
func (f *ownFiles) changed(change explain.Change) *machine.Source {
	source := change.On(f.source)
	source.Without, source.Added = f.about.source.Without, f.about.source.Added // the file is removed or written
	for part := &change; part != nil; part = part.And {
		f.later = f.later || part.File == ""
	}
	return source
}

func (f *ownFiles) whyLeft(finding *doctor.Finding, tried map[string]bool) string {
	if change, is := finding.Change(); is {
		switch {
		case tried[change.Line()]:
			return "you declined the step, or it did not help"
		case fix.Edits(&f.source.Machine, change) != nil:
			return "the change would only replace this finding with another"
		}
	}
	return finding.Unfixed()
}

// registryOf returns the registry for --undo. Linux has none.
func registryOf() fix.Registry { return nil }
