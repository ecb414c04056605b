package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
)

const (
	portabilityFlag      = 1 // VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR
	portabilityExtension = "VK_KHR_portability_enumeration"
	directExtension      = "VK_LUNARG_direct_driver_loading"
	directExclusive      = 0 // VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG
	version10            = 1 << 22
)

// instance answers vkCreateInstance, in the order of INS-025.
func (d *decider) instance() {
	if b := d.earlier(); b != nil {
		d.a.Layers, d.a.Active, d.skippedPortability = b.layers, b.active, b.skipped
		d.drivers(b.activation, b.old)
		return
	}
	var chosen *before
	said := d.aside(func() { chosen = d.choose() })
	switch {
	case chosen == nil:
		d.a.Steps = said
	case d.q.Kind == Instance:
		d.a.Steps, d.m.before = said, chosen
	default: // that was said before drivers were opened
		d.drivers(chosen.activation, chosen.old)
	}
}

// choose decides on layers, and on the drivers to open; nil when the call ends here. What it gives to be said later is
// about how layers became active, and about those that are too old.
func (d *decider) choose() *before {
	d.appLines()
	d.readSettings()
	d.appVersion()
	list := d.layerList(true)
	if d.f.Missing() {
		return nil
	}
	d.a.Layers = list
	if !d.validateLayers(list) {
		return nil
	}
	d.step(StepLayers)
	activation := d.aside(func() { d.activate(list) })
	old := d.aside(func() { d.oldLayers() })
	d.step(StepActive)
	if d.set != nil && d.set.HasDevices {
		d.step(StepDevices)
	}
	d.a.Portability = d.q.App.Flags&portabilityFlag != 0 && d.appExtension(portabilityExtension)
	if d.a.Portability { // INS-038
		d.log(diag.Info, "Portability enumeration bit was set, enumerating portability drivers.")
	}
	d.direct()
	if !d.a.DirectExclusive {
		d.discover(d.a.Portability)
	}
	d.explainListed()
	if d.f.Missing() {
		return nil
	}
	return &before{kind: InstanceDrivers, layers: list, active: d.a.Active, activation: activation, old: old,
		skipped: d.skippedPortability}
}

// earlier gives what the first question of the call has found; nil when this is no second one, or all is to be explained.
func (d *decider) earlier() *before {
	b := d.m.before
	if b == nil || b.kind != d.q.Kind || d.q.Explain {
		return nil
	}
	return b
}

// appExtension tells whether the program enabled an extension.
func (d *decider) appExtension(name string) bool {
	for i := range d.q.App.Extensions {
		if e := &d.q.App.Extensions[i]; e.Set && e.Text == name {
			return true
		}
	}
	return false
}

// appLines logs what the program asked for (INS-031 to INS-034).
func (d *decider) appLines() {
	app := &d.q.App
	d.log(diag.Info, "vkCreateInstance: applicationName: \""+app.Name.Text+"\", applicationVersion: "+decimal(app.Version)+
		", engineName: \""+app.Engine.Text+"\", engineVersion: "+decimal(app.EngineVersion)+", apiVersion: "+
		decimal(manifest.Major(app.API))+"."+decimal(manifest.Minor(app.API))+"."+decimal(manifest.Patch(app.API)))
	names := func(list []Name, count uint32, what string) {
		d.log(diag.Info, "vkCreateInstance: Requested "+decimal(count)+" instance "+what+"(s):")
		for _, n := range list {
			if n.Set {
				d.log(diag.Info, "   "+n.Text)
			} else {
				d.log(diag.Info, "   <NULL>")
			}
		}
	}
	names(app.Layers, app.LayerCount, "layer")
	names(app.Extensions, app.ExtensionCount, "extension")
}

// appVersion complains about apiVersion; the call goes on (INS-035, INS-036).
func (d *decider) appVersion() {
	api := d.q.App.API
	if api > 0 && api < version10 {
		d.say(diag.Fatal|diag.Error, diag.AppVersion, "apiVersion", "",
			"VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of "+decimal(api)+
				" which is not permitted. If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]")
	}
	if variant := manifest.Variant(api); variant != 0 {
		d.say(diag.Warn, diag.AppVersion, "apiVersion", "",
			"vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is "+decimal(variant)+
				" instead of the expected value of 0.")
	}
}

// fail ends the call.
func (d *decider) fail(result int32, code diag.Code, subject, text string) bool {
	d.a.Result = result
	d.say(diag.Error, code, subject, "", text)
	return false
}

// validateLayers checks ppEnabledLayerNames (INS-047 to INS-049, LAY-268 to LAY-271).
func (d *decider) validateLayers(list []*manifest.Layer) bool {
	app := &d.q.App
	if app.LayerCount == 0 {
		return true
	}
	if app.LayersNull {
		return d.fail(LayerNotPresent, diag.LayerMissing, "ppEnabledLayerNames",
			"loader_validate_layers: ppEnabledLayerNames is NULL but enabledLayerCount is greater than zero")
	}
	first := firstOf(list)
	for i, n := range app.Layers {
		if !wellFormed(n) {
			return d.fail(LayerNotPresent, diag.NameMalformed, "ppEnabledLayerNames",
				"loader_validate_layers: ppEnabledLayerNames contains string that is too long or is badly formed")
		}
		if d.preventedBySettings(n.Text) {
			return d.fail(LayerNotPresent, diag.LayerDisabled, n.Text, "loader_validate_layers: Layer "+decimal(uint32(i))+
				" was explicitly prevented from being enabled by the loader settings file")
		}
		if first[n.Text] == nil {
			return d.fail(LayerNotPresent, diag.LayerMissing, n.Text, "loader_validate_layers: Layer "+decimal(uint32(i))+
				" does not exist in the list of available layers")
		}
	}
	return true
}

