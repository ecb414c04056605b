package ui

import (
	"encoding/json"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

// exportPart is the draft in other forms than the settings file of this user.
var exportPart = &Page{Name: "export", Title: "Export", Data: exportOf}

// export is what the part shows.
type export struct {
	Forms []form
	Note  string
}

// form is the draft in one form.
type form struct{ Title, About, Text string }

// variable is one that is set.
type variable struct{ Name, Value string }

func exportOf(r *Request) (any, error) {
	s, _, plan, err := planned(r)
	if err != nil {
		return nil, err
	}
	before, err := explainedFor(r, r.Tool, s)
	if err != nil {
		return nil, err
	}
	after, err := explainedFor(r, seeing(r.Tool, plan.Files), s)
	if err != nil {
		return nil, err
	}
	e := &export{}
	m, err := r.Tool.Machine()
	if err != nil {
		return nil, err
	}
	list := variablesFor(&m, s, before.layers(), after.layers())
	switch {
	case len(list) == 0:
		e.Note = "Variables cannot express this change: it only changes the order of layers. Use the settings file."
	default:
		with := *s
		for _, v := range list {
			with.Env = append(slices.Clone(with.Env), v.Name+"="+v.Value)
		}
		got, err := explainedFor(r, r.Tool, &with)
		if err != nil {
			return nil, err
		}
		switch {
		case !sameSet(got.layers(), after.layers()):
			e.Note = "Variables cannot express this change: with them, programs get other layers. Use the settings file."
			list = nil
		case !slices.Equal(got.layers(), after.layers()):
			e.Note = "With the variables, programs get the same layers in a different order. The settings file also sets the order."
		}
	}
	if len(list) > 0 {
		e.variables(list)
	}
	e.Forms = append(e.Forms, form{"Settings file", "For " + plan.Files[0].Path + ", here or on another machine.", plan.Files[0].Text})
	return e, nil
}

// variablesFor are those that make the difference between two chains.
func variablesFor(m *machine.Machine, s *subject, before, after []string) (list []variable) {
	add := func(v variables.ID, names []string) {
		if len(names) == 0 {
			return
		}
		now, _ := m.Lookup(v.Name())
		for _, pair := range s.Env {
			if value, is := strings.CutPrefix(pair, v.Name()+"="); is {
				now = value
			}
		}
		if now != "" {
			names = append([]string{now}, names...)
		}
		list = append(list, variable{v.Name(), strings.Join(names, ",")})
	}
	add(variables.LayersEnable, missing(after, before))
	add(variables.LayersDisable, missing(before, after))
	return list
}

// missing are those of a list that the other does not have.
func missing(list, other []string) (names []string) {
	for _, name := range list {
		if !slices.Contains(other, name) {
			names = append(names, name)
		}
	}
	return names
}

func sameSet(a, b []string) bool { return len(missing(a, b))+len(missing(b, a)) == 0 }

// variables adds the forms that set variables.
func (e *export) variables(list []variable) {
	var shell, unit, steam strings.Builder
	unit.WriteString("[Service]\n")
	env := []string{}
	for _, v := range list {
		shell.WriteString("export " + v.Name + "=" + term.Quoted(v.Value) + "\n")
		unit.WriteString(`Environment="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(v.Name+"="+v.Value) + "\"\n")
		steam.WriteString(v.Name + "=" + term.Quoted(v.Value) + " ")
		env = append(env, v.Name+"="+v.Value)
	}
	device, _ := json.MarshalIndent(map[string]any{"cdiVersion": "0.5.0", "kind": "vkloader.local/layers",
		"devices": []any{map[string]any{"name": "chosen", "containerEdits": map[string]any{"env": env}}}}, "", "  ")
	e.Forms = append(e.Forms, form{"Variables", "For a shell.", shell.String()},
		form{"systemd", "For a service: a file such as /etc/systemd/system/NAME.service.d/layers.conf.", unit.String()},
		form{"Steam", "For the launch options of a game.", steam.String() + "%command%\n"},
		form{"CDI", "For containers: save it as /etc/cdi/vkloader-layers.json, and name the device vkloader.local/layers=chosen.", string(device) + "\n"})
}
