package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
)

// activator builds the active list of an instance.
type activator struct {
	d      *decider
	list   []*manifest.Layer
	index  map[*manifest.Layer]int
	first  map[string]*manifest.Layer
	app    map[string]bool          // names that the program gave
	active map[string]bool          // names in the active list
	inside map[*manifest.Layer]bool // meta-layers being expanded
	own    []uint32                 // by index, under a settings file: why a layer is active by itself, 0: it is not
	work   int
}

// activate decides which layers are active, in which order (LAY-144, LAY-173 to LAY-183).
func (d *decider) activate(list []*manifest.Layer) {
	a := &activator{d: d, list: list, index: make(map[*manifest.Layer]int, len(list)), first: firstOf(list),
		app: make(map[string]bool), active: make(map[string]bool), inside: make(map[*manifest.Layer]bool)}
	for i, l := range list {
		a.index[l] = i
	}
	for _, n := range d.q.App.Layers {
		if n.Set {
			a.app[n.Text] = true
		}
	}
	if d.set != nil && d.set.ControlsLayers {
		a.bySettings()
	} else {
		a.regular()
	}
	last := make(map[string]int, len(d.a.Active)) // index into Layers of the last active one of a name
	for _, active := range d.a.Active {
		if l := list[active.Layer]; !l.Meta {
			last[l.Name] = max(last[l.Name], active.Layer)
		}
	}
	for i := range d.a.Active {
		active := &d.a.Active[i]
		l := list[active.Layer]
		active.Unchained = !l.Meta && last[l.Name] != active.Layer
	}
}

// oldLayers warns of active layers that are older than the program (LAY-132).
func (d *decider) oldLayers() {
	app := d.q.App.API
	if app == 0 { // INS-024
		app = version10
	}
	for _, active := range d.a.Active {
		l := d.a.Layers[active.Layer]
		if l.API>>12&0x1ffff < app>>12&0x1ffff {
			d.say(diag.Warn|diag.Layer, diag.LayerOldVersion, l.Name, l.Manifest, "Layer "+l.Name+" uses API version "+
				majorMinor(l.API)+" which is older than the application specified API version of "+majorMinor(app)+". May cause issues.")
		}
	}
}

// regular activates without a settings file that controls layers.
func (a *activator) regular() {
	d := a.d
	variable := d.f.Variable(variables.InstanceLayers)
	var implicit []*manifest.Layer
	var names []string
	for _, l := range a.list {
		if l.Implicit {
			implicit, names = append(implicit, l), append(names, l.Name)
		}
	}
	named := make([]bool, len(names))
	if variable.Set {
		named = partsOf(variable.Value, names) // LAY-146
	}
	for i, l := range implicit {
		if !named[i] && a.first[l.Name] == l && d.implicitEnabled(l) { // LAY-109: one that comes later is never asked
			a.add(l, ByImplicit)
		}
	}
	if variable.Set {
		d.say(diag.Warn|diag.Layer, diag.LayerForced, variables.InstanceLayers.Name(), "",
			"env var 'VK_INSTANCE_LAYERS' defined and adding layers \""+variable.Value+"\"")
		for _, name := range split(variable.Value) {
			l := a.first[name]
			if l == nil {
				d.say(diag.Error|diag.Layer, diag.LayerMissing, name, "", "Layer \""+name+
					"\" was not found but was requested by env var VK_INSTANCE_LAYERS!")
				continue
			}
			a.add(l, ByVariable)
		}
	}
	for _, l := range a.list {
		if !l.Implicit && a.first[l.Name] == l && d.enable.matches(l.Name) && !a.active[l.Name] { // LAY-108
			d.say(diag.Warn|diag.Layer, diag.LayerForced, l.Name, l.Manifest, "Layer \""+l.Name+
				"\" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'")
			a.add(l, ByEnable)
		}
	}
	for _, n := range d.q.App.Layers {
		if l := a.first[n.Text]; l != nil {
			a.add(l, ByApplication)
		}
	}
}

// split cuts a colon-separated list; empty elements are skipped.
func split(list string) []string {
	var out []string
	for list != "" {
		end := 0
		for end < len(list) && list[end] != ':' {
			end++
		}
		if end > 0 {
			out = append(out, list[:end])
		}
		list = list[min(end+1, len(list)):]
	}
	return out
}

