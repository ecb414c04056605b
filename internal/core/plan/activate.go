package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
)

// activator builds the active list of an instance. Layers are known by their places in the list.
type activator struct {
	d      *decider
	list   []*manifest.Layer
	places map[string]int  // of the first layer of each name; made when a name is first looked for
	app    map[string]bool // names that the program gave
	active map[string]bool // names in the active list
	inside map[int]bool    // meta-layers being expanded
	own    []uint32        // under a settings file: why a layer is active by itself, 0: it is not
	named  map[string]bool // and the names of those that are
	work   int
}

// place gives the place of the first layer of a name, -1 without one.
func (a *activator) place(name string) int {
	if a.places == nil {
		a.places = make(map[string]int, len(a.list))
		for i := len(a.list) - 1; i >= 0; i-- {
			a.places[a.list[i].Name] = i
		}
	}
	if i, ok := a.places[name]; ok {
		return i
	}
	return -1
}

// activate decides which layers are active, in which order (LAY-144, LAY-173 to LAY-183).
func (d *decider) activate(list []*manifest.Layer) {
	a := &activator{d: d, list: list, app: make(map[string]bool), active: make(map[string]bool), inside: make(map[int]bool)}
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

// oldLayers warns of layers of the chain that are older than the program (LAY-132).
func (d *decider) oldLayers() {
	app := d.q.App.API
	if app == 0 { // INS-024
		app = version10
	}
	for _, active := range d.a.Active {
		l := d.a.Layers[active.Layer]
		if !l.Meta && l.API>>12&0x1ffff < app>>12&0x1ffff {
			d.say(diag.Warn|diag.Layer, diag.LayerOldVersion, l.Name, l.Manifest, "Layer "+l.Name+" uses API version "+
				majorMinor(l.API)+" which is older than the application specified API version of "+majorMinor(app)+". May cause issues.")
		}
	}
}

// regular activates without a settings file that controls layers.
func (a *activator) regular() {
	d := a.d
	variable := d.f.Variable(variables.InstanceLayers)
	var implicit []int
	var names []string
	for i, l := range a.list {
		if l.Implicit {
			implicit, names = append(implicit, i), append(names, l.Name)
		}
	}
	named := make([]bool, len(names))
	if variable.Set {
		named = partsOf(variable.Value, names) // LAY-146
	}
	first := firstImplicit(a.list)
	for k, i := range implicit {
		if !named[k] && first[i] && d.implicitEnabled(a.list[i]) { // LAY-109: one that comes later is never asked
			a.add(i, ByImplicit)
		}
	}
	if variable.Set {
		d.say(diag.Warn|diag.Layer, diag.LayerForced, variables.InstanceLayers.Name(), "",
			"env var 'VK_INSTANCE_LAYERS' defined and adding layers \""+variable.Value+"\"")
		for _, name := range d.split(variable.Value) {
			i := a.place(name)
			if i < 0 {
				d.say(diag.Error|diag.Layer, diag.LayerMissing, name, "", "Layer \""+name+
					"\" was not found but was requested by env var VK_INSTANCE_LAYERS!")
				continue
			}
			a.add(i, ByVariable)
		}
	}
	for i, l := range a.list {
		if !l.Implicit && d.enable.matches(l.Name) && a.place(l.Name) == i && !a.active[l.Name] { // LAY-108
			d.say(diag.Warn|diag.Layer, diag.LayerForced, l.Name, l.Manifest, "Layer \""+l.Name+
				"\" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'")
			a.add(i, ByEnable)
		}
	}
	for _, n := range d.q.App.Layers {
		if i := a.place(n.Text); i >= 0 {
			a.add(i, ByApplication)
		}
	}
}

// split cuts a list as variables have it; empty elements are skipped.
func (d *decider) split(list string) []string {
	var out []string
	separator := d.q.Platform.Style.ListSeparator()
	for list != "" {
		end := 0
		for end < len(list) && list[end] != separator {
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
func (a *activator) add(i int, by uint32) {
	if !a.active[a.list[i].Name] {
		a.addEntry(i, by)
	}
}

// addEntry activates a layer of the list; another of the same name is no obstacle (SET-44).
func (a *activator) addEntry(i int, by uint32) {
	if a.list[i].Meta {
		a.addMeta(i, by)
		return
	}
	a.put(i, by)
}

func (a *activator) put(i int, by uint32) {
	name := a.list[i].Name
	a.active[name] = true
	a.d.a.Active = append(a.d.a.Active, Active{Layer: i, EnabledBy: by, AppNamed: a.app[name]})
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
func (a *activator) addMeta(at int, by uint32) bool {
	if a.work++; a.work > metaWork { // meta-layers are entered once for each way to them (LAY-176)
		return false
	}
	meta := a.list[at]
	a.inside[at] = true
	complete := true
	for _, name := range meta.Components {
		i := a.place(name)
		if i < 0 { // LAY-179, SET-68
			a.d.say(diag.Warn|diag.Layer, diag.MetaComponent, meta.Name, meta.Manifest, "Failed to find layer name \""+name+
				"\" component layer \""+name+"\" to activate (Policy #LLP_LAYER_7)")
			complete = false
			continue
		}
		c := a.list[i]
		switch {
		case a.inside[i]:
			a.sayRecursion(c)
		case a.named[name]: // SET-53, ERRATA 26: it stands at its own place, and only there
			if c.Meta {
				a.recursions(i, make(map[int]bool))
			}
		case c.Implicit && !a.privileged(meta) && !a.d.implicitEnabled(c): // LAY-177, LAY-134
		case c.Meta:
			complete = (a.addMeta(i, by) || a.own != nil && a.work <= metaWork) && complete
		case !a.active[c.Name]:
			reason := ByMeta
			if c.Implicit { // LAY-425
				reason = ByImplicit
			}
			a.put(i, reason)
		}
	}
	delete(a.inside, at)
	if complete {
		a.put(at, by)
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
		code, cause, what := diag.LayerListed, diag.Plain, "listed"
		if d.isInstance() {
			code, cause, what = diag.LayerInactive, diag.Unasked, "nobody asks for it"
			enabled, forbidden := true, false
			if l.Implicit {
				enabled, forbidden = d.byOwnVariables(l)
			}
			switch {
			case by[i] != 0:
				code, cause, what = diag.LayerActive, diag.Plain, "active: "+reasonText(by[i], l)
			case forbidden:
				cause, what = diag.DisableVariable, "its disable variable "+l.DisableName+" is set"
			case !enabled:
				cause, what = diag.EnableVariable, "its enable variable "+l.EnableName+" is not "+l.EnableValue
			}
		}
		d.a.Findings = append(d.a.Findings, diag.Finding{Code: code, Cause: cause, Subject: l.Name, Path: l.Manifest, Line: l.Line,
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
