package ui

import (
	"encoding/json"
	"errors"

	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/settingsfile"
)

// tryPart loads drivers and layers in a child, with the draft as its settings.
var tryPart = &Page{Name: "try", Title: "Try", Data: tryOf}

// trial is what became of the child.
type trial struct {
	Result *probe.Result
	Works  bool
}

func tryOf(r *Request) (any, error) {
	s, d, plan, err := planned(r)
	if err != nil {
		return nil, err
	}
	m, err := r.Tool.Machine()
	if err != nil {
		return nil, err
	}
	text, err := forAll(&m, plan.Files[0].Text, d)
	if err != nil {
		return nil, err
	}
	result, err := r.Tool.Try(s.Env, text)
	if err != nil {
		return nil, err
	}
	return &trial{Result: result, Works: result.Outcome == probe.Fine && len(result.Devices) > 0}, nil
}

// forAll is a settings file that says for all programs what another says for the draft's: the child is not the program.
func forAll(m *machine.Machine, text string, d *draft) (string, error) {
	content := map[string]any{}
	if err := json.Unmarshal([]byte(text), &content); err != nil {
		return "", err
	}
	var apps []string
	if !d.All {
		var err error
		if apps, err = settingsfile.RealApps(m, []string{d.app}); err != nil {
			return "", err
		}
	}
	object := settingsfile.For(content, apps, false)
	if object == nil {
		return "", errors.New("the settings say nothing about the program")
	}
	delete(object, "app_keys")
	out, err := json.Marshal(map[string]any{"file_format_version": "1.0.0", "settings_array": []any{object}})
	return string(out), err
}