// add activates a layer unless its name is active already.
func (a *activator) add(l *manifest.Layer, by uint32) {
	if a.active[l.Name] {
		return
	}
	if l.Meta {
		a.addMeta(l, by)
		return
	}
	a.put(l, by)
}

func (a *activator) put(l *manifest.Layer, by uint32) {
	a.active[l.Name] = true
	a.d.a.Active = append(a.d.a.Active, Active{Layer: a.index[l], EnabledBy: by, AppNamed: a.app[l.Name]})
}

// sayRecursion says that a meta-layer that is being expanded was met again (SET-69).
func (a *activator) sayRecursion(meta *manifest.Layer) {
	a.d.say(diag.Warn|diag.Layer, diag.MetaInvalid, meta.Name, meta.Manifest, "loader_add_meta_layer: Meta-layer "+meta.Name+
		" recursively references itself through its component layers. Skipping the recursive reference.")
}

// privileged tells whether a meta-layer activates implicit components that are not enabled: the override layer does
// (LAY-134), but not where it is an entry of the settings file (OVR-19).
func (a *activator) privileged(meta *manifest.Layer) bool {
	if !meta.IsOverride() {
		return false
	}
	if a.d.bySet == nil {
		return true
	}
	_, entry := a.d.bySet.control[meta]
	return !entry
}

// addMeta puts the components at the meta-layer's place, and then itself; false when a component is missing. One that
// contains an incomplete one is incomplete, too, except under a settings file (SET-68).
func (a *activator) addMeta(meta *manifest.Layer, by uint32) bool {
	if a.work++; a.work > metaWork { // meta-layers are entered once for each way to them (LAY-176)
		return false
	}
	a.inside[meta] = true
	complete := true
	for _, name := range meta.Components {
		c := a.first[name]
		switch {
		case c == nil: // LAY-179, SET-68
			a.d.say(diag.Warn|diag.Layer, diag.MetaComponent, meta.Name, meta.Manifest, "Failed to find layer name \""+name+
				"\" component layer \""+name+"\" to activate (Policy #LLP_LAYER_7)")
			complete = false
		case a.inside[c]:
			a.sayRecursion(c)
		case a.atOwnPlace(c):
			if c.Meta {
				a.recursions(c, make(map[*manifest.Layer]bool))
			}
		case c.Implicit && !a.privileged(meta) && !a.d.implicitEnabled(c): // LAY-177, LAY-134
		case c.Meta:
			complete = (a.addMeta(c, by) || a.own != nil && a.work <= metaWork) && complete
		case !a.active[c.Name]:
			reason := ByMeta
			if c.Implicit { // LAY-425
				reason = ByImplicit
			}
			a.put(c, reason)
		}
	}
	delete(a.inside, meta)
	if complete {
		a.put(meta, by)
	}
	return complete
}

// explainListed finds, for each layer of the list, whether and why it is active.
func (d *decider) explainListed() {
	if !d.q.Explain {
		return
	}
	by := make(map[int]uint32, len(d.a.Active))
	for _, active := range d.a.Active {
		if by[active.Layer] == 0 {
			by[active.Layer] = active.EnabledBy
		}
	}
	for i, l := range d.a.Layers {
		code, what := diag.LayerListed, "listed"
		if d.isInstance() {
			code, what = diag.LayerInactive, "nobody asks for it"
			enabled, forbidden := true, false
			if l.Implicit {
				enabled, forbidden = d.byOwnVariables(l)
			}
			switch {
			case by[i] != 0:
				code, what = diag.LayerActive, "active: "+reasonText(by[i], l)
			case forbidden:
				what = "its disable variable " + l.DisableName + " is set"
			case !enabled:
				what = "its enable variable " + l.EnableName + " is not " + l.EnableValue
			}
		}
		d.a.Findings = append(d.a.Findings, diag.Finding{Code: code, Subject: l.Name, Path: l.Manifest, Line: l.Line,
			Column: l.Column, What: what})
	}
}

func reasonText(by uint32, l *manifest.Layer) string {
	switch by {
	case ByImplicit:
		return "implicit layer, switched off by setting " + l.DisableName
	case ByVariable:
		return "named in VK_INSTANCE_LAYERS"
	case ByEnable:
		return "matches VK_LOADER_LAYERS_ENABLE"
	case ByApplication:
		return "named by the program"
	case ByMeta:
		return "component of a meta-layer"
	}
	return "the settings file"
}
