package process

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// MappedModule is a driver or layer that a process has mapped.
type MappedModule struct {
	Name string `json:"name"` // of a layer, its name; of a driver, its manifest's file name
	// the manifest that names this file; "": no manifest that programs find does
	Manifest string `json:"manifest,omitempty"`
	File     string `json:"file"`
	// the change of the file since it was mapped: gone, replaced or written
	State FileState `json:"change,omitempty"`

	Item *explain.Item `json:"-"` // the decision about it; nil without a manifest
	In   bool          `json:"-"` // a new process would load it
}

// Modules returns the drivers and layers among the mapped files: the files that manifests name in the decision for this
// process, and the files that have a driver's or layer's functions.
func (p *Process) Modules(answer *plan.Answer) (drivers, layers []MappedModule) {
	drivers, layers = []MappedModule{}, []MappedModule{}
	in, out := explain.Of(answer)
	add := func(kind string, m MappedModule) {
		if kind == "driver" {
			drivers = append(drivers, m)
		} else {
			layers = append(layers, m)
		}
	}
	libraries := map[explain.ItemKey]string{}
	for _, l := range answer.Layers {
		libraries[explain.LayerKey(l)] = l.Library
	}
	type use struct{ kind, file string }
	taken := map[use]bool{}
	for i, list := range [][]explain.Item{in, out} {
		for j := range list {
			item := &list[j]
			library := cmp.Or(item.Library, libraries[explain.ItemKey{Layer: item.Name, Manifest: item.Manifest}])
			if library == "" {
				library = p.manifestLibrary(item.Manifest)
			}
			m := p.find(library)
			if m == nil || taken[use{item.Kind, m.Path}] {
				continue
			}
			taken[use{item.Kind, m.Path}], taken[use{"", m.Path}] = true, true
			add(item.Kind, MappedModule{Name: item.Name, Manifest: item.Manifest, File: m.Path, State: p.StateOf(m),
				Item: item, In: i == 0})
		}
	}
	for i := range p.Mapped {
		m := &p.Mapped[i]
		if taken[use{"", m.Path}] || isLoader(m.Path) || !isLibrary(m.Path) {
			continue
		}
		if kind := p.kind(m); kind != "" && !(kind == "driver" && partOf(drivers, m.Path)) {
			add(kind, MappedModule{Name: machine.Style.Base(m.Path), File: m.Path, State: p.StateOf(m)})
		}
	}
	return drivers, layers
}

// partOf reports whether a found driver opened this library itself. The library for EGL that NVIDIA's driver opens has
// a driver's functions, too.
func partOf(found []MappedModule, library string) bool {
	family := drivers.Of(library)
	return family != nil && slices.ContainsFunc(found,
		func(d MappedModule) bool { return d.Manifest != "" && drivers.Of(d.File) == family })
}

// kind returns the kind of a mapped file by its functions: "driver", "layer", or "" for neither. It reads the file that
// has the name now. Of a deleted file it only recognizes known drivers, by their names.
func (p *Process) kind(m *Mapping) string {
	f, err := p.Machine.Open(m.Path)
	if err != nil && m.Deleted && drivers.Of(m.Path) != nil {
		return "driver"
	}
	if err != nil {
		return ""
	}
	defer f.Close()
	switch symbols, err := symbolsOf(f); {
	case err != nil:
		return ""
	case slices.ContainsFunc([]string{"vk_icdGetInstanceProcAddr", "vk_icdNegotiateLoaderICDInterfaceVersion"},
		symbols.Exports):
		return "driver"
	case symbols.Exports("vkNegotiateLoaderLayerInterfaceVersion"):
		return "layer"
	}
	return ""
}

// manifestLibrary returns the library that a manifest names, for a manifest that the decision left out. A manifest with
// several layers has none.
func (p *Process) manifestLibrary(file string) string {
	data, err := p.Machine.ReadFile(file)
	if err != nil {
		return ""
	}
	var content struct {
		ICD struct {
			Path string `json:"library_path"`
		}
		Layer struct {
			Path string `json:"library_path"`
		} `json:"layer"`
	}
	if json.Unmarshal(data, &content) != nil {
		return ""
	}
	library := cmp.Or(content.ICD.Path, content.Layer.Path)
	if strings.Contains(library, "/") && !path.IsAbs(library) {
		library = path.Join(path.Dir(file), library)
	}
	return library
}
