package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/gpus"
	"vkloader/internal/tool/launch"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// dryRunSchema is raised when a field of run --dry-run --json changes its meaning or goes.
const dryRunSchema = 1

// print shows the variables, as a shell takes them.
func (r *launched) print(s *invocation, changes []launch.Change, warnings, args []string) error {
	var err error
	if r.asJSON {
		err = writeJSON(s, struct {
			Schema    int             `json:"schema"`
			Program   []string        `json:"program"`
			Variables []launch.Change `json:"variables"`
			Warnings  []string        `json:"warnings"`
		}{dryRunSchema, args, changes, append([]string{}, warnings...)})
	} else {
		fmt.Fprintln(term.Raw(s.out), commandLine(changes, args))
	}
	return err
}

// forDevices puts the variables that choose devices into the machine's environment. Devices are listed only where the choice
// needs it, by the child that find finds.
func (r *anywhere) forDevices(source *machine.Source, m *machine.Machine, program string, find func() (probe.Place, error)) ([]launch.Change, []string, error) {
	ask := func() (*launch.Devices, error) {
		found, err := find()
		if err != nil {
			return nil, exit.As(exit.NotLooked, err)
		}
		devices, err := survey.LookAtDevices(found, source, r.limit)
		if err != nil {
			return nil, exit.As(exit.NotLooked, err)
		}
		return listedDevices(devices)
	}
	if m.Foreign() {
		ask = nil
	}
	changes, warnings, err := r.DeviceChanges(m, program, ask)
	if err == nil {
		m.Environ = launch.Apply(m.Environ, changes)
	}
	return changes, warnings, err
}

// listedDevices are the devices of this machine for a choice among them.
func listedDevices(devices *survey.Devices) (*launch.Devices, error) {
	listed := &launch.Devices{}
	for _, d := range devices.List {
		listed.List = append(listed.List, d.Device)
		hidden := d.Why
		if d.HiddenBy == survey.Filters { // the choice takes the filters' place
			hidden = ""
		}
		listed.Hidden = append(listed.Hidden, hidden)
	}
	if len(listed.List) == 0 {
		return nil, exit.Unable("--device: no device could be listed: %s", devices.Problem)
	}
	return listed, nil
}

// anywhere is what run is asked to do on every system.
type anywhere struct {
	launch.Choice
	log    string // file that gets the loader's log
	dry    bool
	asJSON bool
	limit  time.Duration // of the child that lists devices
}

// options gives the command run its options; those of a system come after them.
func (r *anywhere) options(s *invocation, cmd *cobra.Command) *pflag.FlagSet {
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the program is the program's
	flags.StringArrayVar(&r.Drivers, "driver", nil, "only drivers whose manifest has this name, or this manifest `FILE|GLOB`")
	flags.StringArrayVar(&r.Devices, "device", nil, "only this `DEVICE`: "+gpus.Forms+"; may be repeated")
	flags.StringArrayVar(&r.Layers, "layer", nil, "with the layers of this name, `GLOB`, implicit and explicit ones")
	flags.BoolVar(&r.NoLayers, "no-layers", false, "without any layer but those of --layer")
	flags.StringVar(&r.log, "log", "", "write the loader's log to `FILE`, not to standard error")
	flags.BoolVar(&r.dry, "dry-run", false, "print the variables, and run nothing")
	flags.DurationVar(&r.limit, "timeout", 30*time.Second, "time limit for the child process that lists devices")
	completes(cmd, map[string]completion{"driver": completeDrivers(s), "layer": completeLayers(s), "device": completeDevices(s)})
	cmd.ValidArgsFunction = completePrograms(s)
	return flags
}

// namesProgram refuses a run of nothing.
func namesProgram(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("name the program to run; see vkloader run --help")
	}
	return nil
}

// programPath is where a program is found. Errors have run's exit codes.
func programPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return "", exit.As(exit.NotFound, fmt.Errorf("%s: not found", name))
	case err != nil:
		return "", exit.As(exit.CannotRun, err)
	}
	return path, nil
}
