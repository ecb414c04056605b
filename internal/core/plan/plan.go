package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
)

// Results of the API.
const (
	Success             int32 = 0
	OutOfHostMemory     int32 = -1
	OutOfDeviceMemory   int32 = -2
	Initialization      int32 = -3
	LayerNotPresent     int32 = -6
	ExtensionNotPresent int32 = -7
	IncompatibleDriver  int32 = -9
)

// Name is a text from the program, which may be NULL.
type Name struct {
	Text string
	Set  bool
}

// App holds the program's arguments of vkCreateInstance.
type App struct {
	Name, Engine               Name
	Version, EngineVersion     uint32
	API                        uint32
	Flags                      uint32
	LayerCount, ExtensionCount uint32
	LayersNull, ExtensionsNull bool
	Layers, Extensions         []Name
	DirectList, DirectNull     bool // a VkDirectDriverLoadingListLUNARG is in the chain; its pDrivers is NULL
	DirectMode, DirectCount    uint32
}

// Driver is the result of opening a driver.
type Driver struct {
	Index      uint32
	Usable     bool
	Path       string
	Result     int32  // of its vkEnumerateInstanceExtensionProperties
	Call       uint32 // which of its two calls failed: CallCount or CallFill
	Extensions []manifest.Extension
}

// Question is a question to the core.
type Question struct {
	Kind       Kind
	LayerName  Name
	Terminator bool // asked by the terminator of a pre-instance function
	App        App
	Drivers    []Driver
	Platform   search.Platform
	Memory     *Memory // of the call; may be nil
	Explain    bool    // add diagnostics
	Quiet      bool    // no sink for messages: only lines that are always written are needed
	Whole      bool    // for an instance: list explicit layers even if none is requested
}

// Active is an entry of the active list.
type Active struct {
	Layer     int // index into Layers
	EnabledBy uint32
	AppNamed  bool
	Unchained bool // active by name only: a later layer of its name is in the call chain (SET-44)
}

// PreLayer is an implicit layer with a pre-instance function for the call.
type PreLayer struct{ Name, Library, Symbol string }

// StepKind is the kind of a step.
type StepKind uint8

// Kinds of steps.
const (
	StepLog StepKind = iota + 1
	StepLayers
	StepActive
	StepDirect
	StepDriver
	StepPreLayers
	StepExtensions
	StepLevel   // from now on, Flags is the level for standard error
	StepLogFile // from now on, lines of the level Flags also go to the file Text
	StepDevices // device configurations of the settings file
	StepDrop    // the library drops a driver of the question
)

// Step is one action of the library, in order.
type Step struct {
	Kind   StepKind
	Flags  uint32 // StepLog, StepLevel, StepLogFile
	Text   string
	Driver int // StepDriver: index into the answer's Drivers; StepDrop: the driver's Index
}

// Answer is a decision, or the facts that are missing for it.
type Answer struct {
	Style  pathname.Style // of the paths in it
	Needs  []facts.Need   // not empty: all other fields are invalid
	Result int32
	Steps  []Step

	Layers          []*manifest.Layer
	Active          []Active
	Unlisted        bool               // Layers lacks the explicit layers, as skipsExplicit allows
	Drivers         []*manifest.Driver // to be opened
	PreLayers       []PreLayer
	Extensions      []manifest.Extension
	Portability     bool
	KeepUnknown     bool
	DirectExclusive bool
	Settings        *settings.Settings // in force; nil if none
	Remember        *File              // the next calls' Memory.Remembered; nil: no change

	Diagnostics []diag.Diagnostic
	Searched    [3]search.Locations // by search.Kind, where a search was made
}
