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
	own    []uint32        // under a settings file: why a layer is active by itself, 0: it is not
	named  map[string]bool // and the names of those that are

	states []expansion // for each layer, how far a meta-layer is expanded; made with the first one
	stack  []expanding
	fresh  []string // names that have become active by the meta-layer at the bottom of the stack
	spent  int      // from the budget, for it
	looks  uint32   // counts the looks for recursions
}

// expansion is what became of a meta-layer so far.
type expansion struct {
	inside, before bool   // it is being expanded, it has been expanded before
	look           uint32 // the last look for recursions that came by
}

// expanding is a meta-layer that is being expanded, and the component that comes next.
type expanding struct {
	at, next   int
	incomplete bool
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
	a := &activator{d: d, list: list, app: make(map[string]bool), active: make(map[string]bool)}
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
			if d.leftToShow(a.list[i]) {
				d.withoutOverlay(a.list[i])
				continue
			}
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
	if !a.active[name] {
		a.active[name] = true
		if len(a.stack) > 0 {
			a.fresh = append(a.fresh, name)
		}
	}
	a.d.a.Active = append(a.d.a.Active, Active{Layer: i, EnabledBy: by, AppNamed: a.app[name]})
}

// sayRecursion says that a meta-layer that is being expanded was met again (SET-69).
func (a *activator) sayRecursion(meta *manifest.Layer) {
	if a.d.quiet {
		return
	}
	a.d.say(diag.Warn|diag.Layer, diag.MetaInvalid, meta.Name, meta.Manifest, "loader_add_meta_layer: Meta-layer "+meta.Name+
		" recursively references itself through its component layers. Skipping the recursive reference.")
}

// privileged tells whether a meta-layer activates implicit components that are not enabled: the override layer does
// (LAY-134), but not where it is an entry of the settings file (OVR-19), or where its own variables disable it and it is
// active because somebody named it (OVR-2).
func (a *activator) privileged(meta *manifest.Layer) bool {
	if !meta.IsOverride() || !a.d.implicitEnabled(meta) {
		return false
	}
	if a.d.bySet == nil {
		return true
	}
	_, entry := a.d.bySet.control[meta]
	return !entry
}

// addMeta puts the components at the meta-layer's place, and then itself unless a component is missing. What a meta-layer
// among the components lacks is no concern of this one (LAY-179, SET-68).
func (a *activator) addMeta(root int, by uint32) {
	d := a.d
	if a.states == nil {
		a.states = make([]expansion, len(a.list))
	}
	d.open(&d.walks)
	most, start := d.walks.left/2, len(d.a.Active)
	a.fresh, a.spent = a.fresh[:0], 0
	good := a.enter(root, most)
	for good && len(a.stack) > 0 {
		top := &a.stack[len(a.stack)-1]
		meta := a.list[top.at]
		if top.next < len(meta.Components) {
			top.next++
			name := meta.Components[top.next-1]
			i := a.place(name)
			if i < 0 { // LAY-179, SET-68
				top.incomplete = true
				if !d.quiet {
					d.say(diag.Warn|diag.Layer, diag.MetaComponent, meta.Name, meta.Manifest, "Failed to find layer name \""+name+
						"\" component layer \""+name+"\" to activate (Policy #LLP_LAYER_7)")
				}
				continue
			}
			good = a.component(meta, i, most)
			continue
		}
		a.states[top.at].inside = false
		if !top.incomplete {
			a.put(top.at, by)
		}
		a.stack = a.stack[:len(a.stack)-1]
	}
	d.walks.left -= a.spent
	if good {
		return
	}
	for _, e := range a.stack {
		a.states[e.at].inside = false
	}
	for _, name := range a.fresh {
		a.active[name] = false
	}
	a.stack, d.a.Active = a.stack[:0], d.a.Active[:start]
	d.leaveOut(diag.FileCost, "Meta-layer", a.list[root].Name, a.list[root].Manifest)
}

// enter begins to expand a meta-layer; false when it costs too much. Meta-layers are entered once for each way to them
// (LAY-176): all ways but the first are paid for.
func (a *activator) enter(at, most int) bool {
	state := &a.states[at]
	if state.before {
		a.spent += a.list[at].Walk
	}
	if a.spent > most || len(a.stack) == metaDepth {
		return false
	}
	state.inside, state.before = true, true
	a.stack = append(a.stack, expanding{at: at})
	return true
}

// component does what there is to do for a component of a meta-layer; false when it costs too much.
func (a *activator) component(meta *manifest.Layer, i, most int) bool {
	c := a.list[i]
	switch {
	case a.states[i].inside:
		a.sayRecursion(c)
	case a.named[c.Name]: // SET-53, ERRATA 26: it stands at its own place, and only there
		if c.Meta && !a.d.quiet {
			a.recursions(i)
		}
	case a.shutOut(c):
	case c.Implicit && !a.privileged(meta) && !a.d.implicitEnabled(c): // LAY-177, LAY-134
	case c.Meta:
		return a.enter(i, most)
	case !a.active[c.Name]:
		reason := ByMeta
		if c.Implicit { // LAY-425
			reason = ByImplicit
		}
		a.put(i, reason)
	}
	return true
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
			case l.Implicit && d.implicitEnabled(l) && d.leftToShow(l):
				code, what = diag.LayerCompute, d.policyOfCompute()
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
