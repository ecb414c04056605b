package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/term"
)

// fixer fixes one machine step by step. Its options are those of doctor; after the answer "all", with --yes.
type fixer struct {
	*invocation
	doctoring
	about   *subject
	source  *machine.Source // after the steps so far, with the variables of future sessions
	answers *bufio.Scanner
	tried   map[shell.Line]bool // lines of steps that are done or rejected
	done    int
	later   bool // a step has changed a variable
}

// step is one step of a fix.
type step struct {
	finding *doctor.Finding
	line    shell.Line
	files   []string // the affected files
	edits   []edit.Edit
	do      func() error
	later   bool // it changes a variable
}

// newFixer returns the fixer of a program's machine.
func (d *doctoring) newFixer(s *invocation, about *subject) *fixer {
	return &fixer{invocation: s, doctoring: *d, about: about, source: about.source, answers: bufio.NewScanner(s.in),
		tried: map[shell.Line]bool{}}
}

// fixHere does each tried and accepted step, and examines the machine again after each, with the trials that doctor
// makes.
func (d *doctoring) fixHere(s *invocation, about *subject) error {
	if err := d.fixError(s, about); err != nil {
		return err
	}
	if !d.Yes && !d.Dry && !s.terminal {
		return errors.New(
			"--fix asks before each step, and standard input is no terminal: --yes does every step without asking")
	}
	f := d.newFixer(s, about)
	report, err := f.examine()
	for err == nil {
		var step *step
		if step, err = f.step(report); err != nil {
			break
		}
		if step == nil {
			return f.end(report)
		}
		f.show(step)
		f.tried[step.line] = true
		if f.Dry {
			for _, e := range step.edits {
				if f.planned != nil {
					f.planned(e)
				}
			}
			continue
		}
		wanted, enough := f.ask()
		if enough {
			return f.end(report)
		}
		if !wanted {
			continue
		}
		if err := step.do(); err != nil {
			return exit.As(exit.NotLooked, fmt.Errorf("%w; to restore the files already changed: --undo", err))
		}
		f.done++
		f.later = f.later || step.later
		report, err = f.examine()
	}
	return err
}

// examine examines the machine after the steps so far.
func (f *fixer) examine() (*doctor.Report, error) {
	about := &subject{source: f.source}
	return examine(context.Background(), f.invocation, about, examination{how: f.effort(about), limit: f.Limit})
}

// asks reports whether a step with this line is wanted and was not tried before.
func (f *fixer) asks(line shell.Line) bool {
	return !f.tried[line] && (f.Step == "" || f.Step == string(line))
}

func (f *fixer) show(next *step) {
	finding := next.finding
	title := fmt.Sprintf("%s %s: %s", finding.Severity, finding.Code, subjectIn(finding.Subject, finding.Path))
	fmt.Fprintln(f.out, f.style.Heading(term.OneLine(title)))
	f.style.Lines(f.out, "    what  ", nil, finding.What)
	f.style.Advice(f.out, "    step  ", string(next.line), next.line)
	for _, what := range next.files {
		f.style.Lines(f.out, "          ", nil, what)
	}
}

// ask asks whether the step is wanted, or whether the changes so far are enough.
func (f *fixer) ask() (wanted, enough bool) {
	for !f.Yes {
		fmt.Fprint(f.out, "Make this change? y(es), n(o), a(ll), q(uit): ")
		if !f.answers.Scan() {
			fmt.Fprintln(f.out)
			return false, true
		}
		switch strings.ToLower(strings.TrimSpace(f.answers.Text())) {
		case "y", "yes":
			return true, false
		case "n", "no":
			return false, false
		case "a", "all":
			f.Yes = true
		case "q", "quit":
			return false, true
		}
	}
	return true, false
}

func (f *fixer) end(report *doctor.Report) error {
	if f.Step != "" && len(f.tried) == 0 {
		return exit.Problem("--step: no step has this line; to list the steps: vkloader doctor --fix --dry-run")
	}
	if f.Dry {
		if len(f.tried) == 0 {
			fmt.Fprintln(f.out, "There are no steps.")
		} else {
			fmt.Fprintf(f.out, "%s shown. Nothing was changed.\n", term.Count(len(f.tried), "step"))
		}
		return nil
	}
	left := slices.DeleteFunc(slices.Clone(report.Findings), func(f doctor.Finding) bool { return !f.Shown() })
	switch {
	case f.done > 0:
		fmt.Fprintf(f.out, "%s done; to restore the files: vkloader doctor --undo\n", term.Count(f.done, "step"))
	case len(left) > 0:
		fmt.Fprintln(f.out, "Nothing was done: the steps below are left to you.")
	default:
		fmt.Fprintln(f.out, "Nothing to do.")
	}
	if f.later {
		fmt.Fprintln(f.out, "Changed variables take effect at the next login.")
	}
	if len(left) > 0 {
		f.section("Not fixed")
	}
	for i := range left {
		printAttention(f.invocation, report, &left[i])
		f.text("    left  ", f.linkOf(&left[i]))
	}
	fmt.Fprintf(f.out, "\n%s\n", term.OneLine(report.Verdict))
	if report.Has(diag.Problem) {
		return exit.With(exit.Problems)
	}
	return nil
}

// linkOf returns the error about a link in place of a file that a finding's change writes or removes; "": none.
func (f *fixer) linkOf(finding *doctor.Finding) string {
	change, _ := finding.Change()
	m, err := f.machine()
	for part := &change; part != nil && err == nil && part.File != ""; part = part.And {
		_, err = edit.Keep(&m, part.File)
	}
	if errors.Is(err, machine.ErrLink) {
		return exit.Message(err)
	}
	return ""
}

// namesFix prints the command that fixes findings of a report, if there is a change to make.
func (d *doctoring) namesFix(s *invocation, about *subject, report *doctor.Report) {
	f := d.newFixer(s, about)
	f.Full, f.Load, f.Step = false, false, ""
	if f.PID != 0 || f.Elevated || f.User != "" || about.source.Tree != nil || f.fixError(s, about) != nil {
		return
	}
	if step, err := f.step(report); step == nil || err != nil {
		return
	}
	line := shell.Line("vkloader doctor --fix")
	if d.App != "" {
		line += " --app " + shell.Quoted(d.App)
	}
	if s.class != 0 {
		line += " --bits " + shell.Quoted(fmt.Sprint(s.class))
	}
	if words := s.options(); len(words) > 0 {
		line += " " + shell.Words(words...)
	}
	place := term.Either(onWindows, "the registry", "your own files")
	s.style.Advice(s.out, "", "To fix what is in "+place+": "+string(line), line)
}

func undoFix(s *invocation, force bool) error {
	m, err := s.machine()
	if err != nil {
		return err
	}
	files, err := fix.Undo(&m, registryOf(), force)
	for _, name := range files {
		fmt.Fprintf(s.out, "%s restored\n", term.OneLine(name))
	}
	if err != nil && exit.CodeOf(err) == exit.Usage {
		err = exit.As(exit.NotLooked, err)
	}
	return err
}
