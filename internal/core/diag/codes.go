package diag

// Code is the stable identifier of a kind of finding. Programs use its name, which never changes.
type Code uint8

// Codes. None means no finding.
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
	VariableElevated
	DriverRegistryOff
	LayerRegistryOff
	DeviceUnread
	AdaptersUnknown
	DriverUsed
	DriverField
	DriverVariant
	DriverArchitecture
	DriverPortability
	DriverDisabled
	DriverNotSelected
	DriverNoHardware
	DriverAsleep
	DriverPolicy
	DriverDirect
	DriverNotServed
	ServiceUsed
	ServiceRefused
	DriverVendor
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
	LayerDeprecated
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
	FileCost
	VariableNothing
	VariableMatch
	VariableContradiction
	VariableAllOut
	FileEncoding
	codeCount
)

// Entry is the table entry of a code.
type Entry struct {
	Name      string
	About     About
	Severity  Severity
	Statement string // the statement that it comes from
	Do        string // the advice; empty if none is needed
}

// table is indexed by Code.
var table = [codeCount]Entry{
	None: {"none", File, Note, "", ""},
	FileOpen: {"file-open", File, Problem, "LOG-19",
		"Check that the file exists and may be read, or remove the reference to it."},
	FileRead:   {"file-read", File, Problem, "LAY-8", "Check that it is an ordinary file."},
	FileSyntax: {"file-syntax", File, Problem, "FUZ-016", "Correct the JSON text at this position."},
	FileTop:    {"file-top", File, Problem, "LAY-10", "Make the top-level value an object."},
	FileWrongKind: {"file-wrong-kind", File, Warning, "LAY-33",
		"Move the file to the directory of its own kind."},
	ManifestVersion: {"manifest-version", File, Problem, "LAY-21", "Add a file_format_version that is a string."},
	ManifestVersionUnknown: {"manifest-version-unknown", File, Warning, "LAY-23",
		"Use a documented file_format_version, such as 1.0.0."},
	LocationMissing: {"location-missing", Place, Note, "PATH-16", ""},
	LocationTooLong: {"location-too-long", Place, Warning, "PATH-21", "Use a shorter path."},
	VariableIgnored: {"variable-ignored", Variable, Warning, "ENV-7",
		"Unset the variable, or the one that takes precedence."},
	VariableElevated: {"variable-elevated", Variable, Note, "WIN-057", ""},
	DriverRegistryOff: {"driver-registry-off", Drivers, Note, "WIN-036",
		"Set the data of its registry value to 0 to enable it."},
	LayerRegistryOff: {"layer-registry-off", Layers, Note, "WIN-056",
		"Set the data of its registry value to 0 to enable it."},
	DeviceUnread: {"device-unread", Place, Warning, "WIN-031",
		"Check the device in the Device Manager. Reinstall its driver, or restart."},
	AdaptersUnknown: {"adapters-unknown", Place, Warning, "WIN-040",
		"Repair Windows: dxgi.dll is missing, or CreateDXGIFactory1 fails. " +
			"In a prompt that runs as administrator: sfc /scannow"},
	DriverUsed:         {"driver-used", Drivers, Note, "ENV-2", ""},
	DriverField:        {"driver-field", Drivers, Problem, "DRV-006", "Correct the field in the driver manifest."},
	DriverVariant:      {"driver-variant", Drivers, Problem, "DRV-031", "Use an api_version of variant 0."},
	DriverArchitecture: {"driver-architecture", Drivers, Note, "DRV-037", ""},
	DriverPortability: {"driver-portability", Drivers, Note, "DRV-035",
		"Enable VK_KHR_portability_enumeration and its instance flag in the program."},
	DriverDisabled:    {"driver-disabled", Drivers, Warning, "ENV-21", "Change VK_LOADER_DRIVERS_DISABLE."},
	DriverNotSelected: {"driver-not-selected", Drivers, Warning, "ENV-19", "Change VK_LOADER_DRIVERS_SELECT."},
	DriverNoHardware:  {"driver-no-hardware", Drivers, Note, "docs/tool.md", ""},
	DriverAsleep: {"driver-asleep", Drivers, Note, "docs/tool.md",
		"Wake the device, or run: vkloader settings set --hardware present"},
	DriverPolicy: {"driver-policy", Drivers, Note, "docs/tool.md", ""},
	DriverDirect: {"driver-direct", Drivers, Note, "DRV-085", ""},
	DriverNotServed: {"driver-not-served", Drivers, Problem, "PRO-050",
		"Run vkloader service status on the machine that runs the service."},
	ServiceUsed:    {"service-used", Place, Note, "PRO-049", ""},
	ServiceRefused: {"service-refused", Place, Warning, "PRO-048", "Run vkloader service status."},
	DriverVendor:   {"driver-vendor", Drivers, Note, "WIN-039", ""},
	DriverNone: {"driver-none", Drivers, Problem, "INS-029",
		"Install a driver, or see above why the drivers found are not used."},
	DriverExtensions: {"driver-extensions", Drivers, Problem, "INS-017",
		"Update, reinstall or remove the driver: it fails to list its extensions."},
	LayerListed:       {"layer-listed", Layers, Note, "LAY-102", ""},
	LayerActive:       {"layer-active", Layers, Note, "LAY-144", ""},
	LayerInactive:     {"layer-inactive", Layers, Note, "LAY-126", ""},
	LayerField:        {"layer-field", Layers, Problem, "LAY-35", "Correct the field in the layer manifest."},
	LayerName:         {"layer-name", Layers, Warning, "LAY-36", "Begin the layer's name with VK_LAYER_."},
	LayerType:         {"layer-type", Layers, Problem, "LAY-39", "Use the type INSTANCE."},
	LayerVariant:      {"layer-variant", Layers, Problem, "LAY-42", "Use an api_version of variant 0."},
	LayerArchitecture: {"layer-architecture", Layers, Note, "LAY-55", ""},
	LayerStructure:    {"layer-structure", Layers, Problem, "LAY-31", "Use one layers array."},
	LayerSection:      {"layer-section", Layers, Warning, "LAY-73", "Remove the section, or raise the file version."},
	LayerDeprecated: {"layer-deprecated", Layers, Note, "LAY-71",
		"Nothing; the layer works. In its next release, its manifest can name vkNegotiateLoaderLayerInterfaceVersion instead."},
	LayerDuplicate: {"layer-duplicate", Layers, Warning, "LAY-104", "Remove one of the two manifests."},
	LayerDisabled:  {"layer-disabled", Layers, Note, "LAY-115", "Change VK_LOADER_LAYERS_DISABLE."},
	LayerForced:    {"layer-forced", Layers, Note, "LAY-120", "Change VK_LOADER_LAYERS_ENABLE."},
	LayerBlacklisted: {"layer-blacklisted", Layers, Warning, "LAY-213",
		"Change blacklisted_layers of the override layer."},
	LayerMissing:    {"layer-missing", Layers, Problem, "LAY-139", "Install the layer, or correct the name."},
	LayerOldVersion: {"layer-old-version", Layers, Warning, "LAY-132", "Update the layer."},
	MetaInvalid: {"meta-invalid", Layers, Problem, "LAY-165",
		"Install the components, or correct component_layers."},
	MetaComponent: {"meta-component", Layers, Warning, "LAY-179",
		"Remove the variable or setting that excludes the component."},
	OverrideChosen: {"override-chosen", Layers, Note, "LAY-189", ""},
	OverrideRejected: {"override-rejected", Layers, Warning, "LAY-187",
		"Correct app_keys, or remove the override manifest."},
	OverridePath: {"override-path", Layers, Warning, "LAY-207", ""},
	ExtensionUnknown: {"extension-unknown", Program, Problem, "INS-053",
		"Set VK_LOADER_DISABLE_INST_EXT_FILTER=1, or drop the extension."},
	ExtensionUnsupported: {"extension-unsupported", Program, Problem, "INS-054",
		"Check that a driver or layer offers the extension."},
	NameMalformed:   {"name-malformed", Program, Problem, "INS-046", "Correct the name in the program."},
	AppVersion:      {"app-version", Program, Warning, "INS-035", "Correct apiVersion in the program."},
	SettingsNone:    {"settings-none", Settings, Note, "SET-8", ""},
	SettingsUsed:    {"settings-used", Settings, Note, "SET-13", ""},
	SettingsIgnored: {"settings-ignored", Settings, Warning, "SET-26", "Correct the settings file."},
	SettingsShadowed: {"settings-shadowed", Settings, Warning, "SET-28",
		"Remove one of the two objects, or merge them."},
	SettingsKeys: {"settings-keys", Settings, Warning, "SET-29", "Name executables by their full paths."},
	SettingsLog: {"settings-log", Settings, Warning, "SET-76",
		"Use an array of message kinds: error, warn, info, debug, perf, layer, driver, validation or all."},
	SettingsLayers: {"settings-layers", Settings, Problem, "SET-38",
		"Give every entry a name, a path and a control."},
	SettingsControl: {"settings-control", Settings, Warning, "SET-37", "Correct the entry."},
	SettingsDrivers: {"settings-drivers", Settings, Problem, "SET-85",
		"Give every driver the path of its manifest."},
	SettingsDevices: {"settings-devices", Settings, Problem, "SET-90", "Give every entry two UUIDs and a version."},
	FileSchema: {"file-schema", File, Warning, "docs/schema",
		"Follow the schema: other programs read the file, too."},
	FileDialect: {"file-dialect", File, Warning, "LAY-17",
		"Write plain JSON: other programs read the file, too."},
	FileDuplicate:   {"file-duplicate", File, Warning, "LAY-12", "Remove one of the two members."},
	FileMember:      {"file-member", File, Note, "SET-18", "Check the spelling."},
	FileKindUnknown: {"file-kind-unknown", File, Problem, "DRV-006", "Name the kind of the file with --kind."},
	FileCost: {"file-cost", File, Problem, "FUZ-023",
		"Remove repeated entries: loaders read a file, layer or driver only a limited number of times."},
	VariableNothing: {"variable-nothing", Variable, Problem, "ENV-2",
		"Correct or unset the variable, or install the files that it names."},
	VariableMatch: {"variable-match", Variable, Warning, "ENV-35",
		"Correct the pattern: it is compared with the whole name."},
	VariableContradiction: {"variable-contradiction", Variable, Warning, "SET-108", "Unset one of the variables."},
	FileEncoding: {"file-encoding", File, Problem, "FUZ-016",
		"Save the file as text in UTF-8, without a byte-order mark."},
	VariableAllOut: {"variable-all-out", Variable, Problem, "INS-029",
		"Unset the variable, or let it match an installed driver."},
}

// Entry returns the table entry of the code.
func (c Code) Entry() *Entry {
	if c >= codeCount {
		c = None
	}
	return &table[c]
}

func (c Code) String() string { return c.Entry().Name }

// MarshalText returns the name, for the tool's JSON.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Codes calls f for every code, in order. The documentation is generated from it.
func Codes(f func(Code, *Entry)) {
	for c := None + 1; c < codeCount; c++ {
		f(c, &table[c])
	}
}
