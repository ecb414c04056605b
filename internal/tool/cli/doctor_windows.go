package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/probe"
)

const doctorHelp = "doctor examines what the registry names for programs of each word size, manifests, libraries with everything that\n" +
	"they need, layers that are in every program, and loaders; it gives each finding a code, a reason and a line that says\n" +
	"what to do, which was tried. Then child processes under a time limit load each driver alone, and all drivers and layers\n" +
	"as programs get them, and it says what crashes, hangs or fails. --no-probe loads nothing.\n\n"

// hereOnly are the options of doctor that only Linux has.
type hereOnly struct{}

func (d *doctoring) systemFlags(_ *invocation, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&d.elevated, "elevated", false, "as for a program that runs as administrator")
}

// files says whether nothing was asked for that only a running machine has; otherwise the error says what.
func (d *doctoring) files() error {
	if d.load {
		return errors.New("--platform is for files: not with --probe")
	}
	return nil
}

// here examines the running Windows.
func (d *doctoring) here(s *invocation) error {
	report, err := examinePC(s, d.app, d.elevated)
	if err == nil && !d.filesOnly && d.app == "" && !d.elevated {
		err = try(context.Background(), s, report, d.load, d.limit)
	}
	if err != nil {
		return err
	}
	if d.asJSON {
		err = writeJSON(s, report)
	} else {
		printPC(s, report, d.full)
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
