package survey

import (
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/settingsfile"
)

// Explanation is what explain says.
type Explanation struct {
	Schema int             `json:"schema"`
	App    string          `json:"app,omitempty"`
	Loader *loaders.Loader `json:"loader,omitempty"` // that the program gets, for which it is decided; absent: none

	Static string `json:"static,omitempty"` // says that the program is statically linked; it gets no loader, so explain makes no decision

	Elevated process.Rights `json:"elevated,omitempty"` // why the program runs with more rights than its user
	Unseen   []string       `json:"unseen,omitempty"`   // variables that are set, and that it ignores for this

	In  []explain.Item `json:"in"`
	Out []explain.Item `json:"out"`

	Compute []explain.Item `json:"compute,omitempty"` // layers that the compute policy keeps out of programs that show nothing

	LayerSettings *settingsfile.ShownLayers `json:"layer_settings,omitempty"` // the settings that the active layers read

	UnspecifiedOrder []decide.UnspecifiedOrder `json:"chance,omitempty"` // layers whose order is by chance

	PID     int                  `json:"pid,omitempty"`     // of the process that it is about
	Differs []process.Difference `json:"differs,omitempty"` // differences between what the process has loaded and what it would load now

	Part bool `json:"-"` // names say of what it is
}

// ActiveLayers are the names of the layers that are in, from the program down.
func (e *Explanation) ActiveLayers() (names []string) {
	for i := range e.In {
		if e.In[i].Kind == "layer" {
			names = append(names, e.In[i].Name)
		}
	}
	return names
}
