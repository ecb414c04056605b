package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/selector"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

func newDoctor(s *surroundings) *cobra.Command {
	var (
		asJSON, markdown, elevated, full, load, keepOut bool
		fix, undo, yes, force                           bool
		app, user, device                               string
		pid                                             int
		limit                                           time.Duration
		other                                           elsewhere
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "What is wrong on the way from a program to its GPU, why, and what to do about it",
		Long: "doctor examines devices, manifests, libraries with everything that they need, leftovers and variables, and\n" +
			"gives each finding a code, a reason and a line that says what to do. It reads files and loads nothing; with\n" +
			"--probe it also loads each driver and active layer alone, in child processes under a time limit, which show a\n" +
			"few frames, too, and says which one crashes, hangs or fails. --markdown writes the report for a bug tracker, with\n" +
			"names of people and of the machine replaced as by bundle.\n\n" +
			"--fix does what it says, step by step, where that is in your own files: a settings file or manifest that has to\n" +
			"go, a variable in ~/.config/environment.d. The rest is listed. --undo gives back what was there.\n\n" +
			selector.Help +
			"With --device a number and a UUID are asked of the drivers, in a child process; everything else is as the kernel\n" +
			"knows it.\n\n" + platformHelp + exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := other.check(); err != nil {
				return err
			}
			if other.platform != "" {
				if fix || undo || load || markdown || pid != 0 || user != "" || device != "" {
					return errors.New("--platform is for files: not with --fix, --undo, --probe, --markdown, --pid, --user or --device")
				}
				report, err := s.doctorElsewhere(&other, app, elevated, asJSON, full)
				if err == nil && report.Has(diag.Problem) {
					err = exit.With(exit.Problems)
				}
				return err
			}
			if undo {
				return s.undoFix(force)
			}
			if (yes || force) && !fix {
				return errors.New("--yes goes with --fix, and --force with --undo")
			}
			if fix && (pid != 0 || elevated || user != "" || load) {
				return errors.New("--fix is for programs that you start: not with --pid, --elevated, --user or --probe")
			}
			about, err := s.subject(app, elevated, pid)
			if err != nil {
				return err
			}
			if user != "" && pid != 0 {
				return errors.New("--pid and --user exclude each other: a process has its own user")
			}
			if load && (about.source.Foreign() || pid != 0 || elevated || user != "") {
				return errors.New("--probe loads drivers as you, on this machine: not with --root, --pid, --elevated or --user")
			}
			if keepOut && !load {
				return errors.New("--quarantine goes with --probe: it is for what that has seen crash or hang")
			}
			if fix {
				return s.fix(about, yes)
			}
			if device, err = s.kernelDevice(about, device, limit); err != nil {
				return err
			}
			result, err := s.examined(about, user, device, load, limit)
			if err != nil {
				return err
			}
			if keepOut {
				for _, p := range result.Probes {
					if p.Result == doctor.ProbeCrashes || p.Result == doctor.ProbeHangs {
						if _, err := s.quarantine(p.Name, app, p.Detail, 0); err != nil {
							return err
						}
					}
				}
			}
			switch {
			case asJSON:
				err = writeJSON(s, result)
			case markdown:
				s.doctorMarkdown(about.source, result, full)
			default:
				printDoctor(s, result, full)
			}
			if err == nil && result.Has(diag.Problem) {
				err = exit.With(exit.Problems)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", doctor.Schema))
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown for a bug report, without names of people")
	cmd.Flags().BoolVar(&fix, "fix", false, "mend what can be mended in your own files; asks before each step")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --fix: do every step without asking")
	cmd.Flags().BoolVar(&undo, "undo", false, "give back what the files were before --fix")
	cmd.Flags().BoolVar(&force, "force", false, "with --undo: also where a file has changed since")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown", "fix", "undo")
	cmd.Flags().BoolVar(&full, "full", false, "show notes as well: what is no problem, and why")
	cmd.Flags().StringVar(&device, "device", "", "examine this `DEVICE` only, with --probe its drivers only: "+selector.Forms)
	completes(cmd, map[string]completion{"device": completeDevices(s)})
	cmd.Flags().StringVar(&app, "app", "", "the program to examine for: path of its executable")
	addPID(cmd, &pid)
	cmd.Flags().BoolVar(&load, "probe", false, "also load each driver and active layer, in a child process each")
	cmd.Flags().BoolVar(&keepOut, "quarantine", false, "with --probe: keep what crashes or hangs out of all programs, or of that of --app, until its file changes")
	cmd.Flags().DurationVar(&limit, "timeout", 10*time.Second, "how long each child of --probe may take")
	cmd.Flags().StringVar(&user, "user", "", "the user, by name or number, whose permissions count (default: you)")
	cmd.Flags().BoolVar(&elevated, "elevated", false, "as for a program with more rights than its user (setuid)")
	addPlatform(cmd, &other)
	return cmd
}

// kernelDevice turns a selector that only drivers can answer into the address of the device.
func (s *surroundings) kernelDevice(about *subject, text string, limit time.Duration) (string, error) {
	if text == "" || !selector.OfDriver(text) {
		return text, nil
	}
	if about.source.Foreign() || about.process != nil {
		return "", fmt.Errorf("--device %s: numbers and UUIDs are those of this machine's drivers: not with --root or --pid", text)
	}
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return "", exit.As(exit.NotLooked, err)
	}
	devices, err := survey.LookAtDevices(found, about.source, limit)
	if err != nil {
		return "", exit.As(exit.NotLooked, err)
	}
	listed := devices.Selected()
	hits, err := selector.Select(text, listed)
	if err != nil {
		return "", exit.Problem("--device: %w", err)
	}
	if address := listed[hits[0]].PCI; address != "" {
		return address, nil
	}
	return "", exit.Problem("--device: %s has no PCI address: nothing on the way to it can be examined alone", listed[hits[0]].String())
}

// examined is the doctor's report on a machine; load: with each driver and layer loaded in a child.
func (s *surroundings) examined(about *subject, user, device string, load bool, limit time.Duration) (*doctor.Report, error) {
	source := about.source
	options := doctor.Options{User: user, Device: device}
	if p := about.process; p != nil {
		options.User, options.Groups = strconv.FormatUint(uint64(p.User), 10), p.Groups
	}
	found, missing := probe.Find(s.executable, "")
	if missing == nil {
		if real, err := filepath.EvalSymlinks(found.Library); err == nil {
			options.Library = real
		}
	}
	result, err := doctor.Examine(source, options)
	if err == nil && load {
		if err = missing; err == nil {
			err = result.ProbeAll(found, source.Environ, limit)
		}
	}
	if told := (*exit.Error)(nil); errors.As(err, &told) {
		return nil, err
	}
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	if about.process != nil {
		result.Process(about.process)
	}
	return result, nil
}

// printDoctor writes the report for people: what there is, then what is wrong with it.
func printDoctor(s *surroundings, r *doctor.Report, full bool) {
	style := term.StyleFor(s.out, s.getenv)
	style.Lines(s.out, "", style.Heading, r.Verdict)
	fmt.Fprintln(s.out)
	printPlace(s, style, r)
	printModules(s, style, r)
	printProbes(s, style, r.Probes)
	printFindings(s, style, r, full)
}

// printModules shows drivers and layers with their libraries.
func printModules(s *surroundings, style term.Style, r *doctor.Report) {
	for _, section := range []struct {
		title   string
		modules []doctor.Module
	}{{"Drivers", r.Drivers}, {"Layers", r.Layers}} {
		fmt.Fprintf(s.out, "%s\n", style.Heading(section.title))
		if len(section.modules) == 0 {
			fmt.Fprint(s.out, "  none\n\n")
			continue
		}
		table := term.NewTable("", "name", "library", ">brings")
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
func printFindings(s *surroundings, style term.Style, r *doctor.Report, full bool) {
	count := map[string]int{}
	for _, f := range r.Findings {
		if f.Because != "" && !full {
			continue
		}
		count[f.Severity]++
		if f.Severity != diag.Note.String() || full {
			printFinding(s, style, &f)
		}
	}
	notes := term.Count(count["note"], "note")
	if !full && count["note"] > 0 {
		notes += " (--full shows them)"
	}
	fmt.Fprintf(s.out, "%s, %s, %s\n", term.Count(count["problem"], "problem"),
		term.Count(count["warning"], "warning"), notes)
}

// printPlace says what machine it is: system, sandboxes, devices, loaders.
func printPlace(s *surroundings, style term.Style, r *doctor.Report) {
	place := term.Or(r.System, "unknown system")
	for _, in := range r.Sandboxes {
		place += ", in " + in.Kind
		if in.Detail != "" {
			place += " (" + in.Detail + ")"
		}
	}
	fmt.Fprintf(s.out, "%s  %s\n\n%s\n", style.Heading("System"), term.OneLine(place), style.Heading("Devices"))
	if len(r.GPUs) == 0 {
		fmt.Fprintln(s.out, "  none")
	} else {
		table := term.NewTable("device", "kernel driver", "nodes", "Vulkan drivers")
		for _, g := range r.GPUs {
			var drivers []string
			for _, d := range g.Drivers {
				drivers = append(drivers, search.BaseName(d))
			}
			table.Row(g.Title(), term.Or(g.Kernel, "none"), term.Or(strings.Join(g.Nodes, " "), "none"),
				term.Or(strings.Join(drivers, " "), "none"))
		}
		table.Print(s.out, "  ", style)
	}
	fmt.Fprintf(s.out, "\n%s\n", style.Heading("Loaders"))
	if len(r.Loaders) == 0 {
		fmt.Fprintln(s.out, "  none that the dynamic linker finds")
	} else {
		table := term.NewTable("", "file", "Vulkan", "")
		for _, l := range r.Loaders {
			mark, own := "", ""
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
	fmt.Fprintln(s.out)
}

func printFinding(s *surroundings, style term.Style, f *doctor.Finding) {
	subject := f.Subject
	if subject == f.Path {
		subject = search.BaseName(subject)
	}
	title := term.OneLine(f.Severity + " " + f.Code + ": " + subject)
	if f.Severity == diag.Problem.String() {
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
	if f.Because != "" {
		line("from", "it follows from "+f.Because)
	}
	line("do", f.Do)
	if s.rules {
		line("rule", f.Statement)
	}
	fmt.Fprintln(s.out)
}

// printProbes is the table of what became of each.
func printProbes(s *surroundings, style term.Style, probes []doctor.Probe) {
	if len(probes) == 0 {
		return
	}
	fmt.Fprintln(s.out, style.Heading("Probes, each in a process of its own"))
	table := term.NewTable("", "name", ">time", "with")
	for _, p := range probes {
		table.Row(p.Result, p.Name, term.Microseconds(p.Millis*1000), term.Or(p.Detail, strings.Join(p.Devices, ", ")))
	}
	table.Print(s.out, "  ", style)
	fmt.Fprintln(s.out)
}
