package ui

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vkloader/discover"
	"vkloader/internal/decide/wording"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

var layersPage = &Page{Name: "layers", Title: "Layer settings", Data: layersOf}

// layersView is the list of layers, or the form of one layer.
type layersView struct {
	List  *layers
	Layer *layer
}

// layers is the list of layers with settings.
type layers struct {
	With    []*settings.Layer
	Without int      // the number of layers without settings
	Unread  []string // the manifests that could not be read, with the reasons
	File    string   // the file in force; "": none
	Problem string   // the reason if the file in force is unknown
}

// layer is the form of one layer.
type layer struct {
	*settings.LayerSettings // as they are
	Name                    string
	Rows                    []*layerRow
	Where                   string // "configuration"; "variables"; "" for all programs
	Variables               bool   // show variables instead of a file

	Configuration  string   // has the settings; "": none
	Configurations []string // the configurations that can have the settings

	Differ  []layerDiffer // settings that differ from their defaults
	Plan    *Plan         // nil: no change
	Exports string        // the equivalent shell lines
	Err     string        // the reason if the changes are impossible
	Fields  []field       // the form fields for the change

	labels map[[2]string]string // by key and value; of settings with the value ""
}

// layerRow is a setting in the form.
type layerRow struct {
	settings.Setting
	Line    int    // in the file; 0: not set
	Now     string // the value in force
	Value   string // the value in the form
	Idle    bool   // the setting has no effect with the form's values
	Needs   string // the condition for an effect, in words
	Choices []layerChoice
	Head    string // the heading of a group that begins here; "": none
}

// layerChoice is a selectable value.
type layerChoice struct {
	settings.Choice
	On bool
}

// layerDiffer is a setting that differs from its default.
type layerDiffer struct{ Label, Default, Value string }

// Address returns the page with the text of the manifest.
func (view *layer) Address() string { return filesFile{Path: view.Manifest}.Address() }

// Field returns the setting's name in the form.
func (r *layerRow) Field() string { return "s." + url.PathEscape(r.Key) }

// Range describes the allowed numbers.
func (r *layerRow) Range() (text string) {
	if r.Min != nil {
		text = ", at least " + wording.Number(*r.Min)
	}
	if r.Max != nil {
		text += ", at most " + wording.Number(*r.Max)
	}
	return text
}

// Changed reports whether the form's value differs from the value in force.
func (r *layerRow) Changed() bool { return r.Value != r.Now }

// Kind returns the kind of form element for the value.
func (r *layerRow) Kind() string {
	switch {
	case r.Type == "BOOL" || r.Type == "BOOL_NUMERIC":
		return "switch"
	case r.Type == "FLAGS" && len(r.Setting.Choices) > 0:
		return "flags"
	case r.Type == "ENUM" && len(r.Setting.Choices) > 0:
		return "one"
	case r.Type == "INT":
		return "number"
	}
	return "text"
}

// layersOf answers layers and layers/NAME.
func layersOf(r *Request) (any, error) {
	if r.Rest != "" {
		r.Heading = "Settings of " + r.Rest
		form, err := layerOf(r, r.Rest)
		return &layersView{Layer: form}, err
	}
	view, err := layersWithSettings(r)
	if err != nil {
		return nil, err
	}
	m := r.Tool.Machine()
	if shown, err := settings.ShowLayers(&m); err != nil {
		view.Problem = err.Error()
	} else if shown != nil {
		view.File = shown.File
	}
	return &layersView{List: view}, nil
}

// layersWithSettings returns the list of layers.
func layersWithSettings(r *Request) (*layers, error) {
	var found struct{ Found []discover.ListEntry }
	if err := r.Tool.Run(r, "list", "layers", "--json").Decode(&found); err != nil {
		return nil, err
	}
	m := r.Tool.Machine()
	view, seen := &layers{}, map[string]bool{}
	for _, row := range found.Found {
		if row.Path == "" || seen[row.Subject] {
			continue
		}
		seen[row.Subject] = true
		text, err := m.ReadFile(row.Path)
		if row.Subject == row.Path || err != nil {
			view.Unread = append(view.Unread, row.Path+": "+row.Why)
			continue
		}
		if !bytes.Contains(text, []byte(`"features"`)) {
			view.Without++
			continue
		}
		l, err := settings.ReadLayer(text, row.Subject)
		if err != nil || len(l.Settings) == 0 {
			view.Without++
			continue
		}
		view.With = append(view.With, l)
	}
	slices.SortFunc(view.With, func(a, b *settings.Layer) int { return strings.Compare(a.Name, b.Name) })
	return view, nil
}

