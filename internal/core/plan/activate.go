package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
)

// activator builds the active list of an instance. Layers are identified by their index in the layer list.
type activator struct {
	call
	costs    *costs
	switches *switches
	bySet    *settingsState // nil: no settings file controls layers
	out      []Active

	list   []*manifest.Layer
	places map[string]int  // index of the first layer of each name; built on demand
	app    map[string]bool // layer names enabled by the program
	active map[string]bool // names in the active list
	// under a settings file, why each layer is active other than as a component; 0: it is not
	own   []uint32
	named map[string]bool // names of the layers with an entry in own

	brought map[string]bool // components of the override layer; filled by bring

	states []expansion // of each layer, the state of its expansion; made for the first meta-layer
	stack  []expansionStep
	fresh  []string // names activated by the meta-layer at the bottom of the stack
	spent  int      // cost of that meta-layer so far
	looks  uint32   // number of the current search for recursions
}

// expansion is the state of a meta-layer.
type expansion struct {
	inside, before bool   // is being expanded; was expanded before
	look           uint32 // the last search for recursions that visited it
}

// expansionStep is a meta-layer being expanded, with the index of its next component.
type expansionStep struct {
	at, next   int
	incomplete bool
}

// place returns the index of the first layer of a name, or -1.
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

// regular activates layers if no settings file controls them.
func (a *activator) regular() {
	variable := a.f.Variable(variables.InstanceLayers)
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
		if !named[k] && first[i] && a.isEnabled(a.list[i]) { // LAY-109: only the first layer of a name is considered
			a.add(i, ByImplicit)
		}
	}
	if variable.Set {
		a.say(diag.Warn|diag.Layer, diag.LayerForced, variables.InstanceLayers.Name(), "",
			"env var 'VK_INSTANCE_LAYERS' defined and adding layers \""+variable.Value+"\"")
		for _, name := range a.q.split(variable.Value) {
			i := a.place(name)
			if i < 0 {
				a.say(diag.Error|diag.Layer, diag.LayerMissing, name, "", "Layer \""+name+
					"\" was not found but was requested by env var VK_INSTANCE_LAYERS!")
				continue
			}
			a.add(i, ByVariable)
		}
	}
	for i, l := range a.list {
		if !l.Implicit && a.switches.enable.matches(l.Name) && a.place(l.Name) == i && !a.active[l.Name] { // LAY-108
			a.say(diag.Warn|diag.Layer, diag.LayerForced, l.Name, l.Manifest, "Layer \""+l.Name+
				"\" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'")
			a.add(i, ByEnable)
		}
	}
	for _, n := range a.q.App.Layers {
		if i := a.place(n.Text); i >= 0 {
			a.add(i, ByApplication)
		}
	}
}

// add activates a layer unless its name is active already.
func (a *activator) add(i int, by uint32) {
	if !a.active[a.list[i].Name] {
		a.addEntry(i, by)
	}
}

// addEntry activates a layer of the list, even if another layer of its name is active (SET-44).
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
	a.out = append(a.out, Active{Layer: i, EnabledBy: by, AppNamed: a.app[name]})
}

// sayRecursion logs that a meta-layer contains itself (SET-69).
func (a *activator) sayRecursion(meta *manifest.Layer) {
	if a.quiet {
		return
	}
	a.say(diag.Warn|diag.Layer, diag.MetaInvalid, meta.Name, meta.Manifest, "loader_add_meta_layer: Meta-layer "+
		meta.Name+
		" recursively references itself through its component layers. Skipping the recursive reference.")
}

// isEnabled reports whether an implicit layer is active without a request: its own variables enable it, or it is a
// component of the override layer (LAY-134).
func (a *activator) isEnabled(l *manifest.Layer) bool {
	return a.switches.isEnabled(l) || a.brought[l.Name]
}

// bring records the components of the list's first override layer, if the search found an enabled one (OVR-19).
func (a *activator) bring(found *manifest.Layer) {
	i := a.place(manifest.OverrideName)
	if found == nil || i < 0 {
		return
	}
	a.brought = make(map[string]bool, len(a.list[i].Components))
	for _, name := range a.list[i].Components {
		a.brought[name] = true
	}
}

