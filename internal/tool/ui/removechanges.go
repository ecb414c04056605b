package ui

import (
	"errors"

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
	file, err := inForce(r, "")
	if err != nil {
		return nil, err
	}
	if file.File == "" {
		return nil, errors.New("there is no settings file")
	}
	plan := &Plan{Title: "Remove the settings file", Args: []string{"settings", "clear"}, Files: []File{{Path: file.File, Remove: true}},
		Also: []string{settings.SetAside(file.File), settings.QuarantineFile(file.File)}}
	if app := r.Ref("app"); app != "" {
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
	file, err := inForce(r, "")
	if err != nil {
		return nil, err
	}
	name := r.Ref("name")
	if file.File == "" || name == "" {
		return nil, errors.New("nothing is in quarantine")
	}
	plan := &Plan{Title: "Let " + name + " back in", Args: []string{"settings", "quarantine", "lift", name}, Files: []File{{Path: file.File}},
		Also: []string{settings.QuarantineFile(file.File)}, Note: "This removes the entry from the settings file. Other settings stay."}
	if app := r.Ref("app"); app != "" {
		plan.Title, plan.Args = plan.Title+" for "+app, append(plan.Args, "--app", app)
	}
	return plan, nil
}

// usual maps policies to their default values.
var usual = map[string]string{"hardware": "off", "service": "last", "compute": "off"}

// policyChange ends a policy.
type policyChange struct{}

// Plan implements Offer.
func (policyChange) Plan(r *Request) (*Plan, error) {
	name := r.Ref("name")
	if usual[name] == "" {
		return nil, errors.New("there is no policy with this name")
	}
	args := []string{"settings", "policy", name, usual[name]}
	if app := r.Ref("app"); app != "" {
		args = append(args, "--app", app)
	}
	if r.System {
		args = append(args, "--system")
	}
	dry := r.Tool.Run(r, append(args, "--dry-run")...)
	if dry.Code != 0 || len(dry.Planned) == 0 {
		return nil, dry.Failed()
	}
	return &Plan{Title: "Remove the policy about " + name, Args: args, Files: dry.Planned}, nil
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
		Also: []string{fix.UndoFile(&m)}, Tries: true}, nil
}