// direct judges the program's own drivers (DRV-081 to DRV-089); the entries are judged by who loads them.
func (d *decider) direct() {
	app := &d.q.App
	enabled := d.appExtension(directExtension)
	const prefix = "loader_scan_for_direct_drivers: The "
	const structure = "VkDirectDriverLoadingListLUNARG structure"
	warn := func(text string) {
		d.say(diag.Warn|diag.Driver, diag.DriverDirect, directExtension, "", prefix+text)
	}
	switch {
	case enabled && !app.DirectList:
		warn(directExtension + " extension was enabled but the pNext chain of VkInstanceCreateInfo did not contain the " + structure + ".")
	case !enabled && app.DirectList:
		warn("pNext chain of VkInstanceCreateInfo contained the " + structure + ", but the " + directExtension + " extension was not enabled.")
	}
	if !enabled || !app.DirectList {
		return
	}
	if d.exclusiveDirect() {
		d.a.DirectExclusive = true
		d.say(diag.Info|diag.Driver, diag.DriverDirect, directExtension, "", prefix+directExtension+
			" extension is active and specified VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping system and environment variable driver search mechanisms.")
	}
	switch {
	case app.DirectNull:
		warn(structure + " in the pNext chain of VkInstanceCreateInfo has a NULL pDrivers member.")
	case app.DirectCount == 0:
		warn(structure + " in the pNext chain of VkInstanceCreateInfo has a non-null pDrivers member but a driverCount member with a value of zero.")
	default:
		d.step(StepDirect)
	}
}

func (d *decider) exclusiveDirect() bool {
	return d.q.App.DirectList && d.q.App.DirectMode == directExclusive && d.appExtension(directExtension)
}

// drivers goes on when drivers have been opened. What was said about how layers became active comes with extensions that
// cannot be enabled, too; what was said about layers that are used does not.
func (d *decider) drivers(activation, old []Step) {
	usable := false
	for i := range d.q.Drivers {
		usable = usable || d.q.Drivers[i].Usable
	}
	if !usable {
		d.noDrivers()
		return
	}
	if !d.driverFailures() {
		return
	}
	d.a.Steps = append(d.a.Steps, activation...)
	if d.validateExtensions() {
		d.a.Steps = append(d.a.Steps, old...)
	}
}

// noDrivers says why there is none (INS-040 to INS-043, INS-029).
func (d *decider) noDrivers() {
	if d.skippedPortability > 0 {
		const found = "vkCreateInstance: Found drivers that contain devices which support the portability subset, but the instance does not enumerate portability drivers! Applications that wish to enumerate portability drivers must set the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags"
		text := found + " and enable the VK_KHR_portability_enumeration instance extension."
		switch {
		case d.appExtension(portabilityExtension):
			text = found + "."
		case d.q.App.Flags&portabilityFlag != 0:
			text = "VkInstanceCreateInfo: If flags has the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit set, the list of enabled extensions in ppEnabledExtensionNames must contain VK_KHR_portability_enumeration [VUID-VkInstanceCreateInfo-flags-06559 ]Applications that wish to enumerate portability drivers must enable the VK_KHR_portability_enumeration instance extension."
		}
		d.say(diag.Error|diag.Driver, diag.DriverPortability, portabilityExtension, "", text)
	}
	d.a.Result = IncompatibleDriver
	d.say(diag.Error|diag.Driver, diag.DriverNone, "", "", "vkCreateInstance: Found no drivers!")
}

// validateExtensions checks ppEnabledExtensionNames (INS-051 to INS-056).
func (d *decider) validateExtensions() bool {
	app := &d.q.App
	if app.ExtensionCount == 0 {
		return true
	}
	const prefix = "loader_validate_instance_extensions: "
	if app.ExtensionsNull {
		return d.fail(ExtensionNotPresent, diag.ExtensionUnknown, "ppEnabledExtensionNames",
			prefix+"Instance ppEnabledExtensionNames is NULL but enabledExtensionCount is greater than zero")
	}
	var offered supported
	offered.add(loaderExtensions[:])
	for i := range d.q.Drivers {
		if d.offering[i] {
			offered.add(d.q.Drivers[i].Extensions)
		}
	}
	for _, active := range d.a.Active {
		if l := d.a.Layers[active.Layer]; !l.Meta { // ERRATA 25: its components are in the list themselves
			offered.add(l.Instance)
		}
	}
	for _, n := range app.Extensions {
		switch {
		case !wellFormed(n):
			return d.fail(ExtensionNotPresent, diag.NameMalformed, "ppEnabledExtensionNames",
				prefix+"Instance ppEnabledExtensionNames contains string that is too long or is badly formed")
		case !d.a.KeepUnknown && !d.knownExtension(n.Text):
			return d.fail(ExtensionNotPresent, diag.ExtensionUnknown, n.Text,
				prefix+"Extension "+n.Text+" not found in list of known instance extensions.")
		case !offered.names[n.Text] || d.q.Platform.MissingWindowSystem(n.Text):
			return d.fail(ExtensionNotPresent, diag.ExtensionUnsupported, n.Text,
				prefix+"Instance extension "+n.Text+" not supported by available ICDs or enabled layers.")
		}
	}
	return true
}
