package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/quarantine"
	"vkloader/internal/tool/term"
)

// fixer fixes one machine step by step.
type fixer struct {
	*invocation
	about   *subject
	source  *machine.Source // as it is after the steps; variables as sessions to come have them
	style   term.Style
	answers *bufio.Scanner
	all     bool            // no more questions
	tried   map[string]bool // changes that are done, or were not wanted
	done    int
	later   bool // a variable is among what was done

	only string // the line of the only step that is wanted; "": all
	dry  bool   // steps are shown, and not done
}

// step is one thing that fixes something.
type step struct {
	finding *doctor.Finding
	line    string   // for a shell
	files   []string // what becomes of which
	edits   []fix.Edit
	do      func() error
	change  *explain.Change // that it makes; nil: it is a quarantine
}

// fixMachine does each step that was tried, is in the user's own files, and is wanted; after each, the machine is examined again.
// load: also what dies when it is loaded goes into quarantine, out of the program app or of all.
func fixMachine(s *invocation, about *subject, d *doctoring) error {
	yes, app, load, limit := d.yes, d.app, d.load, d.limit
	if !yes && !d.dry && !s.terminal {
		return errors.New("--fix asks before each step, and standard input is no terminal: --yes does every step without asking")
	}
	if !about.source.Foreign() && len(s.variables) > 0 {
		return errors.New("--fix goes by the variables that are set: --env only with --root")
	}
	f := &fixer{invocation: s, about: about, source: about.source, style: term.StyleFor(s.out, s.getenv),
		answers: bufio.NewScanner(s.in), all: yes, tried: map[string]bool{}, only: d.step, dry: d.dry}
	for {
		report, err := examine(context.Background(), s, &subject{source: f.source}, "", "", filesOnly, 0)
		if err != nil {
			return err
		}
		next := f.next(report)
		if next == nil && load {
			if report, err = examine(context.Background(), s, &subject{source: f.source}, "", "", everything, limit); err == nil {
				next, err = f.nextQuarantine(report, app)
			}
			if err != nil {
				return err
			}
		}
		if next == nil {
			return f.end(report)
		}
		f.show(next)
		f.tried[next.line] = true
		if f.dry {
			f.plan(next)
			continue
		}
		switch f.ask() {
		case wanted:
		case notWanted:
			continue
		default:
			return f.end(report)
		}
		if err := next.do(); err != nil {
			return exit.As(exit.NotLooked, fmt.Errorf("%w; --undo gives back what is done", err))
		}
		f.done++
		if next.change != nil {
			f.source = f.after(*next.change)
		}
	}
}

