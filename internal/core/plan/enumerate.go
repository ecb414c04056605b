package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
)

// listLayers answers vkEnumerateInstanceLayerProperties (LAY-237).
func (d *decision) listLayers() {
	if !d.q.Terminator && d.preScan(manifest.PreLayers) {
		return
	}
	d.file.read()
	d.chain.layers = d.layers.list(d.q.scope().explicit)
	d.step(StepLayers)
	d.chain.explainLayers()
}

// preScan reports whether layers have a pre-instance function; they are then the answer. Otherwise it discards its
// messages, because the call's own search logs them again.
func (d *decision) preScan(which int) bool {
	d.file.read()
	if d.preLayers(which) {
		return true
	}
	d.clear()
	return false
}

// preLayers lists the enabled implicit layers with a pre-instance function for the call (LAY-217, LAY-224).
func (d *decision) preLayers(which int) bool {
	list := d.layers.list(false)
	for i, counts := range firstImplicit(list) {
		if l := list[i]; counts && !l.Meta && l.Pre[which] != "" && d.switches.isEnabled(l) {
			d.made.PreLayers = append(d.made.PreLayers, PreLayer{l.Name, l.Library, l.Pre[which]})
		}
	}
	if len(d.made.PreLayers) == 0 {
		return false
	}
	d.step(StepPreLayers)
	return true
}

// listExtensions answers vkEnumerateInstanceExtensionProperties.
func (d *decision) listExtensions() {
	if !d.q.Terminator && d.q.Kind == Extensions && d.preScan(manifest.PreExtensions) {
		return
	}
	if d.q.namesLayer() {
		d.extensionsOfLayer()
		return
	}
	from := len(d.steps)
	d.file.read()
	b := d.earlier()
	if b == nil {
		b = d.extensionSources()
	}
	if d.f.Missing() {
		return
	}
	if d.q.Kind == Extensions {
		d.m.before = b
		return
	}
	d.take(from) // logged before the drivers were opened
	if d.judgeDrivers() {
		d.union(b)
		d.step(StepExtensions)
	}
}

// extensionsOfLayer lists the extensions of the layer that the question names.
func (d *decision) extensionsOfLayer() {
	if !wellFormed(d.q.LayerName) { // INS-015
		d.made.Result = ExtensionNotPresent
		d.say(diag.Error, diag.NameMalformed, "pLayerName", "",
			"vkEnumerateInstanceExtensionProperties:  pLayerName is too long or is badly formed")
		return
	}
	d.file.read()
	l := firstOf(d.layers.list(d.q.scope().explicit))[d.q.LayerName.Text]
	switch {
	case d.layers.prevents(d.q.LayerName.Text): // SET-74
	case l == nil:
		d.made.Result = LayerNotPresent
		return
	default:
		d.made.Extensions = l.Instance
	}
	d.step(StepExtensions)
}

// extensionSources returns the implicit layers and the drivers whose extensions are listed.
func (d *decision) extensionSources() *firstAnswer {
	list := d.layers.list(false)
	enabled := firstImplicit(list)
	for i, l := range list {
		enabled[i] = enabled[i] && d.switches.isEnabled(l)
	}
	d.drivers.discover(true)
	return &firstAnswer{kind: ExtensionsDrivers, layers: list, enabled: enabled, exclusive: d.file.exclusive()}
}

// judgeDrivers checks the drivers' results of listing their extensions. It returns false if they end the call.
func (d *decision) judgeDrivers() bool {
	d.offers = offersOf(d.q, d.f)
	d.offers.say(d.q, d.script)
	d.made.Result = d.offers.result
	return d.made.Result == Success
}

// union lists the extensions of drivers, of the loader and of layers, each once.
func (d *decision) union(b *firstAnswer) {
	seen := make(map[string]bool, 64)
	add := func(e manifest.Extension) {
		if !seen[e.Name] {
			seen[e.Name] = true
			d.made.Extensions = append(d.made.Extensions, e)
		}
	}
	for i := range d.q.Drivers {
		if !d.offers.counts[i] {
			continue
		}
		for _, e := range d.q.Drivers[i].Extensions {
			if !d.q.Platform.MissingWindowSystem(e.Name) && (d.offers.unknown || d.q.knows(e.Name)) {
				add(e)
			}
		}
	}
	for _, e := range loaderExtensions {
		add(e)
	}
	quirk := false // LAY-246, unless the settings file replaces the search (SET-72)
	components := make(map[string]bool)
	for _, l := range b.layers {
		quirk = quirk || l.Implicit && l.Meta && !b.exclusive
		for _, name := range l.Components {
			components[name] = true
		}
	}
	for i, l := range b.layers {
		if b.enabled[i] || quirk && !l.Implicit && components[l.Name] {
			for _, e := range l.Instance {
				add(e)
			}
		}
	}
}
