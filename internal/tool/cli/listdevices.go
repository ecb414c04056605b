package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/term"
)

// listedDevice is a device, and whether programs see it.
type listedDevice struct {
	probe.Device
	In  bool   `json:"in"`
	Why string `json:"why,omitempty"` // it is out
}

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
			devices, problem, err := s.listDevices(source, limit)
			if err != nil {
				return exit.As(exit.NotLooked, err)
			}
			if asJSON {
				err = writeJSON(s, struct {
					Schema  int            `json:"schema"`
					Kind    string         `json:"kind"`
					Devices []listedDevice `json:"devices"`
					Problem string         `json:"problem,omitempty"`
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

// listDevices asks the probe, once more without what hides devices when there is any.
func (s *surroundings) listDevices(source *machine.Source, limit time.Duration) (devices []listedDevice, problem string, err error) {
	devices = []listedDevice{}
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return nil, "", err
	}
	seen, err := probe.Run(found, machine.WithoutVariable(source.Environ, variables.Debug.Name()), limit)
	if err != nil {
		return nil, "", err
	}
	for _, d := range seen.Devices {
		devices = append(devices, listedDevice{Device: d, In: true})
	}
	answer, err := decision.Ask(source)
	if err != nil {
		return nil, "", err
	}
	why := ""
	for _, v := range deviceFilters {
		if value, _ := source.Lookup(v.Name()); value != "" {
			why += " " + v.Name() + "=" + value
		}
	}
	if answer.Settings != nil && answer.Settings.HasDevices {
		why += " the device configurations of " + answer.Settings.File
	}
	if why != "" {
		all, _, err := everyDevice(found, &source.Machine, limit)
		if err != nil {
			return nil, "", err
		}
		for _, d := range all {
			if !slices.ContainsFunc(seen.Devices, func(o probe.Device) bool { return sameDevice(&d, &o) }) {
				devices = append(devices, listedDevice{Device: d, Why: "hidden by" + why})
			}
		}
	}
	return devices, seen.Problem, nil
}

var deviceFilters = []variables.ID{variables.DeviceIDFilter, variables.VendorIDFilter, variables.DriverIDFilter}

// sameDevice compares two devices of different runs, whose numbers may differ.
func sameDevice(a, b *probe.Device) bool {
	return a.Name == b.Name && a.VendorID == b.VendorID && a.DeviceID == b.DeviceID && a.DriverVersion == b.DriverVersion &&
		a.DeviceUUID == b.DeviceUUID && a.DriverUUID == b.DriverUUID
}

// everyDevice asks the probe for the devices that there are without filters and without a settings file: the library
// looks at a file that says nothing first. problem is why there may be more.
func everyDevice(found probe.Place, m *machine.Machine, limit time.Duration) (devices []probe.Device, problem string, err error) {
	environ, remove, err := settingsfile.Shadow(m.Environ, settingsfile.Silent)
	if err != nil {
		return nil, "", err
	}
	defer remove()
	for _, v := range append(slices.Clone(deviceFilters), variables.Debug) {
		environ = machine.WithoutVariable(environ, v.Name())
	}
	seen, err := probe.Run(found, environ, limit)
	if err != nil {
		return nil, "", err
	}
	return seen.Devices, seen.Problem, nil
}

func printDevices(s *surroundings, devices []listedDevice, problem string) {
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
