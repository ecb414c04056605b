package plan

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
)

// lister builds the layer list.
type lister struct {
	call
	costs    *costs
	files    *manifests
	file     *settingsFile
	switches *switches
	finder   *finder
	bySet    *settingsState
	override *manifest.Layer // the override layer found by the search, if enabled; else nil
	unlisted bool            // explicit layers were found but not listed, as skipsExplicit allows
}

// firstOf returns the first layer of each name.
func firstOf(list []*manifest.Layer) map[string]*manifest.Layer {
	first := make(map[string]*manifest.Layer, len(list))
	for _, l := range list {
		if first[l.Name] == nil {
			first[l.Name] = l
		}
	}
	return first
}

// nextOf returns, for each layer, the next layer of its name.
func nextOf(list []*manifest.Layer) map[*manifest.Layer]*manifest.Layer {
	next := make(map[*manifest.Layer]*manifest.Layer)
	later := make(map[string]*manifest.Layer, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		l := list[i]
		if other := later[l.Name]; other != nil {
			next[l] = other
		}
		later[l.Name] = l
	}
	return next
}

// firstImplicit marks the first implicit layer of each name. The others are ignored before there is an instance
// (LAY-109).
func firstImplicit(list []*manifest.Layer) []bool {
	first := make([]bool, len(list))
	known := make(map[string]bool)
	for i, l := range list {
		if l.Implicit && !known[l.Name] {
			known[l.Name], first[i] = true, true
		}
	}
	return first
}

// list builds the layer list in the order of LAY-101. Unless full, it lists the implicit layers, and explicit layers
// only if a meta-layer may need them, without the black list (LAY-100, LAY-215).
func (b *lister) list(full bool) []*manifest.Layer {
	if b.file.controlsLayers() {
		return b.listBySettings(full)
	}
	return b.regular(full)
}

// regular builds the list of the ordinary search.
func (b *lister) regular(full bool) []*manifest.Layer {
	list := b.read(search.ImplicitLayers, nil)
	for _, l := range list {
		b.switches.ownVariables(l) // ask for all of them at once
	}
	list, override := b.chooseOverride(list)
	var paths []string
	if override != nil && b.switches.isEnabled(override) && len(override.OverridePaths) > 0 {
		paths = override.OverridePaths
		for _, path := range paths { // OVR-10, LAY-207
			if b.quiet {
				break
			}
			b.say(diag.Warn|diag.Layer, diag.OverridePath, override.Name, override.Manifest,
				"Override layer has override path "+
					path)
			b.log(diag.Info|diag.Layer, path)
		}
		if v := b.f.Variable(variables.LayerPath); v.Set { // ENV-33
			b.say(diag.Info|diag.Layer, diag.VariableIgnored, variables.LayerPath.Name(), "",
				"Ignoring VK_LAYER_PATH. The Override layer is active and has override paths set, which takes priority. VK_LAYER_PATH is set to "+v.Value)
		}
		b.reportIgnored(diag.OverridePaths, override.Manifest, variables.AddLayerPath)
	}
	metas := override != nil || slices.ContainsFunc(list, isMeta)
	if b.unlisted = full && !metas && b.bySet == nil && b.quiet && b.skipsExplicit(); b.unlisted {
		b.unlisted = !b.namesOverride(b.finder.search(search.ExplicitLayers, false, nil))
	}
	if !b.unlisted && (full || metas) {
		list = append(list, b.read(search.ExplicitLayers, paths)...)
	}
	if b.f.Missing() {
		return nil
	}
	foreign := b.foreign(list)
	if b.f.Missing() {
		return nil
	}
	list = layersExcept(list, foreign)
	list = b.metas(list)
	b.override = b.overrideOf(list)
	if full {
		list = b.blacklist(list)
	}
	return b.duplicates(b.filterDisabled(list))
}

// namesOverride reports whether a manifest may have an override layer: its text has the end of that name, or an escape
// that may stand for a letter.
func (b *lister) namesOverride(files []search.ManifestFile) bool {
	found := false
	for i := range files {
		file, _ := b.f.File(files[i].Path)
		found = found || strings.Contains(file.Content, "LUNARG_override") || strings.Contains(file.Content, "\\u")
	}
	return found
}

func (b *lister) read(kind search.Kind, override []string) []*manifest.Layer {
	files := b.finder.search(kind, false, override)
	list := make([]*manifest.Layer, 0, len(files))
	for i := range files {
		list = b.files.add(list, files[i].Path, files[i].Listed, kind)
	}
	return list
}

