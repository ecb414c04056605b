package diag

// Code is a stable name of a kind of finding. Codes are never renumbered in text: programs see String().
type Code uint8

// Codes. None is no finding.
const (
	None Code = iota
	FileOpen
	FileRead
	FileSyntax
	FileTop
	FileWrongKind
	ManifestVersion
	ManifestVersionUnknown
	LocationMissing
	LocationTooLong
	VariableIgnored
	DriverUsed
	DriverField
	DriverVariant
	DriverArchitecture
	DriverPortability
	DriverDisabled
	DriverNotSelected
	DriverDirect
	DriverNone
	DriverExtensions
	LayerListed
	LayerActive
	LayerInactive
	LayerField
	LayerName
	LayerType
	LayerVariant
	LayerArchitecture
	LayerStructure
	LayerSection
	LayerDuplicate
	LayerDisabled
	LayerForced
	LayerBlacklisted
	LayerMissing
	LayerOldVersion
	MetaInvalid
	MetaComponent
	OverrideChosen
	OverrideRejected
	OverridePath
	ExtensionUnknown
	ExtensionUnsupported
	NameMalformed
	AppVersion
	SettingsNone
	SettingsUsed
	SettingsIgnored
	SettingsShadowed
	SettingsKeys
	SettingsLog
	SettingsLayers
	SettingsControl
	SettingsDrivers
	SettingsDevices
	FileSchema
	FileDialect
	FileDuplicate
	FileMember
	FileKindUnknown
	VariableNothing
	VariableMatch
	VariableContradiction
	VariableAllOut
	codeCount
)

// Entry is a code's line of the table.
type Entry struct {
	Name      string
	Severity  Severity
	Statement string // the statement it goes back to
	Do        string // what to do; empty when there is nothing to do
}

