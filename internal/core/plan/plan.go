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

// Name is a text of the program that may be NULL.
type Name struct {
	Text string
	Set  bool
}

// App is what the program gave to vkCreateInstance.
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

// Driver is what opening a driver revealed.
type Driver struct {
	Index      uint32
	Usable     bool
	Path       string
	Result     int32  // of its vkEnumerateInstanceExtensionProperties
	Call       uint32 // of it, the one that failed: CallCount or CallFill
	Extensions []manifest.Extension
}

// Question is what is asked.
type Question struct {
	Kind       Kind
	LayerName  Name
	Terminator bool // asked from below the pre-instance functions
	App        App
	Drivers    []Driver
	Platform   search.Platform
	Memory     *Memory // of the call; may be nil
	Explain    bool    // findings are wanted
	Quiet      bool    // nobody listens: of the lines only those are wanted that are always written
	Whole      bool    // of an instance: explicit layers are listed even where nobody asks for one
}

// Active is an entry of the active list.
type Active struct {
	Layer     int // index into Layers
	EnabledBy uint32
	AppNamed  bool
	Unchained bool // active by name only: a later one of its name is in the call chain (SET-44)
}

// PreLayer is an implicit layer that wants a global function first.
type PreLayer struct{ Name, Library, Symbol string }

// StepKind tells what a step is.
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
	StepLevel   // from here on, Flags is the level for standard error
	StepLogFile // from here on, lines of the level Flags go into the file Text, too
	StepDevices // device configurations of the settings file
	StepDrop    // a driver of the question is left out
)

// Step is one thing to do, in order.
type Step struct {
	Kind   StepKind
	Flags  uint32 // StepLog, StepLevel, StepLogFile
	Text   string
	Driver int // StepDriver: index into the answer's Drivers; StepDrop: the driver's Index
}

// Answer is a decision, or what is missing for it.
type Answer struct {
	Style  pathname.Style // of the paths in it
	Needs  []facts.Need   // not empty: nothing else counts
	Result int32
	Steps  []Step

	Layers          []*manifest.Layer
	Active          []Active
	Unlisted        bool               // Layers lacks the explicit ones: see unasked
	Drivers         []*manifest.Driver // to be opened
	PreLayers       []PreLayer
	Extensions      []manifest.Extension
	Portability     bool
	KeepUnknown     bool
	DirectExclusive bool
	Settings        *settings.Settings // in force; nil without
	Remember        *File              // what the next calls get as Memory.Remembered; nil: what this one got

	Findings []diag.Finding
	Searched [3]search.Locations // by search.Kind, where a search was made
}
