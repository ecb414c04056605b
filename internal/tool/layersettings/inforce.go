package layersettings

import (
	"os"
	"strings"

	"vkloader/internal/tool/machine"
)

// Shown is the file in force, with what it says.
type Shown struct {
	Place
	Values []Value `json:"values"`
}

// Show reads the file in force for the layers of these names, all layers for none; nil when it says nothing of them.
func Show(m *machine.Machine, layers ...string) (*Shown, error) {
	file, err := InForce(m, Places(m, Here(m)))
	if file == nil || err != nil {
		return nil, err
	}
	shown := &Shown{Place: file.Place}
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

// Here is the working directory, of programs that are started where the tool was; "" on a foreign machine.
func Here(m *machine.Machine) string {
	directory, err := os.Getwd()
	if m.Foreign() || err != nil {
		return ""
	}
	return directory
}
