package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

func newListDevices(s *surroundings) *cobra.Command {
	var asJSON bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use: "devices", Short: "Physical devices in the order in which programs get them, and those that are hidden",
		Long: "devices asks the drivers of this machine, in a child process and through the library: the devices in the order\n" +
			"in which programs get them, and, where variables or a settings file hide some, also those.\n\n" + exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := s.thisMachine("list devices"); err != nil {
				return err
			}
			source, err := s.source("", false)
			if err != nil {
				return err
			}
			found, err := probe.Find(s.executable, "")
			if err != nil {
				return exit.As(exit.NotLooked, err)
			}
			devices, problem, err := survey.Devices(found, source, limit)
			if err != nil {
				return exit.As(exit.NotLooked, err)
			}
			if asJSON {
				err = writeJSON(s, struct {
					Schema  int             `json:"schema"`
					Kind    string          `json:"kind"`
					Devices []survey.Device `json:"devices"`
					Problem string          `json:"problem,omitempty"`
				}{listSchema, "devices", devices, problem})
			} else {
				printDevices(s, devices, problem)
			}
			if err == nil && problem != "" {
				err = exit.With(exit.Problems)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", listSchema))
	cmd.Flags().DurationVar(&limit, "timeout", 30*time.Second, "how long the child may take")
	return cmd
}

func printDevices(s *surroundings, devices []survey.Device, problem string) {
	style := term.StyleFor(s.out, s.getenv)
	if problem != "" {
		fmt.Fprintf(s.out, "%s %s\n", style.Bad("Problem:"), term.OneLine(problem))
	}
	if len(devices) == 0 {
		fmt.Fprintln(s.out, "No device.")
		return
	}
	table := term.NewTable("", ">#", "name", "type", "API", "driver", "version", "vendor:device", "device UUID")
	for _, d := range devices {
		mark, number := "in", fmt.Sprint(d.Index)
		if !d.In {
			mark, number = "out", "-"
		}
		table.Row(mark, number, d.Name, term.DeviceType(d.Type), term.Version(d.APIVersion), d.DriverName,
			term.DriverVersion(d.VendorID, d.DriverVersion), fmt.Sprintf("%04x:%04x", d.VendorID, d.DeviceID), d.DeviceUUID)
	}
	table.Print(s.out, "", style)
	for _, d := range devices {
		if !d.In {
			fmt.Fprintf(s.out, "%s: %s\n", term.OneLine(d.Name), term.OneLine(d.Why))
		}
	}
}
