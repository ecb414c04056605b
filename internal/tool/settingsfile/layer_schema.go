package settingsfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Setting is a setting that a layer has.
type Setting struct {
	Key         string      `json:"key"`
	Type        string      `json:"type"` // BOOL, INT, FLAGS, ..., as the manifest has it
	Label       string      `json:"label,omitempty"`
	Description string      `json:"description,omitempty"`
	Default     string      `json:"default"`
	Values      []string    `json:"values,omitempty"`   // that it takes, of ENUM and FLAGS
	Choices     []Choice    `json:"choices,omitempty"`  // the same values with what the manifest says of each
	Min         *float64    `json:"min,omitempty"`      // of INT and FLOAT
	Max         *float64    `json:"max,omitempty"`      // likewise
	Unit        string      `json:"unit,omitempty"`     // likewise
	Filter      string      `json:"filter,omitempty"`   // of files, such as *.json
	Variable    string      `json:"variable,omitempty"` // that sets it, too
	Status      string      `json:"status,omitempty"`   // STABLE, BETA, ALPHA, DEPRECATED
	View        string      `json:"view,omitempty"`     // STANDARD, ADVANCED, HIDDEN
	Group       string      `json:"group,omitempty"`    // the heading that it is below
	Depth       int         `json:"depth,omitempty"`    // how many settings it is below
	Depends     *Dependence `json:"depends,omitempty"`  // when it has an effect; absent: always
}

// Choice is a value of ENUM or FLAGS.
type Choice struct {
	Key         string `json:"key"`
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
	Status      string `json:"status,omitempty"`
	View        string `json:"view,omitempty"`
}

// Preset is a set of values that a manifest proposes.
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

// rawSetting is a setting in a manifest.
type rawSetting struct {
	Key, Label, Description, Type, Env string
	Unit, Filter, Status, View         string
	Default                            any
	Platforms                          []string
	Range                              struct{ Min, Max *float64 }
	Dependence                         *struct {
		Mode     string
		Settings []rawValue
	}
	Flags []struct {
		Key, Label, Description, Status, View string
		Platforms                             []string
		Settings                              []rawSetting
	}
	Settings []rawSetting
}

type rawValue struct {
	Key   string
	Value any
}

type rawPreset struct {
	Label, Description, Status string
	Platforms                  []string
	Settings                   []rawValue
}

type rawLayer struct {
	Name       string
	Extensions []struct{ Name string } `json:"instance_extensions"`
	Features   struct {
		Settings []rawSetting
		Presets  []rawPreset
	}
}

// Layer is a layer with its settings.
type Layer struct {
	Name     string
	Settings []Setting
	Presets  []Preset
}

// ReadLayer takes the settings of a layer out of its manifest.
func ReadLayer(text []byte, name string) (*Layer, error) {
	var file struct {
		Layer  rawLayer
		Layers []rawLayer
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &file); err != nil {
		return nil, err
	}
	l := &Layer{Name: name}
	for _, one := range append(file.Layers, file.Layer) {
		if one.Name != name {
			continue
		}
		// A layer with this extension reads a variable for each setting, as the libraries do that layers are built with.
		variables := slices.ContainsFunc(one.Extensions, func(e struct{ Name string }) bool { return e.Name == "VK_EXT_layer_settings" })
		l.add(one.Features.Settings, variables, "", 0)
		l.addPresets(one.Features.Presets)
		break
	}
	return l, nil
}

// isHere tells whether something is for this system; what names none is for all.
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
		case r.Key != "" && r.Type != "" && isHere(r.Platforms):
			l.Settings = append(l.Settings, l.setting(r, variables, group, depth))
			depth++
		}
		for _, f := range r.Flags {
			l.add(f.Settings, variables, group, depth)
		}
		l.add(r.Settings, variables, group, depth)
	}
}

// setting is one that a manifest has.
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

// addPresets takes the presets that are for this system, as far as the layer has their settings.
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

// layerPrefix begins the names of layers, and is not in the names of their settings.
const layerPrefix = "VK_LAYER_"

// textOf is a default as the file has values.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		return fmt.Sprint(v)
	case []any:
		var words []string
		for _, e := range v {
			words = append(words, textOf(e))
		}
		return strings.Join(words, ",")
	case string:
		return v
	}
	return fmt.Sprint(value)
}

// Find is the setting of a name; nil when the layer has none.
func (l *Layer) Find(key string) *Setting {
	for i := range l.Settings {
		if l.Settings[i].Key == key {
			return &l.Settings[i]
		}
	}
	return nil
}

// Full is the name of a setting in the file.
func (l *Layer) Full(key string) string {
	return strings.ToLower(strings.TrimPrefix(l.Name, layerPrefix)) + "." + key
}
