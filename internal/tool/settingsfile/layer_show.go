package settingsfile

import (
	"os"
	"strings"

	"vkloader/internal/tool/machine"
)

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
