package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
)

// settingsState holds the effects of a settings file that controls layers.
type settingsState struct {
	control map[*manifest.Layer]settings.Control // of layers with an entry; the others are auto (SET-49)
	blocked map[string]bool                      // names excluded from the ordinary search (SET-47)
	off     map[string]bool                      // names whose first entry is off (SET-56)
}

// layerKey identifies a layer: two entries with equal values are the same layer (SET-44).
type layerKey struct{ name, library string }

// listBySettings builds the layer list under a settings file that controls layers (SET-41 to SET-52).
func (b *lister) listBySettings(full bool) []*manifest.Layer {
	s := &settingsState{make(map[*manifest.Layer]settings.Control), make(map[string]bool), make(map[string]bool)}
	b.bySet = s
	seen := make(map[string]bool)      // names with an earlier entry
	library := make(map[layerKey]bool) // libraries of listed layers
	var list []*manifest.Layer
	place := -1 // index of the ordinary layers
	for i := range b.file.set.Layers {
		e := &b.file.set.Layers[i]
		switch e.Control {
		case settings.Unordered:
			if place < 0 { // SET-48
				place = len(list)
			}
			continue
		case settings.Off:
			s.blocked[e.Name] = true
			if !seen[e.Name] {
				seen[e.Name], s.off[e.Name] = true, true
			}
			continue
		}
		if !search.IsManifestName(e.Path) {
			continue
		}
		kind := search.ExplicitLayers
		if e.Implicit {
			kind = search.ImplicitLayers
		}
		p, at := b.files.layerOf(e, kind)
		if p == nil {
			continue
		}
		l := p.layers.Layers[at]
		seen[l.Name] = true
		// A meta-layer has no library to compare.
		key := layerKey{l.Name, l.Library}
		if s.off[l.Name] || !l.Meta && library[key] { // SET-56
			continue
		}
		if l = b.files.give(p, at); l == nil {
			s.blocked[e.Name] = true
			b.costs.leaveOut(diag.FileCost, "Layer", e.Name, e.Path)
			continue
		}
		if !l.Meta {
			library[key] = true
		}
		s.control[l] = e.Control
		list = append(list, l)
	}
	if place < 0 { // SET-45
		b.reportIgnored(diag.LayerList, b.file.set.File, variables.LayerPath, variables.AddLayerPath,
			variables.ImplicitLayerPath,
			variables.AddImplicitLayerPath)
		return layersExcept(list, b.foreign(list))
	}
	regular := b.regular(full)
	foreign := b.foreign(append(append(make([]*manifest.Layer, 0, len(list)+len(regular)), list...), regular...))
	for _, l := range list {
		s.blocked[l.Name] = s.blocked[l.Name] || !foreign[l]
	}
	var kept []*manifest.Layer
	for _, l := range layersExcept(regular, foreign) {
		if !s.blocked[l.Name] {
			kept = append(kept, l)
		}
	}
	out := append(layersExcept(list[:place], foreign), kept...)
	return append(out, layersExcept(list[place:], foreign)...)
}

// prevents reports whether the settings file turns a layer off (SET-56, SET-74).
func (b *lister) prevents(name string) bool { return b.bySet != nil && b.bySet.off[name] }