// addMeta activates the components of a meta-layer, and then the meta-layer itself unless a component is missing. A
// component that a nested meta-layer lacks does not affect it (LAY-179, SET-68).
func (a *activator) addMeta(root int, by uint32) {
	if a.states == nil {
		a.states = make([]expansion, len(a.list))
	}
	a.costs.open(&a.costs.walks)
	most, start := a.costs.walks.left/2, len(a.out)
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
				if !a.quiet {
					a.say(diag.Warn|diag.Layer, diag.MetaComponent, meta.Name, meta.Manifest,
						"Failed to find layer name \""+name+
							"\" component layer \""+name+"\" to activate (Policy #LLP_LAYER_7)")
				}
				continue
			}
			good = a.component(i, most)
			continue
		}
		a.states[top.at].inside = false
		if !top.incomplete {
			a.put(top.at, by)
		}
		a.stack = a.stack[:len(a.stack)-1]
	}
	a.costs.walks.left -= a.spent
	if good {
		return
	}
	for _, e := range a.stack {
		a.states[e.at].inside = false
	}
	for _, name := range a.fresh {
		a.active[name] = false
	}
	a.stack, a.out = a.stack[:0], a.out[:start]
	a.costs.leaveOut(diag.FileCost, "Meta-layer", a.list[root].Name, a.list[root].Manifest)
}

// enter begins to expand a meta-layer. It returns false if that costs too much. A meta-layer is expanded once for each
// path to it (LAY-176); every path but the first is charged.
func (a *activator) enter(at, most int) bool {
	state := &a.states[at]
	if state.before {
		a.spent += a.list[at].Walk
	}
	if a.spent > most || len(a.stack) == metaDepth {
		return false
	}
	state.inside, state.before = true, true
	a.stack = append(a.stack, expansionStep{at: at})
	return true
}

// component activates a component of a meta-layer. It returns false if that costs too much.
func (a *activator) component(i, most int) bool {
	c := a.list[i]
	switch {
	case a.states[i].inside:
		a.sayRecursion(c)
	case a.named[c.Name]: // SET-53, SET-67: it is activated only at its own place in the list
		if c.Meta && !a.quiet {
			a.recursions(i)
		}
	case a.shutOut(c):
	case c.Implicit && !a.isEnabled(c): // LAY-177, LAY-134
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

// activateBySettings activates layers under a settings file that controls them, in list order (SET-53 to SET-67).
func (a *activator) activateBySettings() {
	variable := a.f.Variable(variables.InstanceLayers)
	if variable.Set { // SET-63
		a.say(diag.Warn|diag.Layer, diag.LayerForced, variables.InstanceLayers.Name(), "",
			"env var 'VK_INSTANCE_LAYERS' defined and adding layers: "+variable.Value)
	}
	named := make(map[string]bool)
	for _, name := range a.q.split(variable.Value) {
		named[name] = true
	}
	a.own = make([]uint32, len(a.list))
	for i, l := range a.list {
		control, entry := a.bySet.control[l]
		if control == settings.On {
			a.own[i] = BySettings
			continue
		}
		if !entry && a.place(l.Name) != i { // LAY-108: the first layer of a name that the search found counts
			continue
		}
		if a.switches.excludes(l.Name) {
			if a.quiet {
				continue
			}
			a.say(diag.Warn|diag.Layer, diag.LayerDisabled, l.Name, l.Manifest, "Layer \""+l.Name+
				"\" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.")
			continue
		}
		switch {
		case a.switches.enable.matches(l.Name):
			a.own[i] = ByEnable
			if !a.quiet {
				a.say(diag.Warn|diag.Layer, diag.LayerForced, l.Name, l.Manifest, "Layer \""+l.Name+
					"\" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.")
			}
		case named[l.Name]:
			a.own[i] = ByVariable
		case a.app[l.Name]:
			a.own[i] = ByApplication
		case l.Implicit && a.isEnabled(l):
			a.own[i] = ByImplicit
		}
	}
	a.named = make(map[string]bool)
	for i, by := range a.own {
		if by != 0 {
			a.named[a.list[i].Name] = true
		}
	}
	for i, by := range a.own {
		if by != 0 {
			a.addEntry(i, by)
		}
	}
}

// shutOut reports whether the settings file leaves a component to the usual rules, and the disable check excludes it
// (SET-49, SET-58, SET-60).
func (a *activator) shutOut(c *manifest.Layer) bool {
	return a.own != nil && a.switches.excludes(c.Name)
}

// recursions logs the meta-layers being expanded that a meta-layer with its own place in the list contains (SET-69).
func (a *activator) recursions(at int) {
	a.looks++
	a.states[at].look = a.looks
	stack := []expansionStep{{at: at}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		parts := a.list[top.at].Components
		if top.next == len(parts) {
			stack = stack[:len(stack)-1]
			continue
		}
		top.next++
		i := a.place(parts[top.next-1])
		if i < 0 || !a.list[i].Meta || a.states[i].look == a.looks {
			continue
		}
		if a.states[i].inside {
			a.sayRecursion(a.list[i])
			continue
		}
		if !a.costs.spend(&a.costs.cycles, a.list[i].Walk) { // the search only logs, so giving up is harmless
			return
		}
		a.states[i].look = a.looks
		stack = append(stack, expansionStep{at: i})
	}
}
