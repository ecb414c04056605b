package environment

import (
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/term"
)

// Group is the subject of a variable.
type Group string

// Groups, in display order.
const (
	Drivers     Group = "Drivers"
	Layers      Group = "Layers"
	Devices     Group = "Physical devices"
	Loader      Group = "Loader"
	Directories Group = "Directories"
)

// Groups lists all groups in display order.
var Groups = []Group{Drivers, Layers, Devices, Loader, Directories}

// VariableGuide describes one variable.
type VariableGuide struct {
	ID         variables.ID
	Group      Group
	Takes      string         // its value
	Does       string         // its effect
	Yields     []variables.ID // each of these, if set, replaces it
	YieldsTo   string         // other settings that replace it
	EmptyCount bool           // an empty value differs from unset
	Instead    []variables.ID // the current names, if this is an old name
	Statements []string       // IDs in the specification
}

const (
	fileList = separated + " list of manifest files (names that end in `.json`) and directories of them"
	baseList = separated + " list of directories; an element that ends in `.json` is a manifest"
	filter   = "comma-separated list of at most 16 of: a name, `start*`, `*end`, `*part*`, `*` or `~all~`; case-insensitive"
	ranges   = "comma-separated list of numbers or ranges like `0x1000-0x1fff`; hexadecimal, octal or decimal as in C"
	word     = "a number: 0 is off, any other is on"

	withoutConfigurations = "a settings file with device configurations"
	withoutExclusive      = "a settings file that lists layers and does not ask for the ordinary search"
)

