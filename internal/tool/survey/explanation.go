package survey

import (
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/settings"
)

// Explanation is the output of "vkloader explain".
type Explanation struct {
	Schema int             `json:"schema"`
	App    string          `json:"app,omitempty"`
	Loader *loaders.Loader `json:"loader,omitempty"` // the program's loader, which the decision imitates; absent: none

	Static string `json:"static,omitempty"` // says that the program is statically linked; it gets no loader, so explain makes no decision

	Elevated process.FileRights `json:"elevated,omitempty"` // the reason why the program is elevated
	Unseen   []string           `json:"unseen,omitempty"`   // the set variables that it ignores because of that

	In  []explain.Item `json:"in"`
	Out []explain.Item `json:"out"`

	LayerSettings *settings.ShownLayers `json:"layer_settings,omitempty"` // the settings of the active layers

	UnspecifiedOrder []explain.UnspecifiedOrder `json:"unspecified_order,omitempty"` // layers whose order depends on readdir

	Writers []Writer `json:"writers,omitempty"` // the drivers and layers whose libraries contain the asked message

	Wants *Wants `json:"wants,omitempty"` // the program's requirements on a device; absent: unknown

	PID     int                  `json:"pid,omitempty"`     // the explained process
	Differs []process.Difference `json:"differs,omitempty"` // differences between the loaded files and those that it would load now

	Part bool `json:"-"` // messages name their subject
}

// Wants are the requirements of a well-known program on a device.
type Wants struct {
	Program    string   `json:"program"` // its name and release
	Text       string   `json:"text"`    // the requirements in words
	API        string   `json:"api,omitempty"`
	Extensions []string `json:"extensions,omitempty"` // of the device
	Limits     []string `json:"limits,omitempty"`     // the limits of each device by its last drivers, and a release within them
}

// Writer is a driver or layer whose library contains a message.
type Writer struct {
	Message  string `json:"message"` // the part of the asked text that the library contains
	Kind     string `json:"kind"`    // driver or layer
	Name     string `json:"name"`
	Library  string `json:"library"`
	Harmless bool   `json:"harmless,omitempty"` // the driver has no device here
}

// ActiveLayers returns the names of the active layers from the program down.
func (e *Explanation) ActiveLayers() (names []string) {
	for i := range e.In {
		if e.In[i].Kind == "layer" {
			names = append(names, e.In[i].Name)
		}
	}
	return names
}
