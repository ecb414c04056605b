package process

import (
	"vkloader/internal/core/plan"
	"vkloader/internal/tool/explain"
)

// Difference is one between what a process has loaded and what would be loaded if it were started now.
type Difference struct {
	Kind     string `json:"kind"` // loader, driver or layer
	Name     string `json:"name"`
	File     string `json:"file,omitempty"` // that is mapped
	Manifest string `json:"manifest,omitempty"`
	What     string `json:"what"`

	Old  bool `json:"-"` // an old state of a file is in use: it is cured by starting the program again
	Weak bool `json:"-"` // it may be as it should be
}

// changes in words.
var changes = map[Change]string{
	Gone:     "its file was removed since; the process goes on with the old one",
	Replaced: "its file was replaced since, as by an update; the process goes on with the old one",
	Written:  "its file was written to since the process began",
}

// Differences compares; nothing where who looks may not see what is mapped.
func (p *Process) Differences(answer *plan.Answer) []Difference {
	list := []Difference{}
	if p.NoMaps {
		return list
	}
	loaders := p.Loaders()
	for i := range loaders {
		if c := p.Change(&loaders[i]); c != Same {
			list = append(list, Difference{Kind: "loader", Name: "libvulkan.so.1", File: loaders[i].Path, What: changes[c], Old: true})
		}
	}
	if len(loaders) == 0 {
		return append(list, Difference{Kind: "loader", Name: "libvulkan.so.1", What: "it is not mapped: the process does not use Vulkan, or not any more",
			Weak: true})
	}
	drivers, layers := p.Modules(answer)
	there := map[string]bool{}
	for kind, modules := range map[string][]Module{"driver": drivers, "layer": layers} {
		for _, m := range modules {
			there[kind+" "+m.Manifest] = true
		}
	}
	for _, of := range []struct {
		kind    string
		modules []Module
	}{{"layer", layers}, {"driver", drivers}} {
		for _, m := range of.modules {
			d := Difference{Kind: of.kind, Name: m.Name, File: m.File, Manifest: m.Manifest}
			if m.Change != Same {
				d.What, d.Old = changes[m.Change], true
				list = append(list, d)
			}
			d.Old = false
			switch {
			case m.Item == nil:
				d.What = "it is loaded, and no manifest that is found now names it: the program brings it, or its variables have changed"
				list = append(list, d)
			case !m.In:
				d.What = "it is loaded, and would not be now: " + m.Item.Why
				list = append(list, d)
			}
		}
	}
	in, _ := explain.Of(answer)
	for _, item := range in {
		if item.Meta || item.NameOnly || there[item.Kind+" "+item.Manifest] {
			continue
		}
		d := Difference{Kind: item.Kind, Name: item.Name, Manifest: item.Manifest, What: "it is not loaded, and would be now: " + item.Why}
		switch {
		case len(drivers) == 0:
			d.What, d.Weak = "it is not loaded: the process has no instance at this moment", true
		case item.Kind == "driver":
			d.What, d.Weak = "it is not loaded: it may be closed again because it has no device", true
		}
		list = append(list, d)
	}
	return list
}
