package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

// doctoring is what doctor is asked to do.
type doctoring struct {
	asJSON, full, load, filesOnly, elevated bool
	app                                     string
	limit                                   time.Duration // of each child
	other                                   otherSystem
	repairing
	hereOnly
}

// repairing are the options of doctor for a machine that runs, on every system.
type repairing struct {
	markdown              bool
	fix, undo, yes, force bool
	dry                   bool
	step                  string
}

func (r *repairing) options(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&r.markdown, "markdown", false, "print Markdown for a bug report, without names of people")
	flags.BoolVar(&r.fix, "fix", false, fixHelp)
	flags.BoolVar(&r.yes, "yes", false, "with --fix: do every step without asking")
	flags.BoolVar(&r.dry, "dry-run", false, "with --fix: show the steps, and make no change")
	flags.StringVar(&r.step, "step", "", "with --fix: only the step with this `LINE`, as --fix shows it")
	flags.BoolVar(&r.undo, "undo", false, undoHelp)
	flags.BoolVar(&r.force, "force", false, "with --undo: also restore files that have changed since")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown", "fix", "undo")
}

// check says which of them do not go together.
func (r *repairing) check() error {
	switch {
	case r.yes && !r.fix || r.force && !r.undo:
		return errors.New("--yes goes with --fix, and --force with --undo")
	case (r.dry || r.step != "") && !r.fix:
		return errors.New("--dry-run and --step go with --fix")
	}
	return nil
}

func newDoctor(s *invocation) *cobra.Command {
	d := &doctoring{}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find what is wrong between a program and its GPU, and fix it",
		Long:  doctorHelp + platformHelp + exitCodesHelp,
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return d.run(s) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&d.asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", doctor.Schema))
	flags.BoolVar(&d.full, "full", false, "also show notes: what is not a problem, and why")
	flags.StringVar(&d.app, "app", "", "the program to examine for: path of its executable")
	flags.BoolVar(&d.load, "probe", false, "try everything: also drivers whose device sleeps, which wakes it, and frames on a surface")
	flags.BoolVar(&d.filesOnly, "no-probe", false, "look at files only, and load nothing")
	cmd.MarkFlagsMutuallyExclusive("probe", "no-probe")
	flags.DurationVar(&d.limit, "timeout", 10*time.Second, "time limit for each child process that tries drivers and layers")
	d.options(cmd)
	d.systemFlags(s, cmd)
	addPlatform(cmd, &d.other)
	return cmd
}

// run examines this machine, or the one that --platform names.
func (d *doctoring) run(s *invocation) error {
	if err := d.other.check(); err != nil {
		return err
	}
	if d.other.platform == "" {
		return d.here(s)
	}
	if err := d.files(); err != nil {
		return err
	}
	return problemsOf(doctorOther(s, &d.other, d.app, d.elevated, d.asJSON, d.full))
}

// problemsOf is the exit code of a report that was printed.
func problemsOf(report *doctor.Report, err error) error {
	if err == nil && report.Has(diag.Problem) {
		err = exit.With(exit.Problems)
	}
	return err
}

// effort is how much is tried.
type effort uint8

const (
	filesOnly  effort = iota // nothing is loaded
	tryAwake                 // everything but drivers whose device sleeps
	everything               // those too, and frames are shown
)

// firstScreen is how long the first screen may take.
const firstScreen = time.Second

// screenTime is how much of that is kept for what comes before and after the children.
const screenTime = 100 * time.Millisecond

