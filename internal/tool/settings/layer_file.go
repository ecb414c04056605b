package settings

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// LayerFileName is the name of the layer settings file.
const LayerFileName = "vk_layer_settings.txt"

// LayerPathVariable is the variable that names the file or its directory.
const LayerPathVariable = "VK_LAYER_SETTINGS_PATH"

// WorkingDirectory is the source of a file in the working directory.
const WorkingDirectory = "the working directory"

// writtenHere is the first line of a file of this package.
const writtenHere = "# Written by vkloader settings layer."

// LayerPlace is a path at which layers look for the file.
type LayerPlace struct {
	File string `json:"file"`
	From string `json:"from"` // the source: the user's directory, a variable, or the working directory
}

// LayerPlaces returns the paths at which layers look for the file, in order. The first existing file counts. directory
// is the program's working directory, "" if unknown.
func LayerPlaces(m *machine.Machine, directory string) (list []LayerPlace) {
	data, _ := m.Lookup(variables.DataHome.Name())
	from := variables.DataHome.Name()
	if home, ok := m.Lookup(variables.Home.Name()); data == "" && ok && home != "" {
		data, from = path.Join(home, ".local/share"), variables.Home.Name()
	}
	if path.IsAbs(data) {
		list = append(list, LayerPlace{path.Join(data, "vulkan/settings.d", LayerFileName), from})
	}
	if named, _ := m.Lookup(LayerPathVariable); named != "" {
		if info, err := m.Stat(named); err == nil {
			if info.IsDir() {
				named = path.Join(named, LayerFileName)
			}
			return append(list, LayerPlace{named, LayerPathVariable})
		}
	}
	if directory != "" {
		list = append(list, LayerPlace{path.Join(directory, LayerFileName), WorkingDirectory})
	}
	return list
}

// LayerFile is a file with layer settings.
type LayerFile struct {
	LayerPlace
	lines []string

	configuration *Configuration // the configuration that has the settings; nil: layers read the file
}

// LayerValue is a setting in a layer settings file.
type LayerValue struct {
	Name  string `json:"name"` // as in the file, such as khronos_validation.enables
	Value string `json:"value"`
	Line  int    `json:"line"`
}

// layerFileInForce reads the file that counts; nil if there is none.
func layerFileInForce(m *machine.Machine, places []LayerPlace) (*LayerFile, error) {
	for _, place := range places {
		info, err := m.Stat(place.File)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		return openLayerFile(m, place)
	}
	return nil, nil
}