// layerOf returns the form of a layer with the values in the address.
func layerOf(r *Request, name string) (view *layer, err error) {
	view = &layer{Name: name, Where: r.Query.Get("where")}
	view.Variables = view.Where == "variables"
	found, err := r.Tool.Settings()
	if err != nil {
		return nil, err
	}
	list, _ := found.Configurations()
	view.Configurations = term.Words(list, func(c *settings.Configuration) string { return c.Name })
	if view.Where == "configuration" {
		view.Configuration = cmp.Or(append([]string{r.Ref(view.Where)}, view.Configurations...)...)
	}
	if view.LayerSettings, err = found.ChangeLayer(view.change()); err != nil {
		return nil, err
	}
	for _, s := range view.Settings {
		row := &layerRow{Setting: s.Setting, Line: s.Line, Now: s.Default}
		if s.Line > 0 {
			row.Now = s.Value
		}
		row.Value = row.Now
		view.Rows = append(view.Rows, row)
	}
	view.fill(r)
	view.complete()
	view.try(r)
	return view, nil
}

// change returns a change of the layer without edits.
func (view *layer) change() *settings.LayerChange {
	return &settings.LayerChange{Layer: view.Name, Configuration: view.Configuration}
}

// Link returns the form with a preset, for the same programs.
func (view *layer) Link(preset any) template.URL {
	q := url.Values{}
	if preset != "" {
		q.Set("preset", fmt.Sprint(preset))
	}
	if view.Where != "" {
		q.Set("where", view.Where)
	}
	if view.Configuration != "" {
		q.Set("configuration", url.QueryEscape(view.Configuration))
	}
	return link("layers/"+url.PathEscape(view.Name), q)
}

// fill sets the values from the address: those of a preset, the defaults, or those of the form.
func (view *layer) fill(r *Request) {
	wanted := r.Query.Get("preset")
	for _, row := range view.Rows {
		switch {
		case wanted == "defaults":
			row.Value = row.Default
		case r.Query.Has("form") && row.View != "HIDDEN":
			row.Value = row.formValue(r)
		}
	}
	if n, err := strconv.Atoi(wanted); err == nil && n >= 0 && n < len(view.Presets) {
		for _, w := range view.Presets[n].Settings {
			for _, row := range view.Rows {
				if row.Key == w.Key {
					row.Value = w.Value
				}
			}
		}
	}
}

// formValue returns a setting's value in the form. The address omits fields without a value.
func (r *layerRow) formValue(q *Request) string {
	field := r.Field()
	switch r.Kind() {
	case "switch":
		return strconv.FormatBool(q.Query.Get(field) != "")
	case "flags":
		var words []string
		chosen := q.Refs(field)
		for _, value := range r.Values { // in the manifest's order
			if slices.Contains(chosen, value) {
				words = append(words, value)
			}
		}
		return r.same(strings.Join(words, ","))
	case "one":
		if value := q.Ref(field); value != "" {
			return value
		}
		return r.Now
	}
	text := q.Query.Get(field)
	if text == term.Text(r.Now) { // shown and unchanged
		return r.Now
	}
	if text == "" && !slices.Contains([]string{"STRING", "LIST", "FLAGS", "FRAMES"}, r.Type) {
		return r.Default
	}
	return text
}

// same returns the value in force or the default if value has the same flags in another order; otherwise value.
func (r *layerRow) same(value string) string {
	for _, other := range []string{r.Now, r.Default} {
		a, b := strings.Split(value, ","), strings.Split(other, ",")
		slices.Sort(a)
		slices.Sort(b)
		if slices.Equal(a, b) {
			return other
		}
	}
	return value
}

