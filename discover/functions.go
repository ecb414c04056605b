package discover

import (
	"context"

	"vkloader/internal/decide"
	"vkloader/internal/decide/vk"
)

// Errors, for errors.Is.
var (
	ErrNoDriver    = decide.ErrNoDriver    // a program gets no driver
	ErrNoDevice    = decide.ErrNoDevice    // a program gets no device, or none that meets a [Requirement]
	ErrNoLoader    = decide.ErrNoLoader    // a program gets no Vulkan loader
	ErrNoProbe     = decide.ErrNoProbe     // the child program that loads drivers is not installed
	ErrUnsupported = decide.ErrUnsupported // a question cannot be answered for this kind of host
	ErrEndless     = decide.ErrEndless     // a decision was stopped because it kept asking for more files and variables
)

// Versions of Vulkan.
const (
	V1_0 = vk.V1_0
	V1_1 = vk.V1_1
	V1_2 = vk.V1_2
	V1_3 = vk.V1_3
	V1_4 = vk.V1_4
)

// ParseVersion reads 1.3 or 1.3.230.
func ParseVersion(text string) (Version, error) { return vk.ParseVersion(text) }

// Codes of drivers.
const (
	DriverUsed         = decide.DriverUsed         // a program gets the driver
	DriverField        = decide.DriverField        // the manifest lacks a field, or it has a wrong value
	DriverVariant      = decide.DriverVariant      // api_version is not of Vulkan
	DriverArchitecture = decide.DriverArchitecture // it is for programs of another word size
	DriverPortability  = decide.DriverPortability  // the program has to enable portability
	DriverDisabled     = decide.DriverDisabled     // VK_LOADER_DRIVERS_DISABLE
	DriverNotSelected  = decide.DriverNotSelected  // VK_LOADER_DRIVERS_SELECT
	DriverNoHardware   = decide.DriverNoHardware   // a policy, and no device for it
	DriverAsleep       = decide.DriverAsleep       // a policy, and its devices sleep
	FileOpen           = decide.FileOpen           // the manifest cannot be opened
	FileRead           = decide.FileRead           // it cannot be read
	FileSyntax         = decide.FileSyntax         // it is not JSON
)

// Codes of layers.
const (
	LayerActive       = decide.LayerActive       // a program gets the layer
	LayerInactive     = decide.LayerInactive     // nothing asks for it, or its own variable disables it
	LayerDisabled     = decide.LayerDisabled     // VK_LOADER_LAYERS_DISABLE
	LayerBlacklisted  = decide.LayerBlacklisted  // an override layer keeps it out
	LayerDuplicate    = decide.LayerDuplicate    // another one has its name
	LayerArchitecture = decide.LayerArchitecture // it is for programs of another word size
	LayerMissing      = decide.LayerMissing      // a name that no layer has
	SettingsUsed      = decide.SettingsUsed      // a settings file decides
)

// Ways in which a driver needs a file.
const (
	AtLink    = decide.AtLink    // the dynamic linker loads it with the driver
	AtRunTime = decide.AtRunTime // the driver opens it when it works
)

// Types of devices.
const (
	OtherType  = vk.OtherType
	Integrated = vk.Integrated
	Discrete   = vk.Discrete
	Virtual    = vk.Virtual
	CPU        = vk.CPU
)

// Outcomes of a child.
const (
	Fine    = decide.Fine
	Failed  = decide.Failed  // a function failed, or there is no device
	Crashed = decide.Crashed // a signal ended it
	Hung    = decide.Hung    // it did not end within the limit
)

// Conditions of a [Requirement].
const (
	UnmetDriver    = decide.UnmetDriver    // vkCreateInstance finds no driver
	UnmetDevice    = decide.UnmetDevice    // there is no device
	UnmetHealth    = decide.UnmetHealth    // the child crashed or hung
	UnmetNotCPU    = decide.UnmetNotCPU    // every device computes on the CPU
	UnmetVendor    = decide.UnmetVendor    // no device is of the vendor
	UnmetType      = decide.UnmetType      // no device is of the kind
	UnmetAPI       = decide.UnmetAPI       // no device has the version
	UnmetVRAM      = decide.UnmetVRAM      // no device has the memory
	UnmetExtension = decide.UnmetExtension // no device has the extension
	UnmetCount     = decide.UnmetCount     // too few devices meet everything
)

// ParseRequirement reads conditions as "vkloader check --require" accepts them, such as "api=1.3,vram=8G".
func ParseRequirement(text string) (Requirement, error) { return decide.ParseRequirement(text) }

// Probe starts a child process that loads the Vulkan loader and uses it as a short program does: it creates an instance,
// lists the devices, and creates a device on each. The calling process loads nothing.
//
// The child is libexec/vkloader/probe of an installed vkloader, which Probe finds by PATH and in /usr and /usr/local.
// Without it the error is [ErrNoProbe]. A crash of the child is no error: the report has the signal and the phase. Further
// children, with fewer drivers and layers, then find the driver or layer to blame.
func Probe(ctx context.Context, options ProbeOptions) (*Report, error) {
	return decide.Probe(given(ctx), options)
}

// Wait waits until the machine has devices that meet the requirement, and then returns nil. It calls [Probe] at once, and again
// after each event that may bring a device: a node below /dev, a manifest, an event of the kernel. Without an event it calls
// it again after 1 s, 2 s, 4 s and so on, up to every 10 s.
//
// If the context ends first, the error wraps the context's error and an *[UnmetError], which names the condition that is
// still not met. Other errors, such as [ErrNoProbe], end the wait.
func Wait(ctx context.Context, required Requirement) error { return decide.Wait(given(ctx), required) }

// WaitWith is [Wait] with options for the probe. It returns the report that meets the requirement, or the last one.
func WaitWith(ctx context.Context, required Requirement, options ProbeOptions) (*Report, error) {
	return decide.WaitWith(given(ctx), required, options)
}

// Inspect runs two children that use the loader as [Probe] does. The first one uses it twice, to measure times; the second
// one records the loader's log. Inspect joins their results with the decision for the child as a program. It ignores
// ProbeOptions.Whole.
func Inspect(ctx context.Context, options InspectOptions) (*Inspection, error) {
	return decide.Inspect(given(ctx), options)
}
