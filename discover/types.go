package discover

import "vkloader/internal/decide"

// Schema is the number in every answer's JSON; InspectionSchema is that of an [Inspection].
const (
	Schema           = decide.Schema
	InspectionSchema = decide.InspectionSchema
)

// The question to this package. "go doc vkloader/internal/decide.Program" lists the fields of one of these types.
type (
	Program        = decide.Program        // the subject of a decision
	Version        = decide.Version        // of Vulkan
	Requirement    = decide.Requirement    // conditions on devices
	ProbeOptions   = decide.ProbeOptions   // how a child is run
	InspectOptions = decide.InspectOptions // how an inspection is made
)

// The answer of [Decide].
type (
	Answer           = decide.Answer           // the drivers and layers that a program gets
	Driver           = decide.Driver           // a driver manifest that was found
	Layer            = decide.Layer            // a layer that was found
	Reason           = decide.Reason           // why a driver or layer is used, or not
	Code             = decide.Code             // the kind of a reason
	UnspecifiedOrder = decide.UnspecifiedOrder // layers whose order depends on the order of files in a directory
	Standing         = decide.Standing         // how far a driver or layer gets on its way into a program
	List             = decide.List             // every remark of a decision about drivers, or about layers
	ListEntry        = decide.ListEntry        // one remark
	Place            = decide.Place            // a searched location
)

// The answers of [Paths], [LoaderOf], [GPUs] and [Closure].
type (
	PathList    = decide.PathList    // all places of a search, in order
	Searched    = decide.Searched    // one place
	Loader      = decide.Loader      // a file that is a Vulkan loader
	GPU         = decide.GPU         // a graphics device, as the kernel shows it
	GPUPart     = decide.GPUPart     // an instance of a divided GPU
	DriverFiles = decide.DriverFiles // all files that a driver, or a layer, needs
	File        = decide.File        // one file
	MissingFile = decide.MissingFile // a needed library that cannot be loaded
	TooNew      = decide.TooNew      // a library that was built for a newer version of another one
	Needed      = decide.Needed      // how a file is needed
)

// The answers of [Probe], [Wait] and [Inspect].
type (
	Report          = decide.Report          // a child's devices, or its crash
	Device          = decide.Device          // a physical device
	DeviceType      = decide.DeviceType      // VkPhysicalDeviceType
	Outcome         = decide.Outcome         // how a child ended
	UnmetError      = decide.UnmetError      // requirements that no device meets
	UnmetCode       = decide.UnmetCode       // the condition that is not met
	Verdict         = decide.Verdict         // a comparison of a report with a requirement
	VerdictDevice   = decide.VerdictDevice   // a device in a verdict
	Inspection      = decide.Inspection      // the drivers, layers and devices of a short program
	InspectedDriver = decide.InspectedDriver // a driver manifest in an inspection
	InspectedLayer  = decide.InspectedLayer  // a layer in an inspection
	LayerActivity   = decide.LayerActivity   // the place of a layer in the chain
	PhaseTime       = decide.PhaseTime       // the time of a phase
	Usage           = decide.Usage           // memory and threads of the child
	Message         = decide.Message         // a line of the loader
	Extension       = decide.Extension       // an instance extension
)