var entries = [...]VariableGuide{
	{ID: variables.DriverFiles, Group: Drivers, Takes: fileList, EmptyCount: true,
		Does:     "The loader uses only these driver manifests.",
		YieldsTo: withoutConfigurations, Statements: []string{"ENV-2", "ENV-3", "ENV-4", "ENV-8"}},
	{ID: variables.ICDFilenames, Group: Drivers, Takes: fileList, EmptyCount: true,
		Does:     "The older name of VK_DRIVER_FILES.",
		Yields:   []variables.ID{variables.DriverFiles},
		YieldsTo: withoutConfigurations, Instead: []variables.ID{variables.DriverFiles}, Statements: []string{"ENV-7"}},
	{ID: variables.AddDriverFiles, Group: Drivers, Takes: fileList,
		Does:     "The loader uses these driver manifests before those in the usual directories.",
		Yields:   []variables.ID{variables.DriverFiles, variables.ICDFilenames},
		YieldsTo: withoutConfigurations, Statements: []string{"ENV-9", "ENV-10"}},
	{ID: variables.DriversSelect, Group: Drivers, Takes: filter,
		Does:       "The loader uses only drivers with a matching manifest file name. This takes precedence over VK_LOADER_DRIVERS_DISABLE.",
		YieldsTo:   withoutConfigurations,
		Statements: []string{"ENV-15", "ENV-18", "ENV-35", "ENV-41"}},
	{ID: variables.DriversDisable, Group: Drivers, Takes: filter,
		Does:     "The loader ignores drivers with a matching manifest file name.",
		YieldsTo: withoutConfigurations, Statements: []string{"ENV-15", "ENV-20", "ENV-35", "ENV-41"}},

	{ID: variables.LayerPath, Group: Layers, Takes: fileList, EmptyCount: true,
		Does:       "The loader searches for explicit layers only here.",
		YieldsTo:   "an override layer with override_paths; " + withoutExclusive,
		Statements: []string{"ENV-26", "ENV-28", "ENV-33"}},
	{ID: variables.AddLayerPath, Group: Layers, Takes: fileList,
		Does:   "The loader searches for explicit layers here first, and then in the usual directories.",
		Yields: []variables.ID{variables.LayerPath}, YieldsTo: "an override layer with override_paths; " +
			withoutExclusive,
		Statements: []string{"ENV-30", "ENV-31", "ENV-33"}},
	{ID: variables.ImplicitLayerPath, Group: Layers, Takes: fileList, EmptyCount: true,
		Does:     "The loader searches for implicit layers only here.",
		YieldsTo: withoutExclusive, Statements: []string{"ENV-27", "ENV-28"}},
	{ID: variables.AddImplicitLayerPath, Group: Layers, Takes: fileList,
		Does:   "The loader searches for implicit layers here first, and then in the usual directories.",
		Yields: []variables.ID{variables.ImplicitLayerPath}, YieldsTo: withoutExclusive,
		Statements: []string{"ENV-30", "ENV-31"}},
	{ID: variables.InstanceLayers, Group: Layers, Takes: separated +
		" list of layer names, exactly as they are written",
		Does:       "These layers are used as if the program had enabled them, in this order.",
		YieldsTo:   "`VK_LOADER_LAYERS_DISABLE`, for each layer it names; the order of a settings file that lists layers",
		Statements: []string{"ENV-70", "ENV-71", "ENV-76", "SET-63"}},
	{ID: variables.LayersEnable, Group: Layers, Takes: filter,
		Does:       "The loader uses layers with a matching name, even if the program does not enable them. This takes precedence over VK_LOADER_LAYERS_DISABLE.",
		YieldsTo:   "the disable variable of an implicit layer; if a settings file lists layers: the layer's entry in it, and VK_LOADER_LAYERS_DISABLE",
		Statements: []string{"ENV-56", "ENV-57", "ENV-58", "ENV-59", "SET-57", "SET-60"}},
	{ID: variables.LayersDisable, Group: Layers, Takes: filter + "; also `~implicit~`, `~explicit~`",
		Does:       "The loader neither uses nor lists layers with a matching name.",
		YieldsTo:   "`VK_LOADER_LAYERS_ALLOW` and `VK_LOADER_LAYERS_ENABLE`, for each layer they name; a settings file, for each layer it switches",
		Statements: []string{"ENV-45", "ENV-46", "ENV-53", "ENV-59"}},
	{ID: variables.LayersAllow, Group: Layers, Takes: filter,
		Does:       "VK_LOADER_LAYERS_DISABLE does not apply to layers with a matching name. This enables no layer.",
		Statements: []string{"ENV-53", "ENV-54"}},

	{ID: variables.DeviceSelect, Group: Devices, Takes: "`vendor:device`, two hexadecimal numbers",
		Does:       "This device comes first in the list.",
		YieldsTo:   "`VK_LOADER_DISABLE_SELECT`; " + withoutConfigurations,
		Statements: []string{"ENV-85", "ENV-86", "ENV-87", "SET-93"}},
	{ID: variables.DisableSelect, Group: Devices, Takes: word,
		Does:     "Devices are listed in the order of the drivers, and not sorted by type and PCI address.",
		YieldsTo: withoutConfigurations, Statements: []string{"ENV-80", "ENV-91"}},
	{ID: variables.DeviceIDFilter, Group: Devices, Takes: ranges,
		Does:       "Only devices with one of these device IDs are listed.",
		Statements: []string{"ENV-92", "ENV-93", "ENV-94", "ENV-95"}},
	{ID: variables.VendorIDFilter, Group: Devices, Takes: ranges,
		Does:       "Only devices with one of these vendor IDs are listed.",
		Statements: []string{"ENV-92", "ENV-93", "ENV-94", "ENV-95"}},
	{ID: variables.DriverIDFilter, Group: Devices, Takes: ranges,
		Does:       "Only devices with one of these driver IDs (VkDriverId) are listed.",
		Statements: []string{"ENV-92", "ENV-93", "ENV-94", "ENV-95", "ENV-104"}},

	{ID: variables.Debug, Group: Loader,
		Takes:      "comma-separated list of `error`, `warn`, `info`, `debug`, `perf`, `layer`, `driver`, `all`; `implem` and `icd` mean `driver`",
		Does:       "The loader writes messages of these kinds to standard error.",
		YieldsTo:   "`stderr_log` of a settings file",
		Statements: []string{"LOG-1", "LOG-2", "LOG-3", "GEN-2", "SET-77"}},
	{ID: variables.DisableInstExtFilter, Group: Loader, Takes: word,
		Does:       "Instance extensions that only the drivers know are listed, and programs may enable them.",
		Statements: []string{"ENV-108", "ENV-109"}},
	{ID: variables.DisableUnloading, Group: Loader, Takes: "`1` or `0`",
		Does:       "1: drivers and layers are never unloaded. 0: drivers that have listed a device are also unloaded, with the last instance.",
		Statements: []string{"ENV-110", "GEN-2"}},

	{ID: variables.ConfigHome, Group: Directories, Takes: baseList,
		Does:       "The loader searches the directories in this list first for manifests and the settings file. Default: `$HOME/.config`.",
		Statements: []string{"PATH-1", "PATH-5", "SET-1"}},
	{ID: variables.ConfigDirs, Group: Directories, Takes: baseList,
		Does:       "The loader searches below these next for manifests and the settings file. Default: `/etc/xdg`.",
		Statements: []string{"PATH-1", "PATH-5", "SET-1"}},
	{ID: variables.DataHome, Group: Directories, Takes: baseList,
		Does:       "The loader searches below these after the system's configuration, for manifests and the settings file. Default: `$HOME/.local/share`.",
		Statements: []string{"PATH-1", "PATH-5", "SET-1"}},
	{ID: variables.DataDirs, Group: Directories, Takes: baseList,
		Does:       "The loader searches below these last for manifests and the settings file. Default: `/usr/local/share:/usr/share`.",
		Statements: []string{"PATH-1", "PATH-5", "SET-1"}},
	{ID: variables.ServiceDirectory, Group: Directories, Takes: "a directory",
		Does:       "The loader looks for the socket of the driver service only here.",
		Statements: []string{"PRO-001", "PRO-008"}},
	{ID: variables.RuntimeDirectory, Group: Directories, Takes: "a directory",
		Does:       "The loader looks for the user's driver service in `vkloaderd` in this directory, if there is none in `/run/vkloaderd`.",
		Yields:     []variables.ID{variables.ServiceDirectory},
		Statements: []string{"PRO-001", "PRO-008"}},
	{ID: variables.Home, Group: Directories, Takes: "a directory", EmptyCount: true,
		Does: "If XDG_CONFIG_HOME or XDG_DATA_HOME is unset or empty, the loader uses `.config` and " +
			"`.local/share` in this directory.", YieldsTo: "`XDG_CONFIG_HOME` and `XDG_DATA_HOME`, when neither " +
			"is empty",
		Statements: []string{"PATH-11", "PATH-12", "PATH-13"}},
}

