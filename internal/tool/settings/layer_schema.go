package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/document"
	"vkloader/internal/decide/wording"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

// Setting is a setting of a layer.
type Setting struct {
	Key         string      `json:"key"`
	Type        string      `json:"type"` // BOOL, INT, FLAGS, ..., as in the manifest
	Label       string      `json:"label,omitempty"`
	Description string      `json:"description,omitempty"`
	Default     string      `json:"default"`
	Values      []string    `json:"values,omitempty"`   // the allowed values of ENUM and FLAGS
	Choices     []Choice    `json:"choices,omitempty"`  // the same values with labels and descriptions
	Min         *float64    `json:"min,omitempty"`      // the minimum of INT and FLOAT
	Max         *float64    `json:"max,omitempty"`      // the maximum of INT and FLOAT
	Unit        string      `json:"unit,omitempty"`     // the unit of INT and FLOAT
	Filter      string      `json:"filter,omitempty"`   // the pattern for files, such as *.json
	Variable    string      `json:"variable,omitempty"` // the variable for the setting
	Status      string      `json:"status,omitempty"`   // STABLE, BETA, ALPHA, DEPRECATED
	View        string      `json:"view,omitempty"`     // STANDARD, ADVANCED, HIDDEN
	Group       string      `json:"group,omitempty"`    // the group's heading
	Depth       int         `json:"depth,omitempty"`    // the nesting depth below other settings
	Depends     *Dependence `json:"depends,omitempty"`  // the condition for an effect; absent: always
}

// Choice is a value of ENUM or FLAGS.
type Choice struct {
	Key         string `json:"key"`
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
	Status      string `json:"status,omitempty"`
	View        string `json:"view,omitempty"`
}

// Preset is a set of values from a manifest.
type Preset struct {
	Label       string   `json:"label"`
	Description string   `json:"description,omitempty"`
	Status      string   `json:"status,omitempty"`
	Settings    []Wanted `json:"settings"`
}

// Wanted is a setting with a value.
type Wanted struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Layer is a layer with its settings.
type Layer struct {
	Name     string
	Settings []Setting
	Presets  []Preset
	About    About
}

// About is what a manifest says about its layer; "": nothing.
type About struct{ Description, URL, Platforms, API, Version string }

// IsWeb reports whether the URL is one that a browser opens safely.
func (a About) IsWeb() bool { return strings.HasPrefix(a.URL, "https://") }

// ReadLayer reads the settings of a layer from its manifest. A member of the wrong type is its text, or missing;
// validate names it.
func ReadLayer(text []byte, name string) (*Layer, error) {
	doc, fault := document.Parse(string(text))
	if fault != nil {
		return nil, errors.New("the manifest is not valid JSON: vkloader validate shows the place")
	}
	l := &Layer{Name: name}
	for _, one := range append(elements(doc.Top().Member("layers")), doc.Top().Member("layer")) {
		of := func(member string) string { return textOf(one.Member(member)) }
		if of("name") != name {
			continue
		}
		// Layers with this extension use a library that reads a variable for each setting.
		reads := func(e document.Value) bool { return textOf(e.Member("name")) == "VK_EXT_layer_settings" }
		variables := slices.ContainsFunc(elements(one.Member("instance_extensions")), reads)
		l.add(one.Member("features").Member("settings"), variables, "", 0)
		l.addPresets(one.Member("features").Member("presets"))
		l.About = About{of("description"), of("url"), of("platforms"), of("api_version"), of("implementation_version")}
		break
	}
	return l, nil
}

// elements returns the objects in an array.
func elements(array document.Value) (list []document.Value) {
	for e := array.First(); array.Kind() == document.Array && e.Exists(); e = e.Next() {
		if e.IsObject() {
			list = append(list, e)
		}
	}
	return list
}

// isHere reports whether a setting or preset is for this system. Without platforms, it is for all.
func isHere(v document.Value) bool {
	platforms := textOf(v.Member("platforms"))
	return platforms == "" || hasWord(platforms, "LINUX")
}

