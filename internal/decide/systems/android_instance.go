package systems

import (
	"slices"
	"strings"

	"vkloader/internal/decide/wording"
)

// androidVersion is a version 1.Minor.
type androidVersion struct{ Minor int }

// androidLoaderVersion is the result of vkEnumerateInstanceVersion with any driver (AND-061).
var androidLoaderVersion = androidVersion{3}

// androidOwn lists the instance extensions that the loader adds, in order (AND-051).
var androidOwn = []androidNamed{
	{Name: "VK_KHR_surface", Spec: 25}, {Name: "VK_KHR_surface_protected_capabilities", Spec: 1}, {Name: "VK_KHR_android_surface", Spec: 6},
	{Name: "VK_EXT_swapchain_colorspace", Spec: 5}, {Name: "VK_KHR_get_surface_capabilities2", Spec: 1},
	{Name: "VK_GOOGLE_surfaceless_query", Spec: 2}, {Name: "VK_EXT_surface_maintenance1", Spec: 1},
}

const (
	debugReport  = "VK_EXT_debug_report"
	reportSpec   = 10
	nativeBuffer = "VK_ANDROID_native_buffer"
	swapchain    = "VK_KHR_swapchain"
)

// androidLoaderOnly lists the extensions that the loader implements alone (AND-058).
var androidLoaderOnly = []string{"VK_KHR_surface", "VK_KHR_surface_protected_capabilities", "VK_KHR_android_surface", "VK_EXT_swapchain_colorspace",
	"VK_KHR_get_surface_capabilities2", "VK_GOOGLE_surfaceless_query", "VK_EXT_surface_maintenance1", "VK_KHR_incremental_present",
	"VK_EXT_hdr_metadata", "VK_KHR_shared_presentable_image", "VK_GOOGLE_display_timing", "VK_EXT_image_compression_control_swapchain"}

// androidPromoted lists the instance extensions that are part of version 1.1 (AND-063).
var androidPromoted = []string{"VK_KHR_device_group_creation", "VK_KHR_external_fence_capabilities", "VK_KHR_external_memory_capabilities",
	"VK_KHR_external_semaphore_capabilities", "VK_KHR_get_physical_device_properties2"}

// androidInstanceExtensions returns the extensions that a program sees without naming a layer. implicit has the layers that
// the settings enable, without those that only properties enable (AND-051 to AND-053).
func androidInstanceExtensions(implicit []androidLayer, driver []androidNamed) (all []androidNamed) {
	add := func(list []androidNamed) {
		for _, e := range list {
			if !hasNamed(all, e.Name) {
				all = append(all, e)
			}
		}
	}
	for _, l := range implicit {
		add(l.Extensions)
	}
	add(androidOwn)
	if !hasNamed(driver, debugReport) {
		add([]androidNamed{{Name: debugReport, Spec: reportSpec}})
	}
	for _, e := range driver {
		if e.Name == debugReport {
			e.Spec = min(e.Spec, reportSpec)
		}
		add([]androidNamed{e})
	}
	return all
}

func hasNamed(list []androidNamed, name string) bool {
	return slices.ContainsFunc(list, func(e androidNamed) bool { return e.Name == name })
}

// androidLayerExtensions returns the extensions of a layer that a program names (AND-054).
func androidLayerExtensions(layers []androidLayer, name string) ([]androidNamed, string) {
	for _, l := range layers {
		if l.Name == name {
			return l.Extensions, androidSuccess
		}
	}
	return nil, androidLayerNotPresent
}

// androidRequest is the information in a program's vkCreateInstance.
type androidRequest struct {
	API        androidVersion
	Layers     []string
	Extensions []string
	Next       []string // structures in the pNext chain
}

// androidPlan is the loader's response to a request.
type androidPlan struct {
	Result      string
	Layers      []androidLayer // active, from the program down
	LayerNext   []string       // the chain of structures for the first layer
	DriverNext  []string       // the chain of structures for the driver
	DriverAPI   androidVersion
	Extensions  []string // requested from the driver
	DriverLayer int      // number of layers requested from the driver
	Report      bool     // write errors and warnings to the system's log
}