// ByLayer describes a variable that the manifest of an implicit layer names.
type ByLayer struct {
	Field      string // in the manifest
	Takes      string
	Does       string
	YieldsTo   string
	Statements []string
}

// OfLayers describes both kinds of layer variables. Elevated processes honour them (GEN-6).
var OfLayers = [...]ByLayer{
	{Field: "disable_environment", Takes: "any value, even an empty one",
		Does:       "While this variable is set, the implicit layer is not used.",
		YieldsTo:   "the program and `VK_INSTANCE_LAYERS`, which may ask for the layer by name",
		Statements: []string{"ENV-64", "ENV-66", "ENV-68", "LAY-61"}},
	{Field: "enable_environment", Takes: "the value that the manifest names, exactly",
		Does: "If a layer's manifest has this field, the layer is used only while the variable has this value.",
		YieldsTo: "the layer's disable variable; `VK_LOADER_LAYERS_ENABLE`, the program and `VK_INSTANCE_LAYERS`, " +
			"which may ask for the layer by name", Statements: []string{"ENV-65", "ENV-66", "ENV-68", "LAY-66"}},
}

// Guide returns all entries in the order of the groups.
func Guide() []VariableGuide { return entries[:] }

// Elevated returns the effect of elevated rights on the variable: "ignored" or "kept".
func (e *VariableGuide) Elevated() string {
	return term.Either(e.ID.Secure(), "ignored", "kept")
}

// Told returns the full description: the effect, the time of reading, the meaning of an empty value, and the current
// name.
func (e *VariableGuide) Told() string {
	text := e.Does + map[variables.Reader]string{variables.Load: " Read once, when the library is loaded.",
		variables.Asking:      " Read when no driver is found on this machine.",
		variables.Enumeration: " Read whenever devices are listed."}[e.ID.Reader()]
	if e.EmptyCount {
		text += " An empty value counts as set."
	}
	if e.Instead != nil {
		text += " Deprecated: use " + names(e.Instead, "") + "."
	}
	return text
}

// Order returns the settings that replace the variable, in Markdown.
func (e *VariableGuide) Order() string {
	text := names(e.Yields, "`")
	if text != "" && e.YieldsTo != "" {
		text += "; "
	}
	return text + e.YieldsTo
}

func names(list []variables.ID, quote string) string {
	text := ""
	for i, v := range list {
		if i > 0 {
			text += ", "
		}
		text += quote + v.Name() + quote
	}
	return text
}

// Plain removes the Markdown from a text of the guide.
func Plain(text string) string { return strings.ReplaceAll(text, "`", "") }
