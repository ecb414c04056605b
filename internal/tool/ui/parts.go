package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// exportPart shows the draft in other forms than the user's settings file.
var exportPart = &Page{Name: "export", Title: "Export", Data: exportOf}

// export is the data of the part.
type export struct {
	Forms []form
	Note  string
}

// form is the draft in one form.
type form struct{ Title, About, Text string }

func exportOf(r *Request) (any, error) {
	s, _, plan, err := subjectAndPlan(r)
	if err != nil {
		return nil, err
	}
	before, err := explainedFor(r, r.Tool, s)
	if err != nil {
		return nil, err
	}
	if why := unread(before.Loader); why != "" {
		return &export{Note: why}, nil
	}
	after, err := explainedFor(r, seeing(r.Tool, plan.Files), s)
	if err != nil {
		return nil, err
	}
	e := &export{}
	m := r.Tool.Machine()
	list := variablesFor(&m, s, before, after)
	switch {
	case len(list) == 0:
		e.Note = "Variables cannot express this change: it only changes the order. Use the settings file."
	default:
		with := *s
		for _, v := range list {
			with.Env = append(slices.Clone(with.Env), v.Variable+"="+v.Value)
		}
		got, err := explainedFor(r, r.Tool, &with)
		if err != nil {
			return nil, err
		}
		is, wanted := append(got.ActiveLayers(), driversOf(got)...), append(after.ActiveLayers(), driversOf(after)...)
		switch {
		case len(missing(is, wanted))+len(missing(wanted, is)) > 0:
			e.Note =
				"Variables cannot express this change: with them, programs get other layers or drivers. Use the settings file."
			list = nil
		case !slices.Equal(is, wanted):
			e.Note =
				"With the variables, programs get the same layers and drivers in a different order. The settings file also sets the order."
		}
	}
	if len(list) > 0 {
		e.variables(list)
	}
	e.Forms = append(e.Forms,
		form{"Settings file", "For " + plan.Files[0].Path + ", here or on another machine.", plan.Files[0].Text})
	return e, nil
}

// variablesFor returns the variables that turn one chain into another.
func variablesFor(m *machine.Machine, s *subject, before, after *survey.Explanation) (list []explain.Change) {
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
		list = append(list, explain.SetVariable(v.Name(), strings.Join(names, ",")))
	}
	old, fresh := before.ActiveLayers(), after.ActiveLayers()
	add(variables.LayersEnable, missing(fresh, old))
	add(variables.LayersDisable, missing(old, fresh))
	add(variables.DriversDisable, term.Words(missing(driversOf(before), driversOf(after)), machine.Style.Base))
	return list
}

// missing returns the names in list that are not in other.
func missing(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(other, name) })
}

// variables adds the forms that set variables.
func (e *export) variables(list []explain.Change) {
	var unit strings.Builder
	var lines, steam shell.Line
	unit.WriteString("[Service]\n")
	env := []string{}
	for _, v := range list {
		lines += v.Line() + "\n"
		unit.WriteString(`Environment="` +
			strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(v.Variable+"="+v.Value) + "\"\n")
		steam += v.Assignment() + " "
		env = append(env, v.Variable+"="+v.Value)
	}
	device, _ := json.MarshalIndent(map[string]any{"cdiVersion": "0.5.0", "kind": "vkloader.local/layers",
		"devices": []any{map[string]any{"name": "chosen", "containerEdits": map[string]any{"env": env}}}}, "", "  ")
	e.Forms = append(e.Forms, form{"Variables", "For a shell.", string(lines)},
		form{"systemd", "For a service: a file such as /etc/systemd/system/NAME.service.d/layers.conf.", unit.String()},
		form{"Steam", "For the launch options of a game.", string(steam + "%command%\n")}, form{"CDI",
			"For containers: save it as /etc/cdi/vkloader-layers.json, and name the device vkloader.local/layers=chosen.", string(device) + "\n"})
}

// tryStart loads drivers and layers in a child process with the draft as its settings.
var tryStart = &Page{Name: "try", Title: "Trying drivers and layers", Data: tryOf}

// trial is the result of the child process.
type trial struct {
	Result *probe.Result
	Works  bool
}

func tryOf(r *Request) (any, error) {
	s, d, plan, err := subjectAndPlan(r)
	if err != nil {
		return nil, err
	}
	m := r.Tool.Machine()
	text, err := convertForAll(&m, plan.Files[0].Text, d)
	if err != nil {
		return nil, err
	}
	result, err := r.Tool.Try(s.Env, text)
	if err != nil {
		return nil, err
	}
	return &trial{Result: result, Works: result.Outcome == probe.Fine && len(result.Devices) > 0}, nil
}

// convertForAll converts a settings file for the draft's program to one for all programs, because the child is another
// program.
func convertForAll(m *machine.Machine, text string, d *draft) (string, error) {
	content := map[string]any{}
	if err := json.Unmarshal([]byte(text), &content); err != nil {
		return "", err
	}
	var apps []string
	if !d.All {
		var err error
		if apps, err = settings.RealApps(m, []string{d.app}); err != nil {
			return "", err
		}
	}
	object := settings.For(content, apps, false)
	if object == nil {
		return "", errors.New("the settings say nothing about the program")
	}
	return settings.TextForAll(object)
}

// picturePart draws the decided chain with the draft in the address. It starts no process.
var picturePart = &Page{Name: "picture", Title: "Picture",
	Data: func(r *Request) (any, error) { return pictureOf(r, true) }}

// pictureStart draws the chain with intercepted commands and devices from child processes.
var pictureStart = &Page{Name: "picture", Title: "Asking layers and devices",
	Data: func(r *Request) (any, error) { return pictureOf(r, false) }}

// picture is the data of the part.
type picture struct {
	SVG     template.HTML // written by package survey, which escapes every name
	Problem string
}

// maxDrawn is the maximum number of layers or drivers in a picture.
const maxDrawn = 24

// pictureOf draws a chain. still: without child processes.
func pictureOf(r *Request, still bool) (any, error) {
	s, d, err := subjectAndDraft(r)
	if err != nil {
		return nil, err
	}
	args := []string{"explain", "--picture", "--json", "--timeout", "10s"}
	if still || d.Given() { // children use the current settings
		args = append(args, "--no-probe")
	}
	tool, err := d.tool(r)
	if err != nil {
		return nil, err
	}
	ran := tool.Run(r, s.args(args...)...)
	chain, ok := ran.Value.(*survey.Chain)
	if !ok {
		return nil, ran.Failed()
	}
	if n := len(chain.Layers) - maxDrawn; n > 0 {
		more := explain.Item{Name: fmt.Sprintf("and %d more layers", n), Meta: true, Why: "the list above has them"}
		chain.Layers = append(chain.Layers[:maxDrawn:maxDrawn], survey.ChainLayer{Item: more})
	}
	if n := len(chain.Drivers) - maxDrawn; n > 0 {
		more := explain.Item{Name: fmt.Sprintf("and %d more drivers", n)}
		chain.Drivers = append(chain.Drivers[:maxDrawn:maxDrawn], survey.ChainDriver{Item: more})
	}
	return &picture{SVG: template.HTML(survey.PictureFragment(chain)), Problem: chain.Problem}, nil
}
