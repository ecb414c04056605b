package variables

// OnlyInBundle is read by the core on macOS and iOS only, and not in elevated processes (MAC-007 to MAC-010). It is not
// in the table, because other platforms never read it.
const OnlyInBundle = "VK_LOADER_SEARCH_ONLY_IN_BUNDLE"

// ID is a variable, an index into the table.
type ID uint8

// Variables (ENV-1). Variables named by the manifests of implicit layers are not among them.
const (
	DriverFiles ID = iota
	ICDFilenames
	AddDriverFiles
	LayerPath
	AddLayerPath
	ImplicitLayerPath
	AddImplicitLayerPath
	LayersEnable
	LayersDisable
	LayersAllow
	DriversSelect
	DriversDisable
	Home
	ConfigHome
	ConfigDirs
	DataHome
	DataDirs
	InstanceLayers
	DisableInstExtFilter
	DeviceIDFilter
	VendorIDFilter
	DriverIDFilter
	DeviceSelect
	DisableSelect
	Debug
	DisableUnloading
	ServiceDirectory
	RuntimeDirectory
	count
)

// Reader is the part of the loader that reads a variable, and the time when it does (GEN-1, GEN-2).
type Reader uint8

// Readers.
const (
	Decision    Reader = iota // the core; the spine sends the variable with every question
	Enumeration               // the spine, whenever devices are listed
	Load                      // the spine, once, when the library is loaded
	Asking                    // the spine, when it queries the driver service
)

// entry describes a variable.
type entry struct {
	name     string
	reader   Reader
	elevated bool // elevated processes honour it (GEN-6); they ignore the others (GEN-5)
}

// table is indexed by ID.
var table = [count]entry{
	DriverFiles:          {"VK_DRIVER_FILES", Decision, false},
	ICDFilenames:         {"VK_ICD_FILENAMES", Decision, false},
	AddDriverFiles:       {"VK_ADD_DRIVER_FILES", Decision, false},
	LayerPath:            {"VK_LAYER_PATH", Decision, false},
	AddLayerPath:         {"VK_ADD_LAYER_PATH", Decision, false},
	ImplicitLayerPath:    {"VK_IMPLICIT_LAYER_PATH", Decision, false},
	AddImplicitLayerPath: {"VK_ADD_IMPLICIT_LAYER_PATH", Decision, false},
	LayersEnable:         {"VK_LOADER_LAYERS_ENABLE", Decision, false},
	LayersDisable:        {"VK_LOADER_LAYERS_DISABLE", Decision, false},
	LayersAllow:          {"VK_LOADER_LAYERS_ALLOW", Decision, false},
	DriversSelect:        {"VK_LOADER_DRIVERS_SELECT", Decision, false},
	DriversDisable:       {"VK_LOADER_DRIVERS_DISABLE", Decision, false},
	Home:                 {"HOME", Decision, false},
	ConfigHome:           {"XDG_CONFIG_HOME", Decision, false},
	ConfigDirs:           {"XDG_CONFIG_DIRS", Decision, false},
	DataHome:             {"XDG_DATA_HOME", Decision, false},
	DataDirs:             {"XDG_DATA_DIRS", Decision, false},
	InstanceLayers:       {"VK_INSTANCE_LAYERS", Decision, true},
	DisableInstExtFilter: {"VK_LOADER_DISABLE_INST_EXT_FILTER", Decision, true},
	DeviceIDFilter:       {"VK_LOADER_DEVICE_ID_FILTER", Enumeration, false},
	VendorIDFilter:       {"VK_LOADER_VENDOR_ID_FILTER", Enumeration, false},
	DriverIDFilter:       {"VK_LOADER_DRIVER_ID_FILTER", Enumeration, false},
	DeviceSelect:         {"VK_LOADER_DEVICE_SELECT", Enumeration, true},
	DisableSelect:        {"VK_LOADER_DISABLE_SELECT", Enumeration, true},
	Debug:                {"VK_LOADER_DEBUG", Load, true},
	DisableUnloading:     {"VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING", Load, true},
	ServiceDirectory:     {"VKLOADERD_DIR", Asking, false},
	RuntimeDirectory:     {"XDG_RUNTIME_DIR", Asking, false},
}

// Name returns the variable's name.
func (v ID) Name() string { return table[v].name }

// Reader returns the reader of the variable.
func (v ID) Reader() Reader { return table[v].reader }

// Secure reports whether elevated processes ignore the variable.
func (v ID) Secure() bool { return !table[v].elevated }

// Each calls f for every variable, in order.
func Each(f func(ID)) {
	for v := range count {
		f(v)
	}
}

// Decisive calls f for the variables that every decision reads, in order.
func Decisive(f func(ID)) {
	for v := range count {
		if table[v].reader == Decision {
			f(v)
		}
	}
}

// Find finds a variable by its name.
func Find(name string) (v ID, known bool) {
	for v := range count {
		if table[v].name == name {
			return v, true
		}
	}
	return 0, false
}