// chooseOverride keeps at most one override layer in the list (LAY-186 to LAY-193).
func (b *lister) chooseOverride(list []*manifest.Layer) ([]*manifest.Layer, *manifest.Layer) {
	var keyed, global *manifest.Layer
	var exe facts.Exe
	any := false
	for _, l := range list {
		if !l.IsOverride() {
			continue
		}
		any = true
		exe = b.f.Exe()
		switch {
		case !exe.Known: // LAY-192
			if global == nil {
				global = l
			}
		case len(l.AppKeys) == 0:
			if global == nil {
				global = l
			} else {
				b.say(diag.Warn|diag.Layer, diag.OverrideRejected, l.Name, l.Manifest,
					"remove_all_non_valid_override_layers: Multiple global override layers found. Using the first global layer found")
			}
		case !slices.Contains(l.AppKeys, exe.Path):
			b.say(diag.Info|diag.Layer, diag.OverrideRejected, l.Name, l.Manifest,
				"--Override layer found but not used because app '"+exe.Path+"' is not in 'app_keys' list!")
		case keyed == nil:
			keyed = l
		default:
			b.say(diag.Warn|diag.Layer, diag.OverrideRejected, l.Name, l.Manifest,
				"remove_all_non_valid_override_layers: Multiple override layers where the same path in app_keys was found. Using the first layer found")
		}
	}
	if !any {
		return list, nil
	}
	chosen := global
	switch {
	case keyed != nil:
		chosen = keyed
		b.say(diag.Info|diag.Layer, diag.OverrideChosen, keyed.Name, keyed.Manifest,
			"Using the override layer for app key "+
				exe.Path)
	case global != nil && exe.Known:
		b.say(diag.Info|diag.Layer, diag.OverrideChosen, global.Name, global.Manifest,
			"Using the global override layer")
	}
	kept := list[:0]
	for _, l := range list {
		if !l.IsOverride() || l == chosen {
			kept = append(kept, l)
		}
	}
	return kept, chosen
}

// overrideOf returns the override layer of a list: the first layer of that name, if the variables enable a layer of
// that name; else nil (LAY-134, LAY-213). Filters treat an explicit one as an implicit layer.
func (b *lister) overrideOf(list []*manifest.Layer) *manifest.Layer {
	var first *manifest.Layer
	for _, l := range list {
		if !l.Meta || l.Name != manifest.OverrideName {
			continue
		}
		if first == nil {
			first = l
		}
		if l.Implicit && b.switches.isEnabled(l) || !l.Implicit && !b.switches.removesName(l.Name, true) {
			return first
		}
	}
	return nil
}

// foreign returns, from several layers of one name, those with a library file of another word size or machine, unless
// all have one, and logs them (LAY-104).
func (b *lister) foreign(list []*manifest.Layer) map[*manifest.Layer]bool {
	foreign := make(map[*manifest.Layer]bool)
	first := firstOf(list)
	shared := make(map[string]bool) // names of several libraries
	for _, l := range list {
		if l.Library != first[l.Name].Library {
			shared[l.Name] = true
		}
	}
	if len(shared) == 0 {
		return foreign
	}
	usable := make(map[string]bool)
	for _, l := range list {
		if shared[l.Name] {
			_, whole := b.q.Platform.Style.Resolve("", l.Library)
			foreign[l] = !l.Meta && whole && b.f.WrongMachine(l.Library)
			usable[l.Name] = usable[l.Name] || !foreign[l]
		}
	}
	for _, l := range list {
		if foreign[l] = foreign[l] && usable[l.Name]; foreign[l] && !b.quiet {
			b.say(diag.Info|diag.Layer, diag.LayerArchitecture, l.Name, l.Manifest, "Requested layer \""+l.Name+
				"\" was wrong bit-type.")
		}
	}
	return foreign
}

// layersExcept returns a list of the layers that are not in a set.
func layersExcept(list []*manifest.Layer, set map[*manifest.Layer]bool) []*manifest.Layer {
	kept := make([]*manifest.Layer, 0, len(list))
	for _, l := range list {
		if !set[l] {
			kept = append(kept, l)
		}
	}
	return kept
}

// blacklist removes the layers that an enabled override layer forbids (LAY-213).
func (b *lister) blacklist(list []*manifest.Layer) []*manifest.Layer {
	override := b.override
	if override == nil || len(override.Blacklist) == 0 {
		return list
	}
	forbidden := make(map[string]bool, len(override.Blacklist))
	for _, name := range override.Blacklist {
		forbidden[name] = true
	}
	kept := list[:0]
	for _, l := range list {
		if l != override && forbidden[l.Name] {
			if !b.quiet {
				b.say(diag.Debug, diag.LayerBlacklisted, l.Name, l.Manifest,
					"loader_remove_layers_in_blacklist: Override layer is active and layer "+l.Name+
						" is in the blacklist inside of it. Removing that layer from current layer list.")
			}
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

// filterDisabled removes the layers that VK_LOADER_LAYERS_DISABLE disables (LAY-114, LAY-115).
func (b *lister) filterDisabled(list []*manifest.Layer) []*manifest.Layer {
	if !b.switches.disable.any() {
		return list
	}
	kept := list[:0]
	for _, l := range list {
		if !b.switches.removes(l) {
			kept = append(kept, l)
			continue
		}
		if l.Implicit {
			b.switches.isEnabled(l)
		}
		if !b.quiet {
			b.say(diag.Warn|diag.Layer, diag.LayerDisabled, l.Name, l.Manifest, "Layer \""+l.Name+
				"\" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.")
		}
	}
	return kept
}

// duplicates removes, for each layer, the next layer of the same name (LAY-104, LAY-108).
func (b *lister) duplicates(list []*manifest.Layer) []*manifest.Layer {
	holder := make(map[string]*manifest.Layer, len(list)) // a listed layer without a duplicate so far
	kept := list[:0]
	for _, l := range list {
		if first := holder[l.Name]; first != nil {
			holder[l.Name] = nil
			if !b.quiet {
				b.say(diag.Warn, diag.LayerDuplicate, l.Name, l.Manifest, "Removing layer "+l.Name+" ("+l.Manifest+
					") because it is a duplicate of "+first.Name+" ("+first.Manifest+")")
			}
			continue
		}
		holder[l.Name] = l
		kept = append(kept, l)
	}
	return kept
}
