package discover

// Schema is the number in every answer's JSON.
const Schema = 1

// Code names a kind of reason; docs/findings.md lists them all. Codes keep their names and meanings.
type Code string

// Codes of drivers.
const (
	DriverUsed         Code = "driver-used"         // a program gets the driver
	DriverField        Code = "driver-field"        // the manifest lacks a field, or it has a wrong value
	DriverVariant      Code = "driver-variant"      // api_version is not of Vulkan
	DriverArchitecture Code = "driver-architecture" // it is for programs of another word size
	DriverPortability  Code = "driver-portability"  // the program has to enable portability
	DriverDisabled     Code = "driver-disabled"     // VK_LOADER_DRIVERS_DISABLE
	DriverNotSelected  Code = "driver-not-selected" // VK_LOADER_DRIVERS_SELECT
	DriverNoHardware   Code = "driver-no-hardware"  // a policy, and no device for it
	DriverAsleep       Code = "driver-asleep"       // a policy, and its devices sleep
	FileOpen           Code = "file-open"           // the manifest cannot be opened
	FileRead           Code = "file-read"           // it cannot be read
	FileSyntax         Code = "file-syntax"         // it is not JSON
)

// Codes of layers.
const (
	LayerActive       Code = "layer-active"       // a program gets the layer
	LayerInactive     Code = "layer-inactive"     // nothing asks for it, or its own variable disables it
	LayerDisabled     Code = "layer-disabled"     // VK_LOADER_LAYERS_DISABLE
	LayerBlacklisted  Code = "layer-blacklisted"  // an override layer keeps it out
	LayerDuplicate    Code = "layer-duplicate"    // another one has its name
	LayerArchitecture Code = "layer-architecture" // it is for programs of another word size
	LayerMissing      Code = "layer-missing"      // a name that no layer has
	SettingsUsed      Code = "settings-used"      // a settings file decides
)

// Reason explains the state of a driver or layer.
type Reason struct {
	Code      Code   // the kind of reason
	Text      string // one English sentence, or a part of one
	Statement string // the ID of the statement in this module's specification, such as LAY-144; "": none
	File      string // the file that the reason is about; "": none
	Line      int    // in the file, from 1; 0: the whole file
	Column    int    // in the line, from 1
}

// String returns the reason with its place.
func (r Reason) String() string { return place(r.File, r.Line, r.Column) + r.Text }
