package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/doctor"
)

const doctorHelp = "doctor examines, for programs of each word size, the registry, manifests,\n" +
	"libraries and their dependencies, implicit layers, and loaders. Each finding has a code, a reason, and a tested fix. Then child processes\n" +
	"load each driver alone, and all drivers and layers as programs get them. doctor reports each crash, hang and failure. With --no-probe,\n" +
	"--app, --pid or --elevated, it loads no driver and no layer. --markdown writes the report for a bug tracker, and replaces names of people and of the\n" +
	"machine.\n\n" +
	"--fix makes tested changes to the registry, and asks before each. Values in HKEY_LOCAL_MACHINE need a prompt that runs\n" +
	"as administrator. Before the first change, --fix exports the values to a file for the registry editor. --undo restores\n" +
	"them.\n\n"

const (
	onlyHere = "--fix, --undo, --probe, --markdown or --pid" // options for a running machine
	fixPlace = "the registry"
	fixHelp  = "fix problems in the registry; asks before each step"
	undoHelp = "restore the registry to its state before --fix"
)

func (d *doctoring) systemFlags(_ *invocation, cmd *cobra.Command) {
	addPID(cmd, &d.pid)
	cmd.Flags().BoolVar(&d.elevated, "elevated", false, "as for a program that runs as administrator")
}

// check returns an error for incompatible options.
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

// triable reports whether child processes can load the program's drivers and layers.
func triable(about *subject) bool { return about.process == nil }

// examine returns the doctor's report on the running system for a program. It stops unfinished trials at the end of the
// context.
func examine(ctx context.Context, s *invocation, about *subject, wanted examination) (*doctor.Report, error) {
	report, err := doctor.ExaminePC(newRunningPC(about.source, decideFor(about)))
	if err != nil {
		return nil, notLooked(err)
	}
	if about.source.Elevated {
		report.System += ", for programs that run as administrator"
	}
	if about.process != nil {
		report.Process(about.process.PID, about.process.Differences(report.Answer))
	}
	if wanted.how == filesOnly {
		return report, nil
	}
	found, err := probe.Find(s.executable, "")
	if err == nil {
		err = report.Try(ctx, wanted.tries(found, about))
	}
	return report, notLooked(err)
}
