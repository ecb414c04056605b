package android

import (
	"slices"
	"strings"
)

// Version is a version 1.Minor.
type Version struct{ Minor int }

// loaderVersion is what vkEnumerateInstanceVersion gives, whatever the driver is (AND-061).
var loaderVersion = Version{3}

// own are the extensions of instances that the loader adds, in order (AND-051).
var own = []Named{
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

// loaderOnly are the extensions that are the loader's work alone (AND-058).
var loaderOnly = []string{"VK_KHR_surface", "VK_KHR_surface_protected_capabilities", "VK_KHR_android_surface", "VK_EXT_swapchain_colorspace",
	"VK_KHR_get_surface_capabilities2", "VK_GOOGLE_surfaceless_query", "VK_EXT_surface_maintenance1", "VK_KHR_incremental_present",
	"VK_EXT_hdr_metadata", "VK_KHR_shared_presentable_image", "VK_GOOGLE_display_timing", "VK_EXT_image_compression_control_swapchain"}

// promoted are the extensions of instances that went into a core version, by its minor number (AND-063).
var promoted = map[int][]string{1: {"VK_KHR_device_group_creation", "VK_KHR_external_fence_capabilities", "VK_KHR_external_memory_capabilities",
	"VK_KHR_external_semaphore_capabilities", "VK_KHR_get_physical_device_properties2"}}

// InstanceExtensions are those that a program sees without naming a layer. implicit are the layers that the settings
// enable: what properties alone enable does not count (AND-051 to AND-053).
func InstanceExtensions(implicit []Layer, driver []Named) (all []Named) {
	add := func(list []Named) {
		for _, e := range list {
			if !has(all, e.Name) {
				all = append(all, e)
			}
		}
	}
	for _, l := range implicit {
		add(l.Extensions)
	}
	add(own)
	if !has(driver, debugReport) {
		add([]Named{{Name: debugReport, Spec: reportSpec}})
	}
	for _, e := range driver {
		if e.Name == debugReport {
			e.Spec = min(e.Spec, reportSpec)
		}
		add([]Named{e})
	}
	return all
}

func has(list []Named, name string) bool {
	return slices.ContainsFunc(list, func(e Named) bool { return e.Name == name })
}

// LayerExtensions are those of a layer that a program names (AND-054).
func LayerExtensions(layers []Layer, name string) ([]Named, string) {
	for _, l := range layers {
		if l.Name == name {
			return l.Extensions, Success
		}
	}
	return nil, LayerNotPresent
}

// Request is what a program asks for with vkCreateInstance.
type Request struct {
	API        Version
	Layers     []string
	Extensions []string
	Next       []string // what its chain of structures has
}

// Plan is what becomes of a request.
type Plan struct {
	Result      string
	Layers      []Layer  // active, from the program down
	LayerNext   []string // the chain of structures that the first layer gets
	DriverNext  []string // and the driver
	DriverAPI   Version
	Extensions  []string // that the driver is asked for
	DriverLayer int      // how many layers the driver is asked for
	Report      bool     // errors and warnings are written into the system's log
}

// Create says what becomes of a request: which layers are active, and what the driver is asked for (AND-042, AND-043,
// AND-046 to AND-048, AND-058, AND-059, AND-062, AND-063). driver is what the driver offers, in its version.
func (f *Facts) Create(r Request, layers []Layer, driver []Named, version Version) Plan {
	p := Plan{Result: Success, DriverAPI: r.API, DriverNext: r.Next,
		LayerNext: append([]string{"loader data callback", "layer link"}, r.Next...)}
	if version.Minor == 0 && r.API.Minor >= 1 { // AND-062
		p.DriverAPI = Version{0}
	}
	implicit, settings := f.Implicit()
	names := slices.Clone(implicit)
	for _, name := range r.Layers {
		if !slices.Contains(implicit, name) {
			names = append(names, name)
		}
	}
	var counted []Layer // whose extensions a program sees without naming them
	for i, name := range names {
		at := slices.IndexFunc(layers, func(l Layer) bool { return l.Name == name })
		if at < 0 { // AND-043
			p.Result = LayerNotPresent
			return p
		}
		p.Layers = append(p.Layers, layers[at])
		if settings && i < len(implicit) {
			counted = append(counted, layers[at])
		}
	}
	offered := InstanceExtensions(counted, driver)
	for _, name := range r.Extensions {
		if !has(offered, name) && !slices.ContainsFunc(p.Layers, func(l Layer) bool { return has(l.Extensions, name) }) { // AND-059
			p.Result = ExtensionMissing
			return p
		}
	}
	p.Report = f.property("debug.vulkan.enable_callback") == "true" && f.Program.debuggable() // AND-048
	wanted := slices.Clone(r.Extensions)
	if p.Report {
		wanted = append(wanted, debugReport)
	}
	for minor := version.Minor + 1; minor <= loaderVersion.Minor; minor++ { // AND-063
		wanted = append(wanted, promoted[minor]...)
	}
	p.Extensions = passed(wanted, driver)
	return p
}

// passed are the extensions that a driver is asked for: those that it reports, each once, without the loader's own
// (AND-058).
func passed(wanted []string, driver []Named) (list []string) {
	for _, name := range wanted {
		if !slices.Contains(loaderOnly, name) && has(driver, name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// DeviceLayers are the layers of a device: those of the instance that are global, whatever the program asks for; warn
// tells whether it asks for others (AND-045).
func (p *Plan) DeviceLayers(asked []string) (names []string, warn bool) {
	var instance []string
	for _, l := range p.Layers {
		instance = append(instance, l.Name)
		if l.Global {
			names = append(names, l.Name)
		}
	}
	return names, len(asked) > 0 && !slices.Equal(asked, instance)
}

// Listed are what vkEnumerateInstanceLayerProperties and vkEnumerateDeviceLayerProperties give (AND-049).
func (p *Plan) Listed(all []Layer, device bool) (names []string) {
	if device {
		all = p.Layers
	}
	for _, l := range all {
		names = append(names, l.Name)
	}
	return names
}

// CoreAt is the newest core version whose commands the library exports on a system of an API level (AND-069).
func CoreAt(level int) Version {
	for _, at := range []struct{ level, minor int }{{33, 3}, {31, 2}, {28, 1}} {
		if level >= at.level {
			return Version{at.minor}
		}
	}
	return Version{0}
}

// global are the commands that vkGetInstanceProcAddr gives without an instance (AND-064).
var global = []string{"vkCreateInstance", "vkGetInstanceProcAddr", "vkEnumerateInstanceVersion", "vkEnumerateInstanceLayerProperties",
	"vkEnumerateInstanceExtensionProperties"}

// Answer is what a look-up gives.
type Answer string

// Answers.
const (
	Nothing Answer = "NULL, and an error in the log"
	Command Answer = "the command"
	Checked Answer = "a stub, which does nothing but say so in the log"
)

// InstanceLookup is vkGetInstanceProcAddr without an instance, or for a device command whose extension is on or off
// (AND-064, AND-065).
func InstanceLookup(name string, instance, device, on bool) Answer {
	switch {
	case !instance && !slices.Contains(global, name):
		return Nothing
	case instance && device && !on:
		return Checked
	}
	return Command
}

// DeviceLookup is vkGetDeviceProcAddr (AND-066).
func DeviceLookup(device bool) Answer {
	if !device {
		return Nothing
	}
	return Command
}

// Emulated says what the loader does for a driver that lacks a command; "" where it passes it on (AND-067, AND-068).
func Emulated(command string, driverHas bool) string {
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
