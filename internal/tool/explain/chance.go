package explain

import (
	"slices"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
)

// Chance are active layers whose order is that of the files in a directory, which no rule gives.
type Chance struct {
	Directory string   `json:"directory"`
	Layers    []string `json:"layers"` // in the order of now
}

// ByChance finds active layers whose order among themselves is by chance.
func ByChance(answer *plan.Answer) (list []Chance) {
	controlled := answer.Settings != nil && answer.Settings.ControlsLayers
	for _, a := range answer.Active {
		l := answer.Layers[a.Layer]
		listed := a.EnabledBy == plan.ByImplicit || a.EnabledBy == plan.ByEnable || controlled
		if !listed || l.Meta || a.Unchained {
			continue
		}
		if controlled { // what the file names has the place that the file gives
			named := false
			for i := range answer.Settings.Layers {
				named = named || answer.Settings.Layers[i].Name == l.Name
			}
			if named {
				continue
			}
		}
		directory := listedIn(answer, l.Manifest)
		if directory == "" {
			continue
		}
		at := slices.IndexFunc(list, func(c Chance) bool { return c.Directory == directory })
		if at < 0 {
			at, list = len(list), append(list, Chance{Directory: directory})
		}
		list[at].Layers = append(list[at].Layers, l.Name)
	}
	return slices.DeleteFunc(list, func(c Chance) bool { return len(c.Layers) < 2 })
}

// listedIn is the directory in which a manifest was found; "" when it was named itself.
func listedIn(answer *plan.Answer, path string) (directory string) {
	for _, kind := range []search.Kind{search.ImplicitLayers, search.ExplicitLayers} {
		for _, where := range answer.Searched[kind].List {
			if where.Path == path {
				return ""
			}
			if directory == "" && inside(answer.Style, path, where.Path) {
				directory = strings.TrimRight(where.Path, string(rune(answer.Style.Separator())))
			}
		}
	}
	return directory
}
