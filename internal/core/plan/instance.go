package plan

import (
	"slices"

	"vkloader/internal/core/diag"
)

// instance answers vkCreateInstance, in the order of INS-025.
func (d *decision) instance() {
	if b := d.earlier(); b != nil {
		d.chain.layers, d.chain.active, d.drivers.skipped = b.layers, b.active, b.skipped
		d.create(b)
		return
	}
	from := len(d.steps)
	chosen := d.choose()
	switch {
	case chosen == nil:
	case d.q.Kind == Instance:
		d.m.before = chosen
	default: // logged before the drivers were opened
		d.take(from)
		d.create(chosen)
	}
}

// choose decides on the layers and the drivers to open. It returns nil if the call ends here. The lines about
// activation and about old layers are kept for later.
func (d *decision) choose() *firstAnswer {
	d.request.sayAsked()
	d.file.read()
	d.request.sayVersion()
	wanted := d.q.scope()
	list := d.layers.list(wanted.explicit)
	if d.f.Missing() {
		return nil
	}
	d.chain.layers = list
	if !d.request.layers(&d.layers, list) {
		d.made.Result = d.request.result
		return nil
	}
	d.step(StepLayers)
	from := len(d.steps)
	d.chain.activate(&d.layers)
	activation := d.take(from)
	d.chain.sayOld()
	old := d.take(from)
	d.step(StepActive)
	if d.file.set != nil && d.file.set.HasDevices {
		d.step(StepDevices)
	}
	d.made.Portability = d.q.App.Flags&portabilityFlag != 0 && d.q.enables(portabilityExtension)
	if d.made.Portability { // INS-038
		d.log(diag.Info, "Portability enumeration bit was set, enumerating portability drivers.")
	}
	d.request.direct()
	if wanted.drivers {
		d.drivers.discover(d.made.Portability)
	}
	d.chain.explainLayers()
	if d.f.Missing() {
		return nil
	}
	return &firstAnswer{kind: InstanceDrivers, layers: list, active: d.chain.active, activation: activation, old: old,
		skipped: d.drivers.skipped}
}

// create completes the decision once the drivers are opened. The lines about activation are logged even if an extension
// cannot be enabled; the lines about old layers are not.
func (d *decision) create(b *firstAnswer) {
	if !slices.ContainsFunc(d.q.Drivers, func(o Driver) bool { return o.Usable }) {
		d.logNoDrivers()
		return
	}
	if !d.judgeDrivers() {
		return
	}
	d.steps = append(d.steps, b.activation...)
	if d.request.extensions(&d.offers, &d.chain) {
		d.steps = append(d.steps, b.old...)
	}
	d.made.Result = d.request.result
}

// logNoDrivers logs why there is no driver (INS-040 to INS-043, INS-029).
func (d *decision) logNoDrivers() {
	if d.drivers.skipped > 0 {
		const found = "vkCreateInstance: Found drivers that contain devices which support the portability subset, but the instance does not enumerate portability drivers! Applications that wish to enumerate portability drivers must set the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags"
		text := found + " and enable the VK_KHR_portability_enumeration instance extension."
		switch {
		case d.q.enables(portabilityExtension):
			text = found + "."
		case d.q.App.Flags&portabilityFlag != 0:
			text =
				"VkInstanceCreateInfo: If flags has the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit set, the list of enabled extensions in ppEnabledExtensionNames must contain VK_KHR_portability_enumeration [VUID-VkInstanceCreateInfo-flags-06559 ]Applications that wish to enumerate portability drivers must enable the VK_KHR_portability_enumeration instance extension."
		}
		d.say(diag.Error|diag.Driver, diag.DriverPortability, portabilityExtension, "", text)
	}
	d.made.Result = IncompatibleDriver
	d.say(diag.Error|diag.Driver, diag.DriverNone, "", "", "vkCreateInstance: Found no drivers!")
}
