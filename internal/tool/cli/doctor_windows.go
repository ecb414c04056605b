package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/probe"
)

const doctorHelp = "doctor examines what the registry names for programs of each word size, manifests, libraries with everything that\n" +
	"they need, layers that are in every program, and loaders; it gives each finding a code, a reason and a line that says\n" +
	"what to do, which was tried. It reads files and loads nothing; with --probe it also loads each driver and active layer\n" +
	"alone, in child processes under a time limit, and says which one crashes, hangs or fails.\n\n"

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
	if err == nil && d.load {
		var found probe.Place
		if found, err = probe.Find(s.executable, ""); err == nil {
			err = report.ProbeAll(found, s.environ, d.limit)
		}
		if err != nil {
			err = exit.As(exit.NotLooked, err)
		}
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

// examineHere gives the report on this machine for the first screen.
func examineHere(s *invocation) (*doctor.Report, error) { return examinePC(s, "", false) }
