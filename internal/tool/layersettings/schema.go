package layersettings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Setting is a setting that a layer has.
type Setting struct {
	Key      string   `json:"key"`
	Type     string   `json:"type"` // BOOL, INT, FLAGS, ..., as the manifest has it
	Label    string   `json:"label,omitempty"`
	Default  string   `json:"default"`
	Values   []string `json:"values,omitempty"`   // that it takes, of ENUM and FLAGS
	Min      *float64 `json:"min,omitempty"`      // of INT and FLOAT
	Max      *float64 `json:"max,omitempty"`      // likewise
	Variable string   `json:"variable,omitempty"` // that sets it, too
}

// raw is a setting in a manifest.
type raw struct {
	Key, Label, Type, Env string
	Default               any
	Platforms             []string
	Range                 struct{ Min, Max *float64 }
	Flags                 []struct {
		Key       string
		Platforms []string
		Settings  []raw
	}
	Settings []raw
}

type rawLayer struct {
	Name       string
	Extensions []struct{ Name string } `json:"instance_extensions"`
	Features   struct{ Settings []raw }
}

// Layer is a layer with its settings.
type Layer struct {
	Name     string
	Settings []Setting
}

// Read takes the settings of a layer out of its manifest.
func Read(text []byte, name string) (*Layer, error) {
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
		l.add(one.Features.Settings, variables)
		break
	}
	return l, nil
}

// here tells whether something is for this system; what names none is for all.
func here(platforms []string) bool {
	return len(platforms) == 0 || slices.Contains(platforms, "LINUX")
}

func (l *Layer) add(list []raw, variables bool) {
	for i := range list {
		r := &list[i]
		if r.Key != "" && r.Type != "" && r.Type != "GROUP" && here(r.Platforms) {
			s := Setting{Key: r.Key, Type: r.Type, Label: r.Label, Default: text(r.Default), Min: r.Range.Min, Max: r.Range.Max, Variable: r.Env}
			if s.Variable == "" && variables {
				s.Variable = "VK_" + strings.ToUpper(strings.TrimPrefix(l.Name, prefix)+"_"+r.Key)
			}
			for _, f := range r.Flags {
				if here(f.Platforms) {
					s.Values = append(s.Values, f.Key)
				}
			}
			l.Settings = append(l.Settings, s)
		}
		for _, f := range r.Flags {
			l.add(f.Settings, variables)
		}
		l.add(r.Settings, variables)
	}
}

// prefix begins the names of layers, and is not in the names of their settings.
const prefix = "VK_LAYER_"

// text is a default as the file has values.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		return fmt.Sprint(v)
	case []any:
		var words []string
		for _, e := range v {
			words = append(words, text(e))
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
	return strings.ToLower(strings.TrimPrefix(l.Name, prefix)) + "." + key
}