// complete adds the form's other data.
func (view *layer) complete() {
	value := map[string]string{}
	view.labels = map[[2]string]string{}
	for _, row := range view.Rows {
		for _, c := range row.Setting.Choices {
			view.labels[[2]string{row.Key, c.Key}] = c.Label
		}
		value[row.Key], view.labels[[2]string{row.Key, ""}] = row.Value, row.Label
	}
	group := ""
	for _, row := range view.Rows {
		row.Choices = nil
		chosen := strings.Split(row.Value, ",")
		for _, c := range row.Setting.Choices {
			if on := slices.Contains(chosen, c.Key); on || c.View != "HIDDEN" {
				row.Choices = append(row.Choices, layerChoice{c, on})
			}
		}
		if row.Kind() == "one" && !slices.ContainsFunc(row.Choices, func(c layerChoice) bool { return c.On }) {
			// a value that the manifest does not list
			row.Choices = append(row.Choices, layerChoice{settings.Choice{Key: row.Value}, true})
		}
		if row.Group != group {
			group, row.Head = row.Group, row.Group
		}
		if d := row.Depends; d != nil && len(d.On) > 0 {
			row.Idle = !d.Holds(func(key string) string { return value[key] })
			on := term.Words(d.On, func(w settings.Wanted) string {
				return view.label(w.Key, "") + " = " + view.label(w.Key, w.Value)
			})
			switch d.Mode {
			case "ANY":
				row.Needs = "with " + strings.Join(on, " or ")
			case "NONE":
				row.Needs = "without " + strings.Join(on, " and without ")
			default:
				row.Needs = "with " + strings.Join(on, " and ")
			}
		}
		if row.Value != row.Default {
			view.Differ = append(view.Differ, layerDiffer{view.label(row.Key, ""), view.valueText(row, row.Default),
				view.valueText(row, row.Value)})
		}
	}
}

// label returns the form's label for a value of a setting, or for the setting itself.
func (view *layer) label(key, value string) string {
	return cmp.Or(view.labels[[2]string{key, value}], value, key)
}

// valueText returns a value as the form shows it.
func (view *layer) valueText(row *layerRow, value string) string {
	if len(row.Setting.Choices) == 0 || value == "" {
		return value
	}
	label := func(word string) string { return view.label(row.Key, word) }
	return strings.Join(term.Words(strings.Split(value, ","), label), ", ")
}

// try sets the effect of the changes from a dry run.
func (view *layer) try(r *Request) {
	c := view.change()
	c.Variables = view.Variables
	for _, row := range view.Rows {
		switch {
		case view.Variables && row.Value != row.Default && row.Variable != "":
			c.Edits = append(c.Edits, settings.LayerEdit{Key: row.Key, Value: row.Value})
		case view.Variables, !row.Changed():
		default:
			c.Edits = append(c.Edits,
				settings.LayerEdit{Key: row.Key, Value: row.Value, Default: row.Value == row.Default})
		}
	}
	fields := maps.Clone(r.Query)
	fields.Add("layer", view.Name)
	view.Fields = fieldsOf(fields)
	if len(c.Edits) == 0 {
		return
	}
	if view.Variables {
		ran := r.Tool.Run(r, lineOf(c)...)
		if view.Exports = ran.Out; ran.Code != exit.Fine {
			view.Err = ran.Failed().Error()
		}
		return
	}
	note := "The layer reads the file when a program starts. The change does not enable the layer."
	if view.Configuration != "" {
		note = "Programs get the settings when they use the configuration, again if they use it now."
	}
	var err error
	view.Plan, err = planOf(r, &Plan{Title: "Change the settings of " + view.Name, Args: lineOf(c), Note: note})
	if err != nil {
		view.Err = err.Error()
	}
}

// lineOf returns the command line that makes a change.
func lineOf(c *settings.LayerChange) []string {
	operands, options := []string{c.Layer}, []string(nil)
	for _, e := range c.Edits {
		switch {
		case e.Default:
			operands = append(operands, e.Key+"=")
		case e.Value == "":
			options = append(options, "--empty", e.Key)
		default:
			operands = append(operands, e.Key+"="+e.Value)
		}
	}
	command, options := []string{"settings", "layer"}, append(options, option.Words(c)...)
	// the names come from manifests, and are no options
	if slices.ContainsFunc(operands, func(name string) bool { return strings.HasPrefix(name, "-") }) {
		return slices.Concat(command, options, []string{"--"}, operands)
	}
	return slices.Concat(command, operands, options)
}

// planLayerSettings plans to write the settings of a layer.
func planLayerSettings(r *Request) (*Plan, error) {
	view, err := layerOf(r, r.Query.Get("layer"))
	switch {
	case err != nil:
		return nil, err
	case view.Err != "":
		return nil, errors.New(view.Err)
	case view.Plan == nil:
		return nil, errors.New("nothing has changed")
	}
	return view.Plan, nil
}
