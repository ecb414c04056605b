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

// request checks the program's arguments of vkCreateInstance.
type request struct {
	call
	result    int32 // the error of a refusal
	exclusive bool  // the program provides its own drivers and excludes others
}

// sayAsked logs the program's request (INS-031 to INS-034).
func (r *request) sayAsked() {
	app := &r.q.App
	r.log(diag.Info, "vkCreateInstance: applicationName: \""+app.Name.Text+"\", applicationVersion: "+
		decimal(app.Version)+
		", engineName: \""+app.Engine.Text+"\", engineVersion: "+decimal(app.EngineVersion)+", apiVersion: "+
		decimal(manifest.Major(app.API))+"."+decimal(manifest.Minor(app.API))+"."+decimal(manifest.Patch(app.API)))
	names := func(list []Name, count uint32, what string) {
		r.log(diag.Info, "vkCreateInstance: Requested "+decimal(count)+" instance "+what+"(s):")
		for _, n := range list {
			if n.Set {
				r.log(diag.Info, "   "+n.Text)
			} else {
				r.log(diag.Info, "   <NULL>")
			}
		}
	}
	names(app.Layers, app.LayerCount, "layer")
	names(app.Extensions, app.ExtensionCount, "extension")
}

// sayVersion logs an invalid apiVersion; the call continues (INS-035, INS-036).
func (r *request) sayVersion() {
	api := r.q.App.API
	if api > 0 && api < version10 {
		r.say(diag.Fatal|diag.Error, diag.AppVersion, "apiVersion", "",
			"VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of "+decimal(api)+
				" which is not permitted. If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]")
	}
	if variant := manifest.Variant(api); variant != 0 {
		r.say(diag.Warn, diag.AppVersion, "apiVersion", "",
			"vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is "+
				decimal(variant)+
				" instead of the expected value of 0.")
	}
}

// refuse ends the call with an error.
func (r *request) refuse(result int32, code diag.Code, subject, text string) bool {
	r.result = result
	r.say(diag.Error, code, subject, "", text)
	return false
}

// layers checks ppEnabledLayerNames (INS-047 to INS-049, LAY-268 to LAY-271).
func (r *request) layers(from *lister, list []*manifest.Layer) bool {
	app := &r.q.App
	if app.LayerCount == 0 {
		return true
	}
	if app.LayersNull {
		return r.refuse(LayerNotPresent, diag.LayerMissing, "ppEnabledLayerNames",
			"loader_validate_layers: ppEnabledLayerNames is NULL but enabledLayerCount is greater than zero")
	}
	first := firstOf(list)
	for i, n := range app.Layers {
		if !wellFormed(n) {
			return r.refuse(LayerNotPresent, diag.NameMalformed, "ppEnabledLayerNames",
				"loader_validate_layers: ppEnabledLayerNames contains string that is too long or is badly formed")
		}
		if from.prevents(n.Text) {
			return r.refuse(LayerNotPresent, diag.LayerDisabled, n.Text, "loader_validate_layers: Layer "+
				decimal(uint32(i))+
				" was explicitly prevented from being enabled by the loader settings file")
		}
		if first[n.Text] == nil {
			return r.refuse(LayerNotPresent, diag.LayerMissing, n.Text, "loader_validate_layers: Layer "+
				decimal(uint32(i))+
				" does not exist in the list of available layers")
		}
	}
	return true
}

// direct checks the program's list of direct drivers (DRV-081 to DRV-089); the library checks the entries.
func (r *request) direct() {
	app := &r.q.App
	enabled := r.q.enables(directExtension)
	const prefix = "loader_scan_for_direct_drivers: The "
	const structure = "VkDirectDriverLoadingListLUNARG structure"
	warn := func(text string) {
		r.say(diag.Warn|diag.Driver, diag.DriverDirect, directExtension, "", prefix+text)
	}
	switch {
	case enabled && !app.DirectList:
		warn(directExtension +
			" extension was enabled but the pNext chain of VkInstanceCreateInfo did not contain the " +
			structure + ".")
	case !enabled && app.DirectList:
		warn("pNext chain of VkInstanceCreateInfo contained the " + structure + ", but the " + directExtension +
			" extension was not enabled.")
	}
	if !enabled || !app.DirectList {
		return
	}
	if r.q.exclusiveDirect() {
		r.exclusive = true
		r.say(diag.Info|diag.Driver, diag.DriverDirect, directExtension, "", prefix+directExtension+
			" extension is active and specified VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping system and environment variable driver search mechanisms.")
	}
	switch {
	case app.DirectNull:
		warn(structure + " in the pNext chain of VkInstanceCreateInfo has a NULL pDrivers member.")
	case app.DirectCount == 0:
		warn(structure +
			" in the pNext chain of VkInstanceCreateInfo has a non-null pDrivers member but a driverCount member with a value of zero.")
	default:
		r.step(StepDirect)
	}
}

// extensions checks ppEnabledExtensionNames (INS-051 to INS-056).
func (r *request) extensions(o *offers, c *chain) bool {
	app := &r.q.App
	if app.ExtensionCount == 0 {
		return true
	}
	const prefix = "loader_validate_instance_extensions: "
	if app.ExtensionsNull {
		return r.refuse(ExtensionNotPresent, diag.ExtensionUnknown, "ppEnabledExtensionNames",
			prefix+"Instance ppEnabledExtensionNames is NULL but enabledExtensionCount is greater than zero")
	}
	offered := make(map[string]bool, 64) // LAY-273, INS-054
	add := func(list []manifest.Extension) {
		for i := range list {
			offered[list[i].Name] = true
		}
	}
	add(loaderExtensions[:])
	for i := range r.q.Drivers {
		if o.counts[i] {
			add(r.q.Drivers[i].Extensions)
		}
	}
	for _, active := range c.active {
		if l := c.layers[active.Layer]; !l.Meta { // LAY-273: the components of a meta-layer are in the list themselves
			add(l.Instance)
		}
	}
	for _, n := range app.Extensions {
		switch {
		case !wellFormed(n):
			return r.refuse(ExtensionNotPresent, diag.NameMalformed, "ppEnabledExtensionNames",
				prefix+"Instance ppEnabledExtensionNames contains string that is too long or is badly formed")
		case !o.unknown && !r.q.knows(n.Text):
			return r.refuse(ExtensionNotPresent, diag.ExtensionUnknown, n.Text,
				prefix+"Extension "+n.Text+" not found in list of known instance extensions.")
		case !offered[n.Text] || r.q.Platform.MissingWindowSystem(n.Text):
			return r.refuse(ExtensionNotPresent, diag.ExtensionUnsupported, n.Text,
				prefix+"Instance extension "+n.Text+" not supported by available ICDs or enabled layers.")
		}
	}
	return true
}
