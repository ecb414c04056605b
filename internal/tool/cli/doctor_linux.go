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
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
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
		Short: "Find what is wrong between a program and its GPU, and how to fix it",
		Long: "doctor examines devices, manifests, libraries with everything that they need, leftovers and variables, and\n" +
			"gives each finding a code, a reason and a line that says what to do. It reads files and loads nothing; with\n" +
			"--probe it also loads each driver and active layer alone, in child processes under a time limit, which show a\n" +
			"few frames, too, and says which one crashes, hangs or fails. --markdown writes the report for a bug tracker, with\n" +
			"names of people and of the machine replaced as by bundle.\n\n" +
			"--fix does what it says, step by step, where that is in your own files: a settings file or manifest that has to\n" +
			"go, a variable in ~/.config/environment.d; with --probe, what crashes or hangs goes into quarantine. The rest is\n" +
			"listed. --undo gives back what was there.\n\n" +
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
			if fix && (pid != 0 || elevated || user != "" || keepOut) {
				return errors.New("--fix is for programs that you start, and asks by itself what goes into quarantine: not with --pid, " +
					"--elevated, --user or --quarantine")
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
				return s.fix(about, yes, app, load, limit)
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
	cmd.Flags().BoolVar(&fix, "fix", false, "fix what can be fixed in your own files; asks before each step")
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

// looked is the report on this machine for the first screen.
func (s *surroundings) looked() (*doctor.Report, error) {
	source, err := s.source("", false)
	if err != nil {
		return nil, err
	}
	return s.examined(&subject{source: source}, "", "", false, 0)
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
				drivers = append(drivers, machine.Style.Base(d))
			}
			table.Row(g.Title(), term.Or(g.Kernel, "none"), term.Or(strings.Join(g.Nodes, " "), "none"),
				term.Or(strings.Join(drivers, " "), "none"))
		}
		table.Print(s.out, "  ", style)
	}
	fmt.Fprintln(s.out)
	printLoaders(s, style, r)
	fmt.Fprintln(s.out)
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
