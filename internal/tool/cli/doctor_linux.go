package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/gpus"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

const doctorHelp = "doctor examines devices, manifests, libraries and what they need, leftovers and variables. Each finding has a code,\n" +
	"a reason, and a line that says what to do.\n\n" +
	"Then doctor tries drivers and layers. Child processes load each driver alone, and all drivers and layers as programs\n" +
	"get them, and submit work to each device. doctor reports what crashes, hangs or fails. If only the combination fails,\n" +
	"it searches for the layer or driver. It does not load a driver whose device sleeps. --probe also loads that driver,\n" +
	"and presents a few frames. --no-probe, --root, --app, --pid, --user and --elevated try nothing. --markdown writes the\n" +
	"report for a bug tracker, and replaces names of people and of the machine as bundle does.\n\n" +
	"--fix makes tested changes to your own files, and asks before each. It removes manifests, sets variables in\n" +
	"~/.config/environment.d, and with --probe quarantines what crashes or hangs. With --full it also disables drivers for\n" +
	"absent hardware and layers that make programs start slowly. It lists what it did not fix. --undo restores the files.\n\n" +
	gpus.Help +
	"For --device with a number or a UUID, a child process asks the drivers; the other forms need only the kernel.\n\n"

// hereOnly are the options of doctor for a machine that runs Linux.
type hereOnly struct {
	keepOut              bool
	user, device, plugin string
	pid                  int
}

const (
	fixPlace = "your own files"
	fixHelp  = "fix what can be fixed in your own files; asks before each step"
	undoHelp = "restore the files to their state before --fix"
)

func (d *doctoring) systemFlags(s *invocation, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&d.device, "device", "", "examine this `DEVICE` only, with --probe its drivers only: "+gpus.Forms)
	completes(cmd, map[string]completion{"device": completeDevices(s)})
	addPID(cmd, &d.pid)
	addPlugin(cmd, &d.plugin)
	flags.BoolVar(&d.keepOut, "quarantine", false, "keep what crashes or hangs out of all programs, or, with --probe, of that of --app, until its file changes")
	flags.StringVar(&d.user, "user", "", "check the permissions of this user, a name or number (default: you)")
	flags.BoolVar(&d.elevated, "elevated", false, "as for a program with more rights than its user (setuid)")
}

// files says whether nothing was asked for that only a running machine has; otherwise the error says what.
func (d *doctoring) files() error {
	if d.fix || d.undo || d.load || d.markdown || d.pid != 0 || d.user != "" || d.device != "" || d.plugin != "" {
		return errors.New("--platform is for files: not with --fix, --undo, --probe, --markdown, --pid, --user, --device or --plugin")
	}
	return nil
}

// check says what does not go together.
func (d *doctoring) check() error {
	if err := d.repairing.check(); err != nil {
		return err
	}
	if d.fix && (d.pid != 0 || d.elevated || d.user != "" || d.keepOut) {
		return errors.New("--fix is for programs that you start, and asks by itself what goes into quarantine: not with --pid, " +
			"--elevated, --user or --quarantine")
	}
	return nil
}

// checkSubject says what does not go together with the program that is looked at.
func (d *doctoring) checkSubject(about *subject) error {
	switch {
	case d.user != "" && d.pid != 0:
		return errors.New("--pid and --user exclude each other: a process has its own user")
	case d.load && (about.source.Foreign() || d.pid != 0 || d.elevated || d.user != ""):
		return errors.New("--probe loads drivers as you, on this machine: not with --root, --pid, --elevated or --user")
	case d.keepOut && d.effort(about) == filesOnly:
		return errors.New("--quarantine keeps out what crashes or hangs when it is tried: not with --no-probe, and elsewhere with --probe alone")
	}
	return nil
}

// here examines a machine with Linux, or fixes it.
func (d *doctoring) here(s *invocation) error {
	if err := d.check(); err != nil {
		return err
	}
	if d.undo {
		return undoFix(s, d.force)
	}
	about, err := s.subject(d.app, d.elevated, d.pid)
	if err != nil {
		return err
	}
	if err := d.checkSubject(about); err != nil {
		return err
	}
	if err := about.opens(d.plugin); err != nil {
		return err
	}
	if d.fix {
		return fixMachine(s, about, d)
	}
	device, err := kernelDevice(s, about, d.device, d.limit)
	if err != nil {
		return err
	}
	result, err := examine(context.Background(), s, about, d.user, device, d.effort(about), d.limit)
	if err != nil {
		return err
	}
	if d.keepOut {
		if err := quarantineFailed(s, result, d.app); err != nil {
			return err
		}
	}
	switch {
	case d.asJSON:
		err = writeJSON(s, result)
	case d.markdown:
		printMarkdown(s, about.source, result, d.full)
	default:
		printDoctor(s, result, d.full)
		d.namesFix(s, about, result)
	}
	return problemsOf(result, err)
}

