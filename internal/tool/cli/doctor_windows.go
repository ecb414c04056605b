package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
)

const doctorHelp = "doctor examines what the registry names for programs of each word size, manifests, libraries and what they need,\n" +
	"layers that every program gets, and loaders. Each finding has a code, a reason, and a tested fix. Then child processes\n" +
	"load each driver alone, and all drivers and layers as programs get them. doctor reports what crashes, hangs or fails.\n" +
	"--no-probe, --app, --pid and --elevated load nothing. --markdown writes the report for a bug tracker, and replaces names of people and of the\n" +
	"machine.\n\n" +
	"--fix makes tested changes to the registry, and asks before each. Values in HKEY_LOCAL_MACHINE need a prompt that runs\n" +
	"as administrator. Before the first change, --fix exports the values to a file for the registry editor. --undo restores\n" +
	"them.\n\n"

const (
	fixPlace = "the registry"
	fixHelp  = "fix what can be fixed in the registry; asks before each step"
	undoHelp = "restore the registry to its state before --fix"
)

// hereOnly are the options of doctor for a machine that runs Windows.
type hereOnly struct{ pid int }

func (d *doctoring) systemFlags(_ *invocation, cmd *cobra.Command) {
	addPID(cmd, &d.pid)
	cmd.Flags().BoolVar(&d.elevated, "elevated", false, "as for a program that runs as administrator")
}

// files says whether nothing was asked for that only a running machine has; otherwise the error says what.
func (d *doctoring) files() error {
	if d.load || d.fix || d.undo || d.markdown || d.pid != 0 {
		return errors.New("--platform is for files: not with --fix, --undo, --probe, --markdown or --pid")
	}
	return nil
}

// check says what does not go together.
func (d *doctoring) check() error {
	if err := d.repairing.check(); err != nil {
		return err
	}
	switch {
	case d.fix && (d.elevated || d.app != "" || d.load || d.pid != 0):
		return errors.New("--fix is for all programs, by the registry: not with --elevated, --app, --pid or --probe")
	case d.pid != 0 && (d.app != "" || d.elevated || d.load):
		return errors.New("--pid has the process's own program and rights, and loads nothing: not with --app, --elevated or --probe")
	}
	return nil
}

// here examines the running Windows.
func (d *doctoring) here(s *invocation) error {
	if err := d.check(); err != nil {
		return err
	}
	switch {
	case d.undo:
		return undoFix(s, d.force)
	case d.fix:
		return fixRegistry(s, &d.repairing)
	}
	var source *machine.Source
	var report *doctor.Report
	var err error
	if d.pid != 0 {
		source, report, err = examineProcess(s, d.pid)
	} else if source, err = s.source(d.app, d.elevated); err == nil {
		report, err = examineFiles(s, source)
	}
	if err == nil && !d.filesOnly && d.app == "" && d.pid == 0 && !d.elevated {
		err = try(context.Background(), s, report, d.load, d.limit)
	}
	if err != nil {
		return err
	}
	switch {
	case d.asJSON:
		err = writeJSON(s, report)
	case d.markdown:
		printMarkdown(s, source, report, d.full)
	default:
		printPC(s, report, d.full)
		d.namesFix(s, report)
	}
	return problemsOf(report, err)
}

// try loads what programs get, in children.
func try(ctx context.Context, s *invocation, report *doctor.Report, all bool, limit time.Duration) error {
	found, err := probe.Find(s.executable, "")
	if err == nil {
		err = report.Try(ctx, doctor.Tries{At: found, Environ: s.environ, Limit: limit, Wake: all, Present: all})
	}
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	return nil
}

// examineHere gives the report on this machine for the first screen.
func examineHere(s *invocation, how effort) (*doctor.Report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), firstScreen-screenTime)
	defer cancel()
	report, err := examinePC(s, "", false)
	if err == nil && how != filesOnly {
		err = try(ctx, s, report, false, firstScreen)
	}
	return report, err
}