func (l *Layer) add(list document.Value, variables bool, group string, depth int) {
	for _, r := range elements(list) {
		group, depth := group, depth
		switch kind := textOf(r.Member("type")); {
		case kind == "GROUP":
			group = textOf(r.Member("label"))
		case textOf(r.Member("key")) != "" && slices.Contains(validation.SettingTypes, kind) && isHere(r):
			l.Settings = append(l.Settings, l.setting(r, variables, group, depth))
			depth++
		}
		for _, f := range elements(r.Member("flags")) {
			l.add(f.Member("settings"), variables, group, depth)
		}
		l.add(r.Member("settings"), variables, group, depth)
	}
}

func (l *Layer) setting(r document.Value, variables bool, group string, depth int) Setting {
	of := func(member string) string { return textOf(r.Member(member)) }
	limit := func(member string) *float64 {
		if number, is := r.Member("range").Member(member).Number(); is {
			return &number
		}
		return nil
	}
	s := Setting{Key: of("key"), Type: of("type"), Label: of("label"), Description: of("description"),
		Default: of("default"),
		Min:     limit("min"), Max: limit("max"), Unit: of("unit"), Filter: of("filter"), Variable: of("env"),
		Status: of("status"), View: of("view"), Group: group, Depth: depth}
	if s.Variable == "" && variables {
		s.Variable = "VK_" + strings.ToUpper(strings.TrimPrefix(l.Name, layerPrefix)+"_"+s.Key)
	}
	for _, f := range elements(r.Member("flags")) {
		if isHere(f) {
			of := func(member string) string { return textOf(f.Member(member)) }
			s.Values = append(s.Values, of("key"))
			s.Choices = append(s.Choices, Choice{of("key"), of("label"), of("description"), of("status"), of("view")})
		}
	}
	if d := r.Member("dependence"); d.IsObject() {
		s.Depends = &Dependence{textOf(d.Member("mode")), wantedSettings(d.Member("settings"))}
	}
	return s
}

func wantedSettings(list document.Value) []Wanted {
	return term.Words(elements(list), func(v document.Value) Wanted {
		return Wanted{textOf(v.Member("key")), textOf(v.Member("value"))}
	})
}

// addPresets adds the presets for this system, reduced to settings that the layer has.
func (l *Layer) addPresets(list document.Value) {
	for _, r := range elements(list) {
		of := func(member string) string { return textOf(r.Member(member)) }
		isUnknown := func(w Wanted) bool { return l.Find(w.Key) == nil }
		settings := slices.DeleteFunc(wantedSettings(r.Member("settings")), isUnknown)
		if isHere(r) && len(settings) > 0 {
			l.Presets = append(l.Presets, Preset{of("label"), of("description"), of("status"), settings})
		}
	}
}

// layerPrefix is the prefix of layer names. Setting names do not have it.
const layerPrefix = "VK_LAYER_"

// textOf returns a value in the format of the layer settings file; "": it has none there.
func textOf(value document.Value) string {
	switch value.Kind() {
	case document.True, document.False:
		return fmt.Sprint(value.IsTrue())
	case document.Number:
		number, _ := value.Number()
		return wording.Number(number)
	case document.Array:
		var words []string
		for one := value.First(); one.Exists(); one = one.Next() {
			if text := textOf(one); text != "" {
				words = append(words, text)
			}
		}
		return strings.Join(words, ",")
	case document.Object:
		return elementText(value)
	}
	text, _ := value.Text()
	return text
}

// elementText returns an element of LIST in the file's format: its key or number, "" for a disabled one. Another object
// stays JSON.
func elementText(v document.Value) string {
	if v.Member("enabled").Kind() == document.False {
		return ""
	}
	for _, name := range []string{"key", "number", "value"} {
		if text := textOf(v.Member(name)); text != "" {
			return text
		}
	}
	var text bytes.Buffer
	_ = json.Compact(&text, []byte(v.Raw())) // what only loaders take for JSON has no text
	return text.String()
}

