package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// rawSetting is a setting in the manifest's JSON.
type rawSetting struct {
	Key, Label, Description, Type, Env string
	Unit, Filter, Status, View         string
	Default                            any
	Platforms                          []string
	Range                              struct{ Min, Max *float64 }
	Dependence                         *struct {
		Mode     string
		Settings elements[rawValue]
	}
	Flags elements[struct {
		Key, Label, Description, Status, View string
		Platforms                             []string
		Settings                              elements[rawSetting]
	}]
	Settings elements[rawSetting]
}

// elements is an array of a manifest. An element of the wrong form is left out, and costs no other element; validate names it.
type elements[T any] []T

// UnmarshalJSON reads the elements that have the form of T. Another value than an array has no elements.
func (e *elements[T]) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	for _, text := range list {
		var one T
		if json.Unmarshal(text, &one) == nil {
			*e = append(*e, one)
		}
	}
	return nil
}

// features are the features of a layer. A value of the wrong form has none.
type features struct {
	Settings elements[rawSetting]
	Presets  elements[rawPreset]
}

// UnmarshalJSON reads the features; a value of the wrong form is no error.
func (f *features) UnmarshalJSON(data []byte) error {
	type plain features
	_ = json.Unmarshal(data, (*plain)(f)) // validate names the fault
	return nil
}

type rawValue struct {
	Key   string
	Value any
}

type rawPreset struct {
	Label, Description, Status string
	Platforms                  []string
	Settings                   elements[rawValue]
}

// rawLayer is a layer in the manifest's JSON. Members whose form does not matter for the settings are of any type.
type rawLayer struct {
	Name       string
	Text       any `json:"description"`
	URL        any
	Platforms  any
	API        any                             `json:"api_version"`
	Version    any                             `json:"implementation_version"`
	Extensions elements[struct{ Name string }] `json:"instance_extensions"`
	Features   features
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

// ReadLayer reads the settings of a layer from its manifest.
func ReadLayer(text []byte, name string) (*Layer, error) {
	var file struct {
		Layer  json.RawMessage
		Layers elements[rawLayer]
	}
	if json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &file) != nil {
		return nil, errors.New("the manifest is not valid JSON: vkloader validate shows the place")
	}
	var alone rawLayer
	if len(file.Layer) > 0 && json.Unmarshal(file.Layer, &alone) != nil {
		alone = rawLayer{}
	}
	l := &Layer{Name: name}
	for _, one := range append(file.Layers, alone) {
		if one.Name != name {
			continue
		}
		// Layers with this extension use a library that reads a variable for each setting.
		variables := slices.ContainsFunc(one.Extensions, func(e struct{ Name string }) bool { return e.Name == "VK_EXT_layer_settings" })
		l.add(one.Features.Settings, variables, "", 0)
		l.addPresets(one.Features.Presets)
		l.About = About{textOf(one.Text), textOf(one.URL), textOf(one.Platforms), textOf(one.API), textOf(one.Version)}
		break
	}
	return l, nil
}

// isHere reports whether a setting or preset is for this system. Without platforms, it is for all.
func isHere(platforms []string) bool {
	return len(platforms) == 0 || slices.Contains(platforms, "LINUX")
}

func (l *Layer) add(list []rawSetting, variables bool, group string, depth int) {
	for i := range list {
		r := &list[i]
		group, depth := group, depth
		switch {
		case r.Type == "GROUP":
			group = r.Label
		case r.Key != "" && slices.Contains(validation.SettingTypes, r.Type) && isHere(r.Platforms):
			l.Settings = append(l.Settings, l.setting(r, variables, group, depth))
			depth++
		}
		for _, f := range r.Flags {
			l.add(f.Settings, variables, group, depth)
		}
		l.add(r.Settings, variables, group, depth)
	}
}

// setting converts a setting of the manifest.
func (l *Layer) setting(r *rawSetting, variables bool, group string, depth int) Setting {
	s := Setting{Key: r.Key, Type: r.Type, Label: r.Label, Description: r.Description, Default: textOf(r.Default), Min: r.Range.Min, Max: r.Range.Max,
		Unit: r.Unit, Filter: r.Filter, Variable: r.Env, Status: r.Status, View: r.View, Group: group, Depth: depth}
	if s.Variable == "" && variables {
		s.Variable = "VK_" + strings.ToUpper(strings.TrimPrefix(l.Name, layerPrefix)+"_"+r.Key)
	}
	for _, f := range r.Flags {
		if isHere(f.Platforms) {
			s.Values = append(s.Values, f.Key)
			s.Choices = append(s.Choices, Choice{f.Key, f.Label, f.Description, f.Status, f.View})
		}
	}
	if r.Dependence != nil {
		s.Depends = &Dependence{Mode: r.Dependence.Mode}
		for _, v := range r.Dependence.Settings {
			s.Depends.On = append(s.Depends.On, Wanted{v.Key, textOf(v.Value)})
		}
	}
	return s
}

// addPresets adds the presets for this system, reduced to settings that the layer has.
func (l *Layer) addPresets(list []rawPreset) {
	for _, r := range list {
		if !isHere(r.Platforms) {
			continue
		}
		p := Preset{Label: r.Label, Description: r.Description, Status: r.Status}
		for _, v := range r.Settings {
			if l.Find(v.Key) != nil {
				p.Settings = append(p.Settings, Wanted{v.Key, textOf(v.Value)})
			}
		}
		if len(p.Settings) > 0 {
			l.Presets = append(l.Presets, p)
		}
	}
}

// layerPrefix is the prefix of layer names. Setting names do not have it.
const layerPrefix = "VK_LAYER_"

// textOf returns a default value in the file's format.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		return fmt.Sprint(v)
	case float64:
		return wording.Number(v)
	case []any:
		var words []string
		for _, one := range v {
			if text := textOf(one); text != "" {
				words = append(words, text)
			}
		}
		return strings.Join(words, ",")
	case map[string]any:
		return elementText(v)
	case string:
		return v
	}
	return ""
}

// elementText returns an element of LIST in the file's format: its key or number, "" for a disabled one. Another object stays JSON.
func elementText(v map[string]any) string {
	if enabled, is := v["enabled"].(bool); is && !enabled {
		return ""
	}
	for _, name := range []string{"key", "number", "value"} {
		if text := textOf(v[name]); text != "" {
			return text
		}
	}
	text, _ := json.Marshal(v) // a decoded value can be encoded
	return string(text)
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

// since maps settings of newer validation layers to the equivalent values of older ones.
var since = map[string]string{
	"validate_sync":           "enables=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
	"validate_best_practices": "enables=VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT",
	"printf_enable":           "enables=VK_VALIDATION_FEATURE_ENABLE_DEBUG_PRINTF_EXT",
	"gpuav_enable":            "enables=VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT",
	"validate_core":           "disables=VK_VALIDATION_FEATURE_DISABLE_CORE_CHECKS_EXT",
	"thread_safety":           "disables=VK_VALIDATION_FEATURE_DISABLE_THREAD_SAFETY_EXT",
}

// Unknown returns the error for a setting that the layer does not have.
func (l *Layer) Unknown(key string) error {
	keys := term.Words(l.Settings, func(s Setting) string { return s.Key })
	if name, value, ok := strings.Cut(since[key], "="); ok {
		if s := l.Find(name); s != nil && slices.Contains(s.Values, value) {
			return fmt.Errorf("this version of %s has no setting %s; it has %s=%s", l.Name, key, name, value)
		}
	}
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
	return !slices.ContainsFunc(strings.Split(wanted, ","), func(word string) bool { return !slices.Contains(words, word) })
}
