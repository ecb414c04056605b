package cli

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/term"
)

// fixer fixes one machine step by step.
type fixer struct {
	*invocation
	answers *bufio.Scanner
	all     bool                // do all further steps without a question
	tried   map[shell.Line]bool // lines of steps that are done or rejected
	done    int
	later   bool // a step has changed a variable

	only string // the line of the only step to do; "": all
	dry  bool   // print steps without doing them
}

// fixable is a machine that steps fix.
type fixable interface {
	// examine examines the machine after the steps so far, with the trials that doctor makes.
	examine() (*doctor.Report, error)
	// step returns the first step for a report for whose line asks returns true; nil: none.
	step(report *doctor.Report, asks func(line shell.Line) bool) (*step, error)
}

// step is one step of a fix.
type step struct {
	finding *doctor.Finding
	line    shell.Line
	files   []string // the affected files
	edits   []fix.Edit
	do      func() error
	later   bool // it changes a variable
}

// asksFirst returns an error if the fix needs questions and there is no terminal for them.
func asksFirst(s *invocation, r *repairing) error {
	if !r.Yes && !r.Dry && !s.terminal {
		return errors.New(
			"--fix asks before each step, and standard input is no terminal: --yes does every step without asking")
	}
	return nil
}

// fixStepwise does each tried and accepted step, and examines the machine again after each.
func fixStepwise(s *invocation, of fixable, r *repairing) error {
	f := &fixer{invocation: s, answers: bufio.NewScanner(s.in), all: r.Yes, tried: map[shell.Line]bool{}, only: r.Step,
		dry: r.Dry}
	report, err := of.examine()
	for err == nil {
		var step *step
		if step, err = of.step(report, f.asks); err != nil {
			break
		}
		if step == nil {
			return f.end(report)
		}
		f.show(step)
		f.tried[step.line] = true
		if f.dry {
			f.plan(step.edits...)
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
		report, err = of.examine()
	}
	return err
}

// asks reports whether a step with this line is wanted and was not tried before.
func (f *fixer) asks(line shell.Line) bool {
	return !f.tried[line] && (f.only == "" || f.only == string(line))
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
	for !f.all {
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
			f.all = true
		case "q", "quit":
			return false, true
		}
	}
	return true, false
}

func (f *fixer) end(report *doctor.Report) error {
	if f.only != "" && len(f.tried) == 0 {
		return exit.Problem("--step: no step has this line; to list the steps: vkloader doctor --fix --dry-run")
	}
	if f.dry {
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
		_, err = fix.Keep(&m, part.File)
	}
	if errors.Is(err, machine.ErrLink) {
		return exit.Message(err)
	}
	return ""
}

// nameFix prints the command that fixes findings of a report for a program; "": for all.
func nameFix(s *invocation, app string) {
	line := shell.Line("vkloader doctor --fix")
	if app != "" {
		line += " --app " + shell.Quoted(app)
	}
	if s.class != 0 {
		line += " --bits " + shell.Quoted(fmt.Sprint(s.class))
	}
	if words := s.options(); len(words) > 0 {
		line += " " + shell.Words(words...)
	}
	s.style.Advice(s.out, "", "To fix what is in "+fixPlace+": "+string(line), line)
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
