package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/probe"
)

func newDoctor(s *surroundings) *cobra.Command {
	var (
		asJSON, elevated, full, load bool
		app                          string
		limit                        time.Duration
		other                        elsewhere
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find what is wrong between a program and its GPU, and how to fix it",
		Long: "doctor examines what the registry names for programs of each word size, manifests, libraries with everything that\n" +
			"they need, layers that are in every program, and loaders; it gives each finding a code, a reason and a line that says\n" +
			"what to do, which was tried. It reads files and loads nothing; with --probe it also loads each driver and active layer\n" +
			"alone, in child processes under a time limit, and says which one crashes, hangs or fails.\n\n" + platformHelp + exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := other.check(); err != nil {
				return err
			}
			if other.platform != "" {
				if load {
					return errors.New("--platform is for files: not with --probe")
				}
				report, err := s.doctorElsewhere(&other, app, elevated, asJSON, full)
				if err == nil && report.Has(diag.Problem) {
					err = exit.With(exit.Problems)
				}
				return err
			}
			report, err := s.doctorHere(app, elevated)
			if err == nil && load {
				var found probe.Place
				if found, err = probe.Find(s.executable, ""); err == nil {
					err = report.ProbeAll(found, s.environ, limit)
				}
				if err != nil {
					err = exit.As(exit.NotLooked, err)
				}
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(s, report)
			} else {
				printPC(s, report, full)
			}
			if err == nil && report.Has(diag.Problem) {
				err = exit.With(exit.Problems)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", doctor.Schema))
	flags.BoolVar(&full, "full", false, "show notes as well: what is no problem, and why")
	flags.StringVar(&app, "app", "", "the program to examine for: path of its executable")
	flags.BoolVar(&load, "probe", false, "also load each driver and active layer, in a child process each")
	flags.DurationVar(&limit, "timeout", 10*time.Second, "how long each child of --probe may take")
	flags.BoolVar(&elevated, "elevated", false, "as for a program that runs as administrator")
	addPlatform(cmd, &other)
	return cmd
}

// looked is the report on this machine for the first screen.
func (s *surroundings) looked() (*doctor.Report, error) { return s.doctorHere("", false) }