// table is indexed by Code.
var table = [codeCount]Entry{
	None:                   {"none", Note, "", ""},
	FileOpen:               {"file-open", Problem, "LOG-19", "Check that the file exists and may be read, or remove what names it."},
	FileRead:               {"file-read", Problem, "LAY-8", "Check that it is an ordinary file."},
	FileSyntax:             {"file-syntax", Problem, "FUZ-016", "Correct the JSON text at the place named."},
	FileTop:                {"file-top", Problem, "LAY-10", "Make the top-level value an object."},
	FileWrongKind:          {"file-wrong-kind", Warning, "LAY-33", "Move the file to the folder of its own kind."},
	ManifestVersion:        {"manifest-version", Problem, "LAY-21", "Add a file_format_version that is a string."},
	ManifestVersionUnknown: {"manifest-version-unknown", Warning, "LAY-23", "Use a file version that loaders know."},
	LocationMissing:        {"location-missing", Note, "PATH-16", ""},
	LocationTooLong:        {"location-too-long", Warning, "PATH-21", "Use a shorter path."},
	VariableIgnored:        {"variable-ignored", Warning, "ENV-7", "Unset the variable, or the one that takes precedence."},
	DriverUsed:             {"driver-used", Note, "ENV-2", ""},
	DriverField:            {"driver-field", Problem, "DRV-006", "Correct the field in the driver manifest."},
	DriverVariant:          {"driver-variant", Problem, "DRV-031", "Use an api_version of variant 0."},
	DriverArchitecture:     {"driver-architecture", Note, "DRV-037", ""},
	DriverPortability:      {"driver-portability", Note, "DRV-035", "Enable VK_KHR_portability_enumeration and its instance flag in the program."},
	DriverDisabled:         {"driver-disabled", Warning, "ENV-21", "Change VK_LOADER_DRIVERS_DISABLE."},
	DriverNotSelected:      {"driver-not-selected", Warning, "ENV-19", "Change VK_LOADER_DRIVERS_SELECT."},
	DriverDirect:           {"driver-direct", Note, "DRV-085", ""},
	DriverNone:             {"driver-none", Problem, "INS-029", "Install a driver, or see above why those found are out."},
	DriverExtensions:       {"driver-extensions", Problem, "INS-017", "The driver fails to list its extensions: remove or repair it."},
	LayerListed:            {"layer-listed", Note, "LAY-102", ""},
	LayerActive:            {"layer-active", Note, "LAY-144", ""},
	LayerInactive:          {"layer-inactive", Note, "LAY-126", ""},
	LayerField:             {"layer-field", Problem, "LAY-35", "Correct the field in the layer manifest."},
	LayerName:              {"layer-name", Warning, "LAY-36", "Begin the layer's name with VK_LAYER_."},
	LayerType:              {"layer-type", Problem, "LAY-39", "Use the type INSTANCE."},
	LayerVariant:           {"layer-variant", Problem, "LAY-42", "Use an api_version of variant 0."},
	LayerArchitecture:      {"layer-architecture", Note, "LAY-55", ""},
	LayerStructure:         {"layer-structure", Problem, "LAY-31", "Use one layers array."},
	LayerSection:           {"layer-section", Warning, "LAY-73", "Remove the section, or raise the file version."},
	LayerDuplicate:         {"layer-duplicate", Warning, "LAY-104", "Remove one of the two manifests."},
	LayerDisabled:          {"layer-disabled", Warning, "LAY-115", "Change VK_LOADER_LAYERS_DISABLE."},
	LayerForced:            {"layer-forced", Warning, "LAY-120", "Change VK_LOADER_LAYERS_ENABLE."},
	LayerBlacklisted:       {"layer-blacklisted", Warning, "LAY-213", "Change blacklisted_layers of the override layer."},
	LayerMissing:           {"layer-missing", Problem, "LAY-139", "Install the layer, or correct the name."},
	LayerOldVersion:        {"layer-old-version", Warning, "LAY-132", "Update the layer."},
	MetaInvalid:            {"meta-invalid", Problem, "LAY-165", "Install the components, or correct component_layers."},
	MetaComponent:          {"meta-component", Warning, "LAY-179", "Remove what takes the component out of the list."},
	OverrideChosen:         {"override-chosen", Note, "LAY-189", ""},
	OverrideRejected:       {"override-rejected", Warning, "LAY-187", "Correct app_keys, or remove the override manifest."},
	OverridePath:           {"override-path", Warning, "LAY-207", ""},
	ExtensionUnknown:       {"extension-unknown", Problem, "INS-053", "Set VK_LOADER_DISABLE_INST_EXT_FILTER=1, or drop the extension."},
	ExtensionUnsupported:   {"extension-unsupported", Problem, "INS-054", "Check that a driver or layer offers the extension."},
	NameMalformed:          {"name-malformed", Problem, "INS-046", "Correct the name in the program."},
	AppVersion:             {"app-version", Warning, "INS-035", "Correct apiVersion in the program."},
	SettingsNone:           {"settings-none", Note, "SET-8", ""},
	SettingsUsed:           {"settings-used", Note, "SET-13", ""},
	SettingsIgnored:        {"settings-ignored", Warning, "SET-26", "Correct the settings file."},
	SettingsShadowed:       {"settings-shadowed", Warning, "SET-28", "Remove the object, or join the two."},
	SettingsKeys:           {"settings-keys", Warning, "SET-29", "Name executables by their full paths."},
	SettingsLog:            {"settings-log", Warning, "SET-76", "Use an array of the words that loaders know."},
	SettingsLayers:         {"settings-layers", Problem, "SET-38", "Give every entry a name, a path and a control."},
	SettingsControl:        {"settings-control", Warning, "SET-37", "Correct the entry."},
	SettingsDrivers:        {"settings-drivers", Problem, "SET-85", "Give every driver the path of its manifest."},
	SettingsDevices:        {"settings-devices", Problem, "SET-90", "Give every entry two UUIDs and a version."},
	FileSchema:             {"file-schema", Warning, "docs/schema", "Follow the schema: other programs read the file, too."},
	FileDialect:            {"file-dialect", Warning, "LAY-17", "Write plain JSON: other programs read the file, too."},
	FileDuplicate:          {"file-duplicate", Warning, "LAY-12", "Remove one of the two members."},
	FileMember:             {"file-member", Note, "SET-18", "Check the spelling."},
	FileKindUnknown:        {"file-kind-unknown", Problem, "DRV-006", "Say with --kind what the file is meant to be."},
	VariableNothing:        {"variable-nothing", Problem, "ENV-2", "Correct the variable, install what it names, or unset it."},
	VariableMatch:          {"variable-match", Warning, "ENV-35", "Correct the pattern: it is compared with the whole name."},
	VariableContradiction:  {"variable-contradiction", Warning, "SET-108", "Unset one of the variables."},
	VariableAllOut:         {"variable-all-out", Problem, "INS-029", "Unset the variable, or let it match a driver that is there."},
}

// Entry gives the code's line of the table.
func (c Code) Entry() *Entry {
	if c >= codeCount {
		c = None
	}
	return &table[c]
}

func (c Code) String() string { return c.Entry().Name }

// Codes calls f for every code, in order; the documentation is made of it.
func Codes(f func(Code, *Entry)) {
	for c := None + 1; c < codeCount; c++ {
		f(c, &table[c])
	}
}