// died tells whether a driver or layer ends programs.
func died(p doctor.Probe) bool {
	return p.Kind != "together" && (p.Result == doctor.ProbeCrashes || p.Result == doctor.ProbeHangs || p.Result == doctor.ProbeExits)
}

// quarantineFailed puts what crashed or hung into quarantine.
func quarantineFailed(s *invocation, result *doctor.Report, app string) error {
	for _, p := range result.Probes {
		if died(p) {
			if _, err := addQuarantine(s, p.Name, app, p.Detail, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// kernelDevice turns a selector that only drivers can answer into the address of the device.
func kernelDevice(s *invocation, about *subject, text string, limit time.Duration) (string, error) {
	if text == "" || !gpus.OfDriver(text) {
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
	hits, err := gpus.Select(text, listed)
	if err != nil {
		return "", exit.Problem("--device: %w", err)
	}
	if address := listed[hits[0]].PCI; address != "" {
		return address, nil
	}
	return "", exit.Problem("--device: %s has no PCI address: nothing on the way to it can be examined alone", listed[hits[0]].String())
}

// effort is what the options ask for. Without any, what can be tried is: on this machine, as this user.
func (d *doctoring) effort(about *subject) effort {
	switch {
	case d.load:
		return everything
	case d.filesOnly || !triable(about) || d.pid != 0 || d.elevated || d.user != "" || d.app != "" || d.plugin != "":
		return filesOnly
	}
	return tryAwake
}

// triable tells whether children can load what the program gets.
func triable(about *subject) bool {
	return !about.source.Foreign() && about.process == nil && (about.source.Class == 0 || about.source.Class == machine.OwnClass)
}

// examine gives the doctor's report on a machine. What is tried and has not ended when the context ends is left.
func examine(ctx context.Context, s *invocation, about *subject, user, device string, how effort, limit time.Duration) (*doctor.Report, error) {
	source := about.source
	options := doctor.Options{User: user, Device: device, Plugin: about.plugin}
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
	switch {
	case err != nil || how == filesOnly:
	case missing != nil && how == everything:
		err = missing
	case missing != nil:
		fmt.Fprintf(s.errOut, "vkloader: nothing is tried: %v\n", missing)
	default:
		err = result.Try(ctx, doctor.Tries{At: found, Environ: source.Environ, Limit: limit, Wake: how == everything, Present: how == everything})
	}
	if told := (*exit.Error)(nil); errors.As(err, &told) {
		return nil, err
	}
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	if about.process != nil {
		result.Process(about.process.PID, about.differences(result.Answer))
	}
	return result, nil
}

// examineFiles gives the report of a machine's files.
func examineFiles(s *invocation, source *machine.Source) (*doctor.Report, error) {
	return examine(context.Background(), s, &subject{source: source}, "", "", filesOnly, 0)
}

// systemPart is what a bundle says of the system.
const systemPart = "distribution and kernel"

// otherViews are of systems on which programs of the other word size find other files by other keys.
func otherViews(*machine.Source) []*machine.Source { return nil }

// exportsOf are the parts of a bundle that hold a registry: Linux has none.
func exportsOf(*machine.Source) map[string]func() (string, error) { return nil }

// examineHere gives the report on this machine for the first screen.
func examineHere(s *invocation, how effort) (*doctor.Report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), firstScreen-screenTime)
	defer cancel()
	source, err := s.source("", false)
	if err != nil {
		return nil, err
	}
	about := &subject{source: source}
	if !triable(about) {
		how = filesOnly
	}
	return examine(ctx, s, about, "", "", how, firstScreen)
}

// printPlace says what machine it is: system, sandboxes, devices, loaders.
func printPlace(s *invocation, style term.Style, r *doctor.Report) {
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
func printDoctor(s *invocation, r *doctor.Report, full bool) {
	style := term.StyleFor(s.out, s.getenv)
	style.Lines(s.out, "", style.Heading, r.Verdict)
	fmt.Fprintln(s.out)
	printPlace(s, style, r)
	printModules(s, style, r)
	printProbes(s, style, r.Probes)
	printFindings(s, style, r, full)
}
