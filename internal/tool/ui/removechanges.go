package ui

import (
	"errors"

	core "vkloader/internal/core/settings"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/settings"
)

// inForce returns the settings file in force, from "settings show".
func inForce(r *Request, app string) (*settings.Shown, error) {
	args := []string{"settings", "show", "--json"}
	if app != "" {
		args = append(args, "--app", app)
	}
	var file settings.Shown
	if err := r.Tool.Run(r, args...).Decode(&file); err != nil {
		return nil, err
	}
	return &file, nil
}

// clearChange removes the settings file, or its settings for one program.
type clearChange struct{}

// Plan implements Offer.
func (clearChange) Plan(r *Request) (*Plan, error) {
	found, _, err := r.Tool.Settings()
	if err != nil {
		return nil, err
	}
	file := found.InForce()
	if file == nil {
		return nil, errors.New("there is no settings file")
	}
	c := &settings.Clearing{}
	plan := &Plan{Title: "Remove the settings file", Args: []string{"settings", "clear"}, Files: []File{{Path: file.Path, Remove: true}},
		Also: []string{settings.SetAside(file.Path), settings.QuarantineFile(file.Path)},
		Make: func() error {
			_, err := found.Clear(c)
			return err
		}}
	if app := r.Ref("app"); app != "" {
		c.Apps = []string{app}
		plan.Title, plan.Args = "Remove the settings for "+app, append(plan.Args, "--app", app)
		plan.Files[0].Remove = false
		plan.Note = "Settings for other programs stay."
	}
	return plan, nil
}

// liftChange lifts a quarantine.
type liftChange struct{}

// Plan implements Offer.
func (liftChange) Plan(r *Request) (*Plan, error) {
	found, _, err := r.Tool.Settings()
	if err != nil {
		return nil, err
	}
	file, l := found.InForce(), settings.Lifting{Name: r.Ref("name"), Program: r.Ref("app")}
	if file == nil || l.Name == "" {
		return nil, errors.New("nothing is in quarantine")
	}
	plan := &Plan{Title: "Let " + l.Name + " back in", Args: []string{"settings", "quarantine", "lift", l.Name}, Files: []File{{Path: file.Path}},
		Also: []string{settings.QuarantineFile(file.Path)}, Note: "This removes the entry from the settings file. Other settings stay.",
		Make: func() error {
			_, err := found.Lift(l)
			return err
		}}
	if l.Program != "" {
		plan.Title, plan.Args = plan.Title+" for "+l.Program, append(plan.Args, "--app", l.Program)
	}
	return plan, nil
}

// policyChange ends a policy.
type policyChange struct{}

// Plan implements Offer.
func (policyChange) Plan(r *Request) (*Plan, error) {
	c := &settings.Options{System: r.System}
	name, word := r.Ref("name"), "off" // the word of the command for the default
	switch name {
	case "hardware":
		c.Hardware = core.AnyHardware.String()
	case "service":
		c.Service, word = core.ServiceLast.String(), "last"
	case "compute":
		c.Compute = core.AllLayers.String()
	default:
		return nil, errors.New("there is no policy with this name")
	}
	line := []string{"settings", "policy", name, word}
	if app := r.Ref("app"); app != "" {
		c.Apps, line = []string{app}, append(line, "--app", app)
	}
	if c.System {
		line = append(line, "--system")
	}
	return settingsPlan(r, "Remove the policy about "+name, line, c)
}

// fixChange makes one step of "doctor --fix".
type fixChange struct{}

// Plan implements Offer.
func (fixChange) Plan(r *Request) (*Plan, error) {
	step := r.Ref("step")
	if step == "" {
		return nil, errors.New("no step is named")
	}
	dry := r.Started("doctor", "--fix", "--dry-run", "--step", step)
	if dry.Code > 1 || len(dry.Planned) == 0 {
		return nil, dry.Failed()
	}
	m := r.Tool.Machine()
	return &Plan{Title: step, Args: []string{"doctor", "--fix", "--yes", "--step", step}, Files: dry.Planned,
		Also: []string{fix.UndoFile(&m)}}, nil
}