// Find returns the setting with a name; nil if the layer has none.
func (l *Layer) Find(key string) *Setting {
	for i := range l.Settings {
		if l.Settings[i].Key == key {
			return &l.Settings[i]
		}
	}
	return nil
}

// Full returns the name of a setting in the file.
func (l *Layer) Full(key string) string {
	return strings.ToLower(strings.TrimPrefix(l.Name, layerPrefix)) + "." + key
}

// Unknown returns the error for a setting that the layer does not have.
func (l *Layer) Unknown(key string) error {
	keys := term.Words(l.Settings, func(s Setting) string { return s.Key })
	if near := term.NearestName(key, keys); near != "" {
		return fmt.Errorf("%s has no setting %s; did you mean %s?", l.Name, key, near)
	}
	return fmt.Errorf("%s has no setting %s: see vkloader settings layer %s", l.Name, key, l.Name)
}

// Check returns an error if a value does not have the setting's type.
func (s *Setting) Check(value string) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s=%s: "+format, append([]any{s.Key, value}, args...)...)
	}
	if strings.ContainsAny(value, "\n\r\x00#") {
		return wrong("a value must not contain a line break or #")
	}
	switch s.Type {
	case "BOOL", "BOOL_NUMERIC":
		if value != "true" && value != "false" {
			return wrong("it must be true or false")
		}
	case "INT":
		n, err := strconv.ParseInt(value, 0, 64)
		if err != nil {
			return wrong("it must be a whole number")
		}
		return s.within(float64(n), wrong)
	case "FLOAT":
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n != n {
			return wrong("it must be a number")
		}
		return s.within(n, wrong)
	case "ENUM":
		return s.oneOf(value, wrong)
	case "FLAGS":
		if value == "" {
			return nil
		}
		for _, word := range strings.Split(value, ",") {
			if err := s.oneOf(word, wrong); err != nil {
				return err
			}
		}
	case "FRAMES":
		if strings.Trim(value, "0123456789-,") != "" {
			return wrong("it must be a list of frames such as 0-2,5")
		}
	}
	return nil
}

func (s *Setting) within(n float64, wrong func(string, ...any) error) error {
	switch {
	case s.Min != nil && n < *s.Min:
		return wrong("it must be at least %s", wording.Number(*s.Min))
	case s.Max != nil && n > *s.Max:
		return wrong("it must be at most %s", wording.Number(*s.Max))
	}
	return nil
}

func (s *Setting) oneOf(word string, wrong func(string, ...any) error) error {
	if len(s.Values) == 0 || slices.Contains(s.Values, word) {
		return nil
	}
	if near := term.NearestName(word, s.Values); near != "" {
		return wrong("%s is not one of its values; did you mean %s?", word, near)
	}
	return wrong("%s is not one of its values: %s", word, strings.Join(s.Values, ", "))
}

// Dependence is a condition on other settings for a setting to have an effect.
type Dependence struct {
	Mode string   `json:"mode"` // ALL, ANY or NONE of on
	On   []Wanted `json:"on"`
}

// Holds reports whether the setting has an effect. value returns the value of another setting.
func (d *Dependence) Holds(value func(key string) string) bool {
	if d == nil || len(d.On) == 0 {
		return true
	}
	n := 0
	for _, on := range d.On {
		if hasWord(value(on.Key), on.Value) {
			n++
		}
	}
	switch d.Mode {
	case "ANY":
		return n > 0
	case "NONE":
		return n == 0
	}
	return n == len(d.On)
}

// hasWord reports whether a value equals wanted or, for flags, contains all wanted flags.
func hasWord(value, wanted string) bool {
	words := strings.Split(value, ",")
	return !slices.ContainsFunc(strings.Split(wanted, ","),
		func(word string) bool { return !slices.Contains(words, word) })
}