// Create returns the active layers of a request, and the request that the driver gets (AND-042, AND-043, AND-046 to
// AND-048, AND-058, AND-059, AND-062, AND-063). driver lists the driver's extensions, version is its version.
func (f *androidFacts) Create(r androidRequest, layers []androidLayer, driver []androidNamed, version androidVersion) androidPlan {
	p := androidPlan{Result: androidSuccess, DriverAPI: r.API, DriverNext: r.Next,
		LayerNext: append([]string{"loader data callback", "layer link"}, r.Next...)}
	if version.Minor == 0 && r.API.Minor >= 1 { // AND-062
		p.DriverAPI = androidVersion{0}
	}
	implicit, settings := f.Implicit()
	names := slices.Clone(implicit)
	for _, name := range r.Layers {
		if !slices.Contains(implicit, name) {
			names = append(names, name)
		}
	}
	var counted []androidLayer // their extensions are visible without naming the layer
	for i, name := range names {
		at := slices.IndexFunc(layers, func(l androidLayer) bool { return l.Name == name })
		if at < 0 { // AND-043
			p.Result = androidLayerNotPresent
			return p
		}
		p.Layers = append(p.Layers, layers[at])
		if settings && i < len(implicit) {
			counted = append(counted, layers[at])
		}
	}
	offered := androidInstanceExtensions(counted, driver)
	for _, name := range r.Extensions {
		if !hasNamed(offered, name) && !slices.ContainsFunc(p.Layers, func(l androidLayer) bool { return hasNamed(l.Extensions, name) }) { // AND-059
			p.Result = androidExtensionMissing
			return p
		}
	}
	p.Report = f.property("debug.vulkan.enable_callback") == "true" && f.Program.debuggable() // AND-048
	wanted := slices.Clone(r.Extensions)
	if p.Report {
		wanted = append(wanted, debugReport)
	}
	if version.Minor < 1 && androidLoaderVersion.Minor >= 1 { // AND-063
		wanted = append(wanted, androidPromoted...)
	}
	p.Extensions = passedOn(wanted, driver)
	return p
}

// passedOn returns the extensions that the loader requests from the driver: those that the driver reports, without
// duplicates and without the loader's own (AND-058).
func passedOn(wanted []string, driver []androidNamed) (list []string) {
	for _, name := range wanted {
		if !slices.Contains(androidLoaderOnly, name) && hasNamed(driver, name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// DeviceLayers returns the layers of a device: the global layers of the instance, independent of the program's request. warn
// reports whether the program requests others (AND-045).
func (p *androidPlan) DeviceLayers(asked []string) (names []string, warn bool) {
	var instance []string
	for _, l := range p.Layers {
		instance = append(instance, l.Name)
		if l.Global {
			names = append(names, l.Name)
		}
	}
	return names, len(asked) > 0 && !slices.Equal(asked, instance)
}

// Listed returns the results of vkEnumerateInstanceLayerProperties and vkEnumerateDeviceLayerProperties (AND-049).
func (p *androidPlan) Listed(all []androidLayer, device bool) []string {
	if device {
		all = p.Layers
	}
	return wording.Words(all, func(l androidLayer) string { return l.Name })
}

// androidCoreAt returns the newest core version whose commands the library exports at an API level (AND-069).
func androidCoreAt(level int) androidVersion {
	for _, at := range []struct{ level, minor int }{{33, 3}, {31, 2}, {28, 1}} {
		if level >= at.level {
			return androidVersion{at.minor}
		}
	}
	return androidVersion{0}
}

// androidGlobal lists the commands that vkGetInstanceProcAddr returns without an instance (AND-064).
var androidGlobal = []string{"vkCreateInstance", "vkGetInstanceProcAddr", "vkEnumerateInstanceVersion", "vkEnumerateInstanceLayerProperties",
	"vkEnumerateInstanceExtensionProperties"}

// androidAnswer is the result of a command look-up.
type androidAnswer string

// Answers.
const (
	androidNothing androidAnswer = "NULL, and an error in the log"
	androidCommand androidAnswer = "the command"
	androidChecked androidAnswer = "a stub, which does nothing but say so in the log"
)

// androidInstanceLookup is vkGetInstanceProcAddr without an instance, or for a device command whose extension is on or off
// (AND-064, AND-065).
func androidInstanceLookup(name string, instance, device, on bool) androidAnswer {
	switch {
	case !instance && !slices.Contains(androidGlobal, name):
		return androidNothing
	case instance && device && !on:
		return androidChecked
	}
	return androidCommand
}

// androidDeviceLookup is vkGetDeviceProcAddr (AND-066).
func androidDeviceLookup(device bool) androidAnswer {
	if !device {
		return androidNothing
	}
	return androidCommand
}

// androidEmulated describes the loader's substitute for a command that the driver lacks; "" if the loader passes the
// command on (AND-067, AND-068).
func androidEmulated(command string, driverHas bool) string {
	command = strings.TrimSuffix(command, "KHR")
	switch {
	case driverHas:
		return ""
	case command == "vkEnumeratePhysicalDeviceGroups":
		return "a group for each device"
	case command == "vkGetPhysicalDeviceExternalBufferProperties", command == "vkGetPhysicalDeviceExternalSemaphoreProperties",
		command == "vkGetPhysicalDeviceExternalFenceProperties":
		return "zeros"
	}
	return ""
}
