package cli

import (
	"fmt"
	"vkloader/internal/tool/choice"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/survey"
)

// dryRunSchema is raised when a field of run --dry-run --json changes its meaning or goes.
const dryRunSchema = 1

// print shows the variables, as a shell takes them.
func (r *launched) print(s *surroundings, changes []choice.Change, warnings, args []string) error {
	var err error
	if r.asJSON {
		err = writeJSON(s, struct {
			Schema    int             `json:"schema"`
			Program   []string        `json:"program"`
			Variables []choice.Change `json:"variables"`
			Warnings  []string        `json:"warnings"`
		}{dryRunSchema, args, changes, append([]string{}, warnings...)})
	} else {
		fmt.Fprintln(s.out, commandLine(changes, args))
	}
	if err == nil && len(warnings) > 0 {
		err = exit.With(exit.Problems)
	}
	return err
}

// listedDevices are the devices of this machine for a choice among them.
func listedDevices(devices *survey.Devices) (*choice.Devices, error) {
	listed := &choice.Devices{}
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
