package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
)

// chain is the layer list of an answer, with its active layers.
type chain struct {
	call
	switches *switches
	compute  *computePolicy
	layers   []*manifest.Layer
	active   []Active
}

// activate decides which layers are active, in which order (LAY-144, LAY-173 to LAY-183).
func (c *chain) activate(from *lister) {
	a := &activator{call: c.call, costs: from.costs, switches: c.switches, compute: c.compute, bySet: from.bySet, list: c.layers, app: make(map[string]bool), active: make(map[string]bool)}
	for _, n := range c.q.App.Layers {
		if n.Set {
			a.app[n.Text] = true
		}
	}
	a.bring(from.override)
	if from.file.controlsLayers() {
		a.bySettings()
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
				majorMinor(l.API)+" which is older than the application specified API version of "+majorMinor(app)+". May cause issues.")
		}
	}
}

// explainLayers adds findings: whether, and why, each layer of the list is active.
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
		code, cause, what := diag.LayerListed, diag.Plain, "listed"
		if c.q.isInstance() {
			code, cause, what = diag.LayerInactive, diag.Unasked, "nothing enables it"
			enabled, forbidden := true, false
			if l.Implicit {
				enabled, forbidden = c.switches.byOwnVariables(l)
			}
			switch {
			case by[i] != 0:
				code, cause, what = diag.LayerActive, diag.Plain, "active: "+reasonText(by[i], l)
			case l.Implicit && c.switches.enabled(l) && c.compute.leavesOut(l):
				code, what = diag.LayerCompute, c.compute.reason()
			case forbidden:
				cause, what = diag.DisableVariable, "its disable variable "+l.DisableName+" is set"
			case !enabled:
				cause, what = diag.EnableVariable, "its enable variable "+l.EnableName+" does not have the value "+l.EnableValue
			}
		}
		c.findings = append(c.findings, diag.Finding{Code: code, Cause: cause, Subject: l.Name, Path: l.Manifest, Line: l.Line,
			Column: l.Column, What: what})
	}
}

func reasonText(by uint32, l *manifest.Layer) string {
	switch by {
	case ByImplicit:
		return "implicit layer; to disable it, set " + l.DisableName
	case ByVariable:
		return "named in VK_INSTANCE_LAYERS"
	case ByEnable:
		return "matches VK_LOADER_LAYERS_ENABLE"
	case ByApplication:
		return "enabled by the program"
	case ByMeta:
		return "component of a meta-layer"
	}
	return "the settings file"
}