// openLayerFile reads a file. A missing file is empty.
func openLayerFile(m *machine.Machine, place LayerPlace) (*LayerFile, error) {
	text, err := m.ReadFile(place.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f := &LayerFile{LayerPlace: place}
	if len(text) > 0 {
		f.lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	return f, nil
}

// parse parses a line; false for a comment and for a line without a setting.
func parse(line string) (name, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	name, value, ok = strings.Cut(line, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	return name, value, ok && name != ""
}

// Values returns the settings of a file, in order.
func (f *LayerFile) Values() (list []LayerValue) {
	for i, line := range f.lines {
		if name, value, ok := parse(line); ok {
			list = append(list, LayerValue{name, value, i + 1})
		}
	}
	return list
}

// Find returns the value of a setting. The last line with its name counts.
func (f *LayerFile) Find(name string) (LayerValue, bool) {
	list := f.Values()
	for i := range slices.Backward(list) {
		if list[i].Name == name {
			return list[i], true
		}
	}
	return LayerValue{}, false
}

// Set changes a setting in its line, or adds it at the end. All other lines, and the kind of line ends, stay unchanged.
func (f *LayerFile) Set(name, value string) {
	line := name + " = " + value
	if slices.ContainsFunc(f.lines, func(other string) bool { return strings.HasSuffix(other, "\r") }) {
		line += "\r" // the lines of the file end as on Windows
	}
	if at, ok := f.Find(name); ok {
		f.lines[at.Line-1] = line
		return
	}
	if len(f.lines) == 0 {
		f.lines = []string{writtenHere}
	}
	f.lines = append(f.lines, line)
}

// Unset removes a setting. All other lines stay unchanged.
func (f *LayerFile) Unset(name string) {
	f.lines = slices.DeleteFunc(f.lines, func(line string) bool {
		other, _, ok := parse(line)
		return ok && other == name
	})
}

// Text returns the content of the file.
func (f *LayerFile) Text() string {
	if c := f.configuration; c != nil {
		c.Layers = f.Values()
		text, _ := Encode(c.content()) // it was decoded
		return string(text)
	}
	if len(f.lines) == 0 {
		return ""
	}
	return strings.Join(f.lines, "\n") + "\n"
}

// Over reports whether a file of this package has no settings left.
func (f *LayerFile) Over() bool { return len(f.Values()) == 0 && f.Text() == writtenHere+"\n" }

// Edit returns the edit that writes the file, or removes a file of this package without settings.
func (f *LayerFile) Edit() edit.Edit {
	return edit.Edit{Path: f.File, Text: f.Text(), Remove: f.Over()}
}

// LayerSettings is the output of "settings layer".
type LayerSettings struct {
	Schema    int            `json:"schema"`
	Layer     string         `json:"layer"`
	Manifest  string         `json:"manifest"`
	File      string         `json:"file,omitempty"` // in force, or written
	From      string         `json:"from,omitempty"` // its source
	Removed   bool           `json:"removed,omitempty"`
	Settings  []SettingNow   `json:"settings"`
	Variables []VariableLine `json:"variables,omitempty"` // variables with the same effect

	Presets []Preset `json:"presets,omitempty"` // from the manifest
	About   About    `json:"-"`
	Library string   `json:"-"` // as the manifest names it
}

// SettingNow is a setting and its value in the file, if any.
type SettingNow struct {
	Setting
	Value string `json:"value,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// VariableLine is a variable with a value for a setting.
type VariableLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ShownLayers is the layer settings file in force and its values.
type ShownLayers struct {
	LayerPlace
	Values []LayerValue `json:"values"`
}

// ShowLayers reads the settings of the named layers, or of all layers, from the file in force; nil if it has none of
// them.
func ShowLayers(m *machine.Machine, layers ...string) (*ShownLayers, error) {
	file, err := layerFileInForce(m, LayerPlaces(m, ThisDirectory(m)))
	if file == nil || err != nil {
		return nil, err
	}
	shown := &ShownLayers{LayerPlace: file.LayerPlace}
	for _, v := range file.Values() {
		isOf := func(name string) bool { return strings.HasPrefix(v.Name, (&Layer{Name: name}).Full("")) }
		if len(layers) == 0 || slices.ContainsFunc(layers, isOf) {
			shown.Values = append(shown.Values, v)
		}
	}
	if len(shown.Values) == 0 {
		return nil, nil
	}
	return shown, nil
}

// ThisDirectory returns the working directory of the tool and of programs started from the same place; "" on a foreign
// machine.
func ThisDirectory(m *machine.Machine) string {
	directory, err := os.Getwd()
	if m.Foreign() || err != nil {
		return ""
	}
	return directory
}

// LayerChange is a change of a layer's settings: the options of "settings layer".
type LayerChange struct {
	Layer     string
	Edits     []LayerEdit // none: read the settings
	Variables bool        `option:"variables"` // set variables, and write no file
	Dry       bool        `option:"dry-run"`

	// the configuration to change; "": the file in force, or the user's
	Configuration string `option:"configuration" excludes:"variables"`
}

// LayerEdit is a new value of a setting.
type LayerEdit struct {
	Key, Value string
	Default    bool // the default instead of Value
}

// FindLayer finds an installed layer, used or not.
func FindLayer(source *machine.Source, name string) (*Layer, *manifest.Layer, error) {
	answer, err := explain.Decide(explain.Without(source, variables.LayersEnable, variables.LayersDisable,
		variables.LayersAllow))
	if err != nil {
		return nil, nil, err
	}
	name = explain.FullLayerName(answer.Layers, name)
	found := findLayer(answer.Layers, name)
	if found == nil {
		if near := term.NearestName(name, explain.LayerNames(answer.Layers)); near != "" {
			return nil, nil, exit.Problem("no layer %s is installed; did you mean %s?", name, near)
		}
		return nil, nil, exit.Problem("no layer %s is installed: see vkloader list layers", name)
	}
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

// ChangeLayer makes a change of a layer's settings, and returns the settings after it.
func (p *FileSet) ChangeLayer(c *LayerChange) (*LayerSettings, error) {
	layer, found, err := FindLayer(p.Source, c.Layer)
	if err != nil {
		return nil, err
	}
	if len(layer.Settings) == 0 {
		return nil, exit.Problem("%s names no settings in its manifest, %s", c.Layer, found.Manifest)
	}
	answer := &LayerSettings{Layer: layer.Name, Manifest: found.Manifest, Presets: layer.Presets,
		Settings: []SettingNow{}, About: layer.About, Library: found.Library}
	for _, e := range c.Edits {
		setting := layer.Find(e.Key)
		if setting == nil {
			return nil, layer.Unknown(e.Key)
		}
		if err := setting.Check(e.Value); err != nil && !e.Default {
			return nil, err
		}
		switch {
		case !c.Variables:
		case setting.Variable == "":
			return nil, exit.Problem("%s reads no variable for %s: leave out --variables, and the file has it",
				layer.Name, e.Key)
		default:
			answer.Variables = append(answer.Variables, VariableLine{Name: setting.Variable, Value: e.Value})
		}
	}
	c.Layer = layer.Name
	if c.Variables {
		return answer, nil
	}
	file, err := c.file(&p.Machine)
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
	if answer.Removed = file.Over() && len(c.Edits) > 0; len(c.Edits) > 0 {
		if err := p.do(file.Edit()); err != nil {
			return nil, err
		}
	}
	for _, setting := range layer.Settings {
		now := SettingNow{Setting: setting}
		if v, ok := file.Find(layer.Full(setting.Key)); ok {
			now.Value, now.Line = v.Value, v.Line
			if file.configuration != nil {
				before, _, _ := strings.Cut(file.Text(), strconv.Quote(v.Name)+": ")
				now.Line = 1 + strings.Count(before, "\n")
			}
		}
		answer.Settings = append(answer.Settings, now)
	}
	if len(file.Values()) > 0 || len(c.Edits) > 0 {
		answer.File, answer.From = file.File, file.From
	}
	return answer, nil
}

// Exports returns the variables as lines for a shell.
func (a *LayerSettings) Exports() (lines shell.Line) {
	for _, v := range a.Variables {
		lines += "export " + shell.Quoted(v.Name) + "=" + shell.Quoted(v.Value) + "\n"
	}
	return lines
}

// OptionConfiguration is the source of the settings in a configuration.
const OptionConfiguration = "--configuration"

// file returns the file to change: that of Configuration, the one in force, or the user's.
func (c *LayerChange) file(m *machine.Machine) (*LayerFile, error) {
	if c.Configuration != "" {
		chosen, err := (&FileSet{Machine: *m}).readConfiguration(c.Configuration)
		if err != nil {
			return nil, err
		}
		file := &LayerFile{LayerPlace: LayerPlace{chosen.File, OptionConfiguration}, configuration: chosen}
		for _, v := range chosen.Layers {
			file.Set(v.Name, v.Value)
		}
		return file, nil
	}
	places := LayerPlaces(m, ThisDirectory(m))
	file, err := layerFileInForce(m, places)
	if file == nil && err == nil {
		if len(places) == 0 {
			return nil, exit.Unable("there is no place for settings of layers: HOME is not set")
		}
		file, err = openLayerFile(m, places[0])
	}
	return file, err
}