// printModules shows drivers and layers with their libraries.
func printModules(s *invocation, style term.Style, r *doctor.Report) {
	for _, section := range []struct {
		title   string
		modules []doctor.Module
	}{{"Drivers", r.Drivers}, {"Layers", r.Layers}} {
		fmt.Fprintf(s.out, "%s\n", style.Heading(section.title))
		if len(section.modules) == 0 {
			fmt.Fprint(s.out, "  none\n\n")
			continue
		}
		table := term.NewTable("", "name", "library", ">needs")
		for _, m := range section.modules {
			mark := "bad"
			switch {
			case m.Good:
				mark = "ok"
			case m.Class != 0 && m.Class != r.WordSize():
				mark = fmt.Sprintf("%d-bit", m.Class)
			}
			if !m.Used {
				mark += ", not used"
			}
			table.Row(mark, m.Name, term.Or(m.File, m.Library), term.Count(m.Needs, "library"))
		}
		table.Print(s.out, "  ", style)
		fmt.Fprintln(s.out)
	}
}

// printFindings shows what was found, and counts it.
func printFindings(s *invocation, style term.Style, r *doctor.Report, full bool) {
	count := map[diag.Severity]int{}
	for _, f := range r.Findings {
		if f.Because != nil && !full {
			continue
		}
		count[f.Severity]++
		if f.Severity != diag.Note || full {
			printFinding(s, style, &f)
		}
	}
	notes := term.Count(count[diag.Note], "note")
	if !full && count[diag.Note] > 0 {
		notes += " (--full shows them)"
	}
	fmt.Fprintf(s.out, "%s, %s, %s\n", term.Count(count[diag.Problem], "problem"),
		term.Count(count[diag.Warning], "warning"), notes)
}

func printFinding(s *invocation, style term.Style, f *doctor.Finding) {
	subject := f.Subject
	if subject == f.Path {
		subject = machine.Style.Base(subject)
	}
	title := term.OneLine(f.Severity.String() + " " + f.Code.String() + ": " + subject)
	if f.Severity == diag.Problem {
		title = style.Bad(title)
	} else {
		title = style.Heading(title)
	}
	fmt.Fprintln(s.out, title)
	line := func(name, text string) {
		if text != "" {
			style.Lines(s.out, fmt.Sprintf("    %-4s  ", name), nil, text)
		}
	}
	where := f.Path
	if f.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", f.Path, f.Line, f.Column)
	}
	line("file", where)
	line("what", f.What)
	line("why", f.Why)
	if f.Because != nil {
		line("from", "it follows from "+f.Because.String())
	}
	if f.Do != "" {
		style.Advice(s.out, "    do    ", f.Do, f.Commands...)
	}
	if s.rules {
		line("rule", f.Statement)
	}
	fmt.Fprintln(s.out)
}

// printProbes is the table of what became of each.
func printProbes(s *invocation, style term.Style, probes []doctor.Probe) {
	if len(probes) == 0 {
		return
	}
	fmt.Fprintln(s.out, style.Heading("Tried, in child processes"))
	table := term.NewTable("", "name", ">time", "with")
	for _, p := range probes {
		table.Row(string(p.Result), p.Name, term.Microseconds(p.Millis*1000), term.Or(p.Detail, strings.Join(p.Devices, ", ")))
	}
	table.Print(s.out, "  ", style)
	fmt.Fprintln(s.out)
}

// printLoaders shows the loaders, that which programs get first.
func printLoaders(s *invocation, style term.Style, r *doctor.Report) {
	fmt.Fprintf(s.out, "%s\n", style.Heading("Loaders"))
	if r.Loader != nil {
		style.Lines(s.out, "  ", nil, loaders.Line(r.Loader, r.Program))
	} else if r.Static != loaders.NotStatic {
		style.Lines(s.out, "  ", nil, r.Static.Line(r.Program))
	}
	if r.Other != nil {
		style.Lines(s.out, "  ", nil, r.Other.Line())
	}
	if len(r.Loaders) == 0 {
		fmt.Fprintln(s.out, "  none that the dynamic linker finds")
	} else {
		table := term.NewTable("", "file", "Vulkan", "")
		for _, l := range r.Loaders {
			mark, own := "", l.Signature()
			if l.First {
				mark = "first"
			}
			if l.Own {
				own = "belongs to this tool"
			}
			table.Row(mark, l.File, term.Or(l.Version, l.Vulkan), own)
		}
		table.Print(s.out, "  ", style)
	}
}
