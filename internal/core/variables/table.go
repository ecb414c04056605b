package variables

// OnlyInBundle is read by the core on macOS and iOS only, and not in elevated processes (MAC-007 to MAC-010). It is not
// in the table, because other platforms never read it.
const OnlyInBundle = "VK_LOADER_SEARCH_ONLY_IN_BUNDLE"

// Reader is the part of the loader that reads a variable, and the time when it does (GEN-1, GEN-2).
type Reader uint8

// Readers.
const (
	Decision    Reader = iota // the core; the spine sends the variable with every question
	Enumeration               // the spine, whenever devices are listed
	Load                      // the spine, once, when the library is loaded
	Asking                    // the spine, when it queries the driver service
)

// Variable describes a variable.
type Variable struct {
	name     string
	reader   Reader
	elevated bool // elevated processes honour it (GEN-6); they ignore the others (GEN-5)
}

// ID is one of the variables below.
type ID = *Variable

// Variables (ENV-1). Variables named by the manifests of implicit layers are not among them.
var (
	DriverFiles          = &Variable{"VK_DRIVER_FILES", Decision, false}
	ICDFilenames         = &Variable{"VK_ICD_FILENAMES", Decision, false}
	AddDriverFiles       = &Variable{"VK_ADD_DRIVER_FILES", Decision, false}
	LayerPath            = &Variable{"VK_LAYER_PATH", Decision, false}
	AddLayerPath         = &Variable{"VK_ADD_LAYER_PATH", Decision, false}
	ImplicitLayerPath    = &Variable{"VK_IMPLICIT_LAYER_PATH", Decision, false}
	AddImplicitLayerPath = &Variable{"VK_ADD_IMPLICIT_LAYER_PATH", Decision, false}
	LayersEnable         = &Variable{"VK_LOADER_LAYERS_ENABLE", Decision, false}
	LayersDisable        = &Variable{"VK_LOADER_LAYERS_DISABLE", Decision, false}
	LayersAllow          = &Variable{"VK_LOADER_LAYERS_ALLOW", Decision, false}
	DriversSelect        = &Variable{"VK_LOADER_DRIVERS_SELECT", Decision, false}
	DriversDisable       = &Variable{"VK_LOADER_DRIVERS_DISABLE", Decision, false}
	Home                 = &Variable{"HOME", Decision, false}
	ConfigHome           = &Variable{"XDG_CONFIG_HOME", Decision, false}
	ConfigDirs           = &Variable{"XDG_CONFIG_DIRS", Decision, false}
	DataHome             = &Variable{"XDG_DATA_HOME", Decision, false}
	DataDirs             = &Variable{"XDG_DATA_DIRS", Decision, false}
	InstanceLayers       = &Variable{"VK_INSTANCE_LAYERS", Decision, true}
	DisableInstExtFilter = &Variable{"VK_LOADER_DISABLE_INST_EXT_FILTER", Decision, true}
	DeviceIDFilter       = &Variable{"VK_LOADER_DEVICE_ID_FILTER", Enumeration, false}
	VendorIDFilter       = &Variable{"VK_LOADER_VENDOR_ID_FILTER", Enumeration, false}
	DriverIDFilter       = &Variable{"VK_LOADER_DRIVER_ID_FILTER", Enumeration, false}
	DeviceSelect         = &Variable{"VK_LOADER_DEVICE_SELECT", Enumeration, true}
	DisableSelect        = &Variable{"VK_LOADER_DISABLE_SELECT", Enumeration, true}
	Debug                = &Variable{"VK_LOADER_DEBUG", Load, true}
	DisableUnloading     = &Variable{"VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING", Load, true}
	ServiceDirectory     = &Variable{"VKLOADERD_DIR", Asking, false}
	RuntimeDirectory     = &Variable{"XDG_RUNTIME_DIR", Asking, false}
)

// all has the variables, in order.
var all = [...]ID{DriverFiles, ICDFilenames, AddDriverFiles, LayerPath, AddLayerPath, ImplicitLayerPath,
	AddImplicitLayerPath, LayersEnable, LayersDisable, LayersAllow, DriversSelect, DriversDisable, Home, ConfigHome,
	ConfigDirs, DataHome, DataDirs, InstanceLayers, DisableInstExtFilter, DeviceIDFilter, VendorIDFilter,
	DriverIDFilter, DeviceSelect, DisableSelect, Debug, DisableUnloading, ServiceDirectory, RuntimeDirectory}

// Name returns the variable's name.
func (v *Variable) Name() string { return v.name }

// Reader returns the reader of the variable.
func (v *Variable) Reader() Reader { return v.reader }

// Secure reports whether elevated processes ignore the variable.
func (v *Variable) Secure() bool { return !v.elevated }

// Each calls f for every variable, in order.
func Each(f func(ID)) {
	for _, v := range all {
		f(v)
	}
}

// Decisive calls f for the variables that every decision reads, in order.
func Decisive(f func(ID)) {
	for _, v := range all {
		if v.reader == Decision {
			f(v)
		}
	}
}

// Find finds a variable by its name.
func Find(name string) (v ID, known bool) {
	for _, v := range all {
		if v.name == name {
			return v, true
		}
	}
	return nil, false
}
