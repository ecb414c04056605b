package settingsfile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// LayerFileName is the name of the file.
const LayerFileName = "vk_layer_settings.txt"

// LayerPathVariable names the file, or its directory.
const LayerPathVariable = "VK_LAYER_SETTINGS_PATH"

// WorkingDirectory is what names the file there.
const WorkingDirectory = "the working directory"

// writtenHere is the first line of a file that this package has made.
const writtenHere = "# Written by vkloader settings layer."

// LayerPlace is a file that layers look for.
type LayerPlace struct {
	File string `json:"file"`
	From string `json:"from"` // what names it: the user's directory, a variable, or the working directory
}

// LayerPlaces are the files that layers look for, in order: the first one that is there counts. directory is the working
// directory of the program, "" when it is not known.
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

// LayerFile is a file with settings of layers.
type LayerFile struct {
	LayerPlace
	lines []string
}

// LayerValue is a setting in a file.
type LayerValue struct {
	Name  string `json:"name"` // as the file has it, such as khronos_validation.enables
	Value string `json:"value"`
	Line  int    `json:"line"`
}

// LayerFileInForce reads the file that counts; nil when there is none.
func LayerFileInForce(m *machine.Machine, places []LayerPlace) (*LayerFile, error) {
	for _, place := range places {
		info, err := m.Stat(place.File)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		return OpenLayerFile(m, place)
	}
	return nil, nil
}

// OpenLayerFile reads a file; one that is not there is empty.
func OpenLayerFile(m *machine.Machine, place LayerPlace) (*LayerFile, error) {
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

// parse reads a line; false for a comment and for what is no setting.
func parse(line string) (name, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	name, value, ok = strings.Cut(line, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	return name, value, ok && name != ""
}

// Values are the settings of a file, in order.
func (f *LayerFile) Values() (list []LayerValue) {
	for i, line := range f.lines {
		if name, value, ok := parse(line); ok {
			list = append(list, LayerValue{name, value, i + 1})
		}
	}
	return list
}

// Find is the value of a setting: the last one of its name.
func (f *LayerFile) Find(name string) (LayerValue, bool) {
	list := f.Values()
	for i := range slices.Backward(list) {
		if list[i].Name == name {
			return list[i], true
		}
	}
	return LayerValue{}, false
}

// Set changes a setting, where it is or at the end, and Unset removes it. All other lines stay as they are.
func (f *LayerFile) Set(name, value string) {
	line := name + " = " + value
	if at, ok := f.Find(name); ok {
		f.lines[at.Line-1] = line
		return
	}
	if len(f.lines) == 0 {
		f.lines = []string{writtenHere}
	}
	f.lines = append(f.lines, line)
}

// Unset removes a setting.
func (f *LayerFile) Unset(name string) {
	f.lines = slices.DeleteFunc(f.lines, func(line string) bool {
		other, _, ok := parse(line)
		return ok && other == name
	})
}

// Text is the content of the file.
func (f *LayerFile) Text() string {
	if len(f.lines) == 0 {
		return ""
	}
	return strings.Join(f.lines, "\n") + "\n"
}

// Over tells whether nothing is left of a file that this package has made.
func (f *LayerFile) Over() bool { return len(f.Values()) == 0 && f.Text() == writtenHere+"\n" }

// Write writes the file, in one step; one that this package has made goes when nothing is left in it.
func (f *LayerFile) Write(m *machine.Machine) (removed bool, err error) {
	at, err := m.PlaceOf(f.File, true)
	if err != nil {
		return false, err
	}
	defer at.Close()
	_, mode, err := at.Read("")
	switch {
	case err == nil && f.Over():
		return true, at.Remove()
	case err != nil:
		mode = 0o644
	}
	return false, at.Replace("", []byte(f.Text()), mode)
}

// LayerSettings is what settings layer says.
type LayerSettings struct {
	Schema    int            `json:"schema"`
	Layer     string         `json:"layer"`
	Manifest  string         `json:"manifest"`
	File      string         `json:"file,omitempty"` // in force, or written
	From      string         `json:"from,omitempty"` // what names it
	Removed   bool           `json:"removed,omitempty"`
	Settings  []SettingNow   `json:"settings"`
	Variables []VariableLine `json:"variables,omitempty"` // that do the same

	Presets []Preset `json:"presets,omitempty"` // that the manifest proposes
}

// SettingNow is a setting, and its value where the file has one.
type SettingNow struct {
	Setting
	Value string `json:"value,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// VariableLine is a variable that sets a setting.
type VariableLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ShownLayers is the file in force, with what it says.
type ShownLayers struct {
	LayerPlace
	Values []LayerValue `json:"values"`
}

// ShowLayers reads the file in force for the layers of these names, all layers for none; nil when it says nothing of them.
func ShowLayers(m *machine.Machine, layers ...string) (*ShownLayers, error) {
	file, err := LayerFileInForce(m, LayerPlaces(m, ThisDirectory(m)))
	if file == nil || err != nil {
		return nil, err
	}
	shown := &ShownLayers{LayerPlace: file.LayerPlace}
	for _, v := range file.Values() {
		wanted := len(layers) == 0
		for _, name := range layers {
			wanted = wanted || strings.HasPrefix(v.Name, (&Layer{Name: name}).Full(""))
		}
		if wanted {
			shown.Values = append(shown.Values, v)
		}
	}
	if len(shown.Values) == 0 {
		return nil, nil
	}
	return shown, nil
}

// ThisDirectory is the working directory, of programs that are started where the tool was; "" on a foreign machine.
func ThisDirectory(m *machine.Machine) string {
	directory, err := os.Getwd()
	if m.Foreign() || err != nil {
		return ""
	}
	return directory
}
