package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
)

// chain is the layer list of an answer, with its active layers.
type chain struct {
	call
	switches *switches
	layers   []*manifest.Layer
	active   []Active
}

// activate decides which layers are active, in which order (LAY-144, LAY-173 to LAY-183).
func (c *chain) activate(from *lister) {
	a := &activator{call: c.call, costs: from.costs, switches: c.switches, bySet: from.bySet, list: c.layers,
		app: make(map[string]bool), active: make(map[string]bool)}
	for _, n := range c.q.App.Layers {
		if n.Set {
			a.app[n.Text] = true
		}
	}
	a.bring(from.override)
	if from.file.controlsLayers() {
		a.activateBySettings()
	} else {
		a.regular()
	}
	c.active = a.out
	last := make(map[string]int, len(c.active)) // index into layers of the last active layer of a name
	for _, active := range c.active {
		if l := c.layers[active.Layer]; !l.Meta {
			last[l.Name] = max(last[l.Name], active.Layer)
		}
	}
	for i := range c.active {
		active := &c.active[i]
		l := c.layers[active.Layer]
		active.Unchained = !l.Meta && last[l.Name] != active.Layer
	}
}

// sayOld warns of active layers that are older than the program (LAY-132).
func (c *chain) sayOld() {
	app := c.q.App.API
	if app == 0 { // INS-024
		app = version10
	}
	for _, active := range c.active {
		l := c.layers[active.Layer]
		if !l.Meta && l.API>>12&0x1ffff < app>>12&0x1ffff {
			c.say(diag.Warn|diag.Layer, diag.LayerOldVersion, l.Name, l.Manifest, "Layer "+l.Name+" uses API version "+
				majorMinor(l.API)+" which is older than the application specified API version of "+majorMinor(app)+
				". May cause issues.")
		}
	}
}

// explainLayers adds diagnostics: whether, and why, each layer of the list is active.
func (c *chain) explainLayers() {
	if !c.q.Explain {
		return
	}
	by := make(map[int]uint32, len(c.active))
	for _, active := range c.active {
		if by[active.Layer] == 0 {
			by[active.Layer] = active.EnabledBy
		}
	}
	for i, l := range c.layers {
		f := diag.Diagnostic{Code: diag.LayerListed, Subject: l.Name, Path: l.Manifest, Line: l.Line, Column: l.Column}
		if c.q.isInstance() {
			f.Code, f.Cause = diag.LayerInactive, diag.Unasked
			enabled, forbidden := true, false
			if l.Implicit {
				enabled, forbidden = c.switches.ownVariables(l)
			}
			switch {
			case by[i] != 0:
				f.Code, f.Cause, f.Detail = diag.LayerActive, activeBy(by[i]), l.DisableName
			case forbidden:
				f.Cause, f.Detail = diag.DisableVariable, l.DisableName
			case !enabled:
				f.Cause, f.Detail, f.More = diag.EnableVariable, l.EnableName, l.EnableValue
			}
		}
		c.diagnostics = append(c.diagnostics, f)
	}
}

// activeBy returns the cause of an active layer.
func activeBy(by uint32) diag.Cause {
	switch by {
	case ByImplicit:
		return diag.ImplicitLayer
	case ByVariable:
		return diag.InstanceList
	case ByEnable:
		return diag.EnableFilter
	case ByApplication:
		return diag.ByProgram
	case ByMeta:
		return diag.OfMeta
	}
	return diag.BySettings
}
