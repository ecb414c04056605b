package settings

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// LayerChange is a change of a layer's settings: the options of "settings layer".
type LayerChange struct {
	Layer     string
	Edits     []LayerEdit // none: read the settings
	Directory string      // the directory of the file; "": the file in force, or the user's
	Variables bool        // set variables, and write no file
	Dry       bool        // write nothing
}

// LayerEdit is a new value of a setting.
type LayerEdit struct {
	Key, Value string
	Default    bool // the default instead of Value
}

// FindLayer finds an installed layer, used or not.
func FindLayer(source *machine.Source, name string) (*Layer, *manifest.Layer, error) {
	answer, err := decide.Changed(explain.Without(source, variables.LayersEnable, variables.LayersDisable, variables.LayersAllow))
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(answer.Layers, func(l *manifest.Layer) bool { return l.Name == name })
	if at < 0 {
		if near := term.NearestName(name, explain.LayerNames(answer.Layers)); near != "" {
			return nil, nil, exit.Problem("no layer %s is installed; did you mean %s?", name, near)
		}
		return nil, nil, exit.Problem("no layer %s is installed: see vkloader list layers", name)
	}
	found := answer.Layers[at]
	text, err := source.Machine.ReadFile(found.Manifest)
	if err != nil {
		return nil, nil, exit.As(exit.NotLooked, err)
	}
	layer, err := ReadLayer(text, name)
	if err != nil {
		return nil, nil, exit.Unable("%s: %w", found.Manifest, err)
	}
	return layer, found, nil
}

// check returns an error for settings and values that the layer does not have.
func (c *LayerChange) check(layer *Layer) error {
	for _, e := range c.Edits {
		setting := layer.Find(e.Key)
		if setting == nil {
			return layer.Unknown(e.Key)
		}
		if e.Default {
			continue
		}
		if err := setting.Check(e.Value); err != nil {
			return err
		}
	}
	return nil
}

// ChangeLayer makes a change of a layer's settings, and returns the settings after it.
func ChangeLayer(source *machine.Source, c *LayerChange) (*LayerSettings, error) {
	layer, found, err := FindLayer(source, c.Layer)
	if err != nil {
		return nil, err
	}
	if len(layer.Settings) == 0 {
		return nil, exit.Problem("%s names no settings in its manifest, %s", c.Layer, found.Manifest)
	}
	if err := c.check(layer); err != nil {
		return nil, err
	}
	answer := &LayerSettings{Layer: c.Layer, Manifest: found.Manifest, Presets: layer.Presets, Settings: []SettingNow{}}
	if c.Variables {
		return answer, c.variables(layer, answer)
	}
	file, err := c.file(&source.Machine)
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	for _, e := range c.Edits {
		if e.Default {
			file.Unset(layer.Full(e.Key))
		} else {
			file.Set(layer.Full(e.Key), e.Value)
		}
	}
	answer.Text, answer.Removed = file.Text(), file.Over() && len(c.Edits) > 0
	if len(c.Edits) > 0 && !c.Dry {
		if answer.Removed, err = file.Write(&source.Machine); err != nil {
			return nil, exit.As(exit.NotLooked, err)
		}
	}
	for _, setting := range layer.Settings {
		now := SettingNow{Setting: setting}
		if v, ok := file.Find(layer.Full(setting.Key)); ok {
			now.Value, now.Line = v.Value, v.Line
		}
		answer.Settings = append(answer.Settings, now)
	}
	if len(file.Values()) > 0 || len(c.Edits) > 0 {
		answer.File, answer.From = file.File, file.From
	}
	return answer, nil
}

// variables adds the variables with the effect of the change to an answer.
func (c *LayerChange) variables(layer *Layer, answer *LayerSettings) error {
	for _, e := range c.Edits {
		setting := layer.Find(e.Key)
		if setting.Variable == "" {
			return exit.Problem("%s reads no variable for %s: leave out --variables, and the file has it", c.Layer, e.Key)
		}
		answer.Variables = append(answer.Variables, VariableLine{Name: setting.Variable, Value: e.Value})
	}
	return nil
}

// Exports returns the variables as lines for a shell.
func (a *LayerSettings) Exports() string {
	var text strings.Builder
	for _, v := range a.Variables {
		fmt.Fprintf(&text, "export %s=%s\n", v.Name, term.Quoted(v.Value))
	}
	return text.String()
}

// OptionDirectory is the source of a file in the directory of --directory.
const OptionDirectory = "--directory"

// file returns the file to change: that of Directory, the one in force, or the user's.
func (c *LayerChange) file(m *machine.Machine) (*LayerFile, error) {
	places := LayerPlaces(m, ThisDirectory(m))
	if c.Directory != "" {
		full := c.Directory
		if !m.Foreign() {
			var err error
			if full, err = filepath.Abs(full); err != nil {
				return nil, err
			}
		}
		place := LayerPlace{File: path.Join(full, LayerFileName), From: OptionDirectory}
		for _, other := range places {
			if other.From != WorkingDirectory && other.File != place.File && m.Exists(other.File) {
				return nil, exit.Problem("%s would be ignored: layers read %s instead", place.File, other.File)
			}
		}
		return openLayerFile(m, place)
	}
	file, err := layerFileInForce(m, places)
	if file == nil && err == nil {
		if len(places) == 0 {
			return nil, exit.Unable("there is no place for settings of layers: HOME is not set; --directory names a place")
		}
		file, err = openLayerFile(m, places[0])
	}
	return file, err
}