// next is the first problem or warning, otherwise, that a change fixes; nil: there is none.
func (f *fixer) next(report *doctor.Report) *step {
	for i := range report.Findings {
		finding := &report.Findings[i]
		change, is := finding.Change()
		if !is || finding.Severity == diag.Note || finding.Because != nil || !f.asks(change.Line()) {
			continue
		}
		edits := fix.Edits(&f.source.Machine, change)
		if edits == nil || !f.betters(change) {
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

// nextQuarantine is that of the first driver or layer that crashed or hung when it was loaded, and that can be kept out; nil:
// there is none.
func (f *fixer) nextQuarantine(report *doctor.Report, app string) (*step, error) {
	for _, p := range report.Probes {
		line := "vkloader quarantine add " + term.Quoted(p.Name)
		if app != "" {
			line += " --app " + term.Quoted(app)
		}
		at := slices.IndexFunc(report.Findings, func(f doctor.Finding) bool { return f.Path == p.Manifest && f.Subject == p.Name })
		if !died(p) || !f.asks(line) || at < 0 {
			continue
		}
		found, err := f.settings()
		if err != nil {
			return nil, err
		}
		// Where the loader of the program does not read it, a quarantine changes nothing.
		loaders.For(f.source, loaders.Linker(f.source, ""), nil).On(found.Source)
		files, err := quarantine.Try(found, p.Name, app)
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

// asks tells whether a step with this line is wanted, and was not tried yet.
func (f *fixer) asks(line string) bool { return !f.tried[line] && (f.only == "" || f.only == line) }

// plan says what a step that is not done would write.
func (f *fixer) plan(next *step) {
	for _, e := range next.edits {
		f.invocation.plan(e.Path, e.Text, e.Remove)
	}
}

// betters tells whether there is less to find fault with after a change: one that only ends one warning for another is no
// step.
func (f *fixer) betters(change explain.Change) bool {
	options := doctor.Options{}
	problems, warnings, err := doctor.Count(f.source, options)
	if err != nil {
		return false
	}
	problemsAfter, warningsAfter, err := doctor.Count(change.On(f.source), options)
	return err == nil && (problemsAfter < problems || problemsAfter == problems && warningsAfter < warnings)
}

// after is the machine after a change of its files: only variables are still as this session has them.
func (f *fixer) after(change explain.Change) *machine.Source {
	source := change.On(f.source)
	source.Without, source.Added = f.about.source.Without, f.about.source.Added // the file is gone, or there
	for part := &change; part != nil; part = part.And {
		f.later = f.later || part.File == ""
	}
	return source
}

func (f *fixer) show(next *step) {
	finding := next.finding
	subject := finding.Subject
	if subject == finding.Path {
		subject = search.BaseName(subject)
	}
	fmt.Fprintln(f.out, f.style.Heading(term.OneLine(fmt.Sprintf("%s %s: %s", finding.Severity, finding.Code, subject))))
	f.style.Lines(f.out, "    what  ", nil, finding.What)
	f.style.Lines(f.out, "    step  ", nil, next.line)
	for _, what := range next.files {
		f.style.Lines(f.out, "          ", nil, what)
	}
}

// Answers to a question.
type answer uint8

const (
	wanted answer = iota
	notWanted
	enough
)

// ask asks whether a step is wanted.
func (f *fixer) ask() answer {
	for !f.all {
		fmt.Fprint(f.out, "Do it? y(es), n(o), a(ll), q(uit): ")
		if !f.answers.Scan() {
			fmt.Fprintln(f.out)
			return enough
		}
		switch strings.ToLower(strings.TrimSpace(f.answers.Text())) {
		case "y", "yes":
			return wanted
		case "n", "no":
			return notWanted
		case "a", "all":
			f.all = true
		case "q", "quit":
			return enough
		}
	}
	return wanted
}

// end says what was done, and what is left to do.
func (f *fixer) end(report *doctor.Report) error {
	if f.only != "" && len(f.tried) == 0 {
		return exit.Problem("--step: no step has this line now")
	}
	if f.dry {
		fmt.Fprintf(f.out, "%s shown, and not done.\n", term.Count(len(f.tried), "step"))
		return nil
	}
	if f.done > 0 {
		fmt.Fprintf(f.out, "%s done; vkloader doctor --undo gives back what was there.\n", term.Count(f.done, "step"))
	} else {
		fmt.Fprintln(f.out, "Nothing was done: nothing here ends with a change of your own files.")
	}
	if f.later {
		fmt.Fprintln(f.out, "Variables count from the next login on.")
	}
	title := false
	for _, finding := range report.Findings {
		if finding.Severity == diag.Note || finding.Because != nil {
			continue
		}
		if !title {
			fmt.Fprintf(f.out, "\n%s\n", f.style.Heading("For you to do"))
			title = true
		}
		printAttention(f.invocation, f.style, &finding)
		f.style.Lines(f.out, "    left  ", nil, f.whyLeft(&finding))
	}
	fmt.Fprintf(f.out, "\n%s\n", term.OneLine(report.Verdict))
	if report.Has(diag.Problem) {
		return exit.With(exit.Problems)
	}
	return nil
}

// whyLeft says why nothing was done about a finding.
func (f *fixer) whyLeft(finding *doctor.Finding) string {
	if change, is := finding.Change(); is {
		switch {
		case f.tried[change.Line()]:
			return "you did not want the step, or it did not help"
		case fix.Edits(&f.source.Machine, change) != nil:
			return "the change would only replace this finding by another"
		}
	}
	return finding.Unfixed()
}

// undoFix gives back what --fix has changed.
func undoFix(s *invocation, force bool) error {
	m, err := s.machine()
	if err != nil {
		return err
	}
	files, err := fix.Undo(&m, force)
	for _, file := range files {
		fmt.Fprintf(s.out, "%s is as it was\n", term.OneLine(file))
	}
	if err != nil && exit.CodeOf(err) == exit.Usage {
		err = exit.As(exit.NotLooked, err)
	}
	return err
}
