package loaders

import (
	"slices"
	"strings"
	"sync"

	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
)

// Kind is the kind of a feature.
type Kind string

// Kinds of features, as the headings of their tables.
const (
	Variable Kind = "Variables"
	Word     Kind = "Values of variables"
	Settings Kind = "The settings file"
	Manifest Kind = "Fields of manifests"
	Window   Kind = "Window systems"
)

// Feature is a feature that only some versions of loaders have.
type Feature struct {
	Name    string // as settings or documents write it
	Kind    Kind
	Since   string // the version that introduced it, if a document names it; "": none does
	Without string // the newest version known to lack it; "": none is known
	With    string // the oldest version known to have it
	Source  string // where the facts come from
	Ours    bool   // only this project's loader has it

	mark string // the constant in a loader that has it; "": the name; "-": none
}

// Names of features that other packages use. The feature of a variable has the variable's name.
const (
	SettingsFile   = "vk_loader_settings.json"
	LogField       = "stderr_log"
	LayersField    = "layers"
	ArrayField     = "settings_array"
	DriversField   = "additional_drivers"
	ExclusiveField = "additional_drivers_use_exclusively"
	DevicesField   = "device_configurations"
)

// Sources of facts, as docs/loaders.md explains them.
const (
	tried      = "tried, constants"
	inFiles    = "constants"
	byDocument = "document, tried, constants"
	byReports  = "reports, tried, constants"
	statement  = "constants, statement "
)

// Versions of loaders: of the examined builds, and of documents.
const (
	bullseye  = "1.2.162"
	bookworm  = "1.3.239"
	trixie    = "1.4.309"
	sid       = "1.4.363"
	described = "1.4.360" // the version that the statements in spec/ describe
	filters   = "1.3.234" // introduced the filter variables, by their document
)

// table returns the list of features, which is made at the first call: package discover does nothing at import.
func table() []Feature {
	tableOnce.Do(func() { tableRows = rows() })
	return tableRows
}

var (
	tableOnce sync.Once
	tableRows []Feature
)

func rows() []Feature {
	return []Feature{
		{Name: variables.ICDFilenames.Name(), With: bullseye, Source: tried},
		{Name: variables.DriverFiles.Name(), Without: bullseye, With: bookworm, Source: tried},
		{Name: variables.AddDriverFiles.Name(), Without: bullseye, With: bookworm, Source: tried},
		{Name: variables.DriversSelect.Name(), Since: filters, Without: bullseye, With: bookworm, Source: byDocument},
		{Name: variables.DriversDisable.Name(), Since: filters, Without: bullseye, With: bookworm, Source: byDocument},
		{Name: variables.LayerPath.Name(), With: bullseye, Source: tried},
		{Name: variables.AddLayerPath.Name(), Without: bullseye, With: bookworm, Source: tried},
		{Name: variables.ImplicitLayerPath.Name(), Without: bookworm, With: trixie, Source: tried},
		{Name: variables.AddImplicitLayerPath.Name(), Without: bookworm, With: trixie, Source: tried},
		{Name: variables.InstanceLayers.Name(), With: bullseye, Source: inFiles},
		{Name: variables.LayersEnable.Name(), Since: filters, Without: bullseye, With: bookworm, Source: byReports},
		{Name: variables.LayersDisable.Name(), Since: filters, Without: bullseye, With: bookworm, Source: byReports},
		{Name: variables.LayersAllow.Name(), Without: bookworm, With: trixie, Source: tried},
		{Name: variables.DeviceSelect.Name(), Without: bullseye, With: bookworm, Source: inFiles},
		{Name: variables.DisableSelect.Name(), Without: bullseye, With: bookworm, Source: inFiles},
		{Name: variables.DeviceIDFilter.Name(), Without: trixie, With: described, Source: statement + "ENV-92"},
		{Name: variables.VendorIDFilter.Name(), Without: trixie, With: described, Source: statement + "ENV-92"},
		{Name: variables.DriverIDFilter.Name(), Without: trixie, With: described, Source: statement + "ENV-92"},
		{Name: variables.Debug.Name(), With: bullseye, Source: inFiles},
		{Name: variables.DisableInstExtFilter.Name(), With: bullseye, Source: inFiles},
		{Name: variables.DisableUnloading.Name(), Without: bookworm, With: trixie, Source: inFiles},
		{Name: variables.ServiceDirectory.Name(), Source: "docs/service.md", Ours: true},

		{Name: "~all~", Kind: Word, Since: filters, Without: bullseye, With: bookworm, Source: byReports},
		{Name: "~implicit~", Kind: Word, Since: filters, Without: bullseye, With: bookworm, Source: byReports},
		{Name: "~explicit~", Kind: Word, Since: filters, Without: bullseye, With: bookworm, Source: byReports},
		{Name: "start*", Kind: Word, Since: filters, Without: bullseye, With: bookworm, Source: byDocument, mark: "-"},

		{Name: SettingsFile, Kind: Settings, Without: bookworm, With: trixie, Source: inFiles,
			mark: "/vk_loader_settings.json"},
		{Name: ArrayField, Kind: Settings, Without: bookworm, With: trixie, Source: inFiles},
		{Name: LogField, Kind: Settings, Without: bookworm, With: trixie, Source: inFiles},
		{Name: "log_locations", Kind: Settings, Without: bookworm, With: trixie, Source: inFiles},
		{Name: LayersField, Kind: Settings, Without: bookworm, With: trixie, Source: inFiles,
			mark: "treat_as_implicit_manifest"},
		{Name: "unordered_layer_location", Kind: Settings, Without: bookworm, With: trixie, Source: inFiles},
		{Name: DriversField, Kind: Settings, Without: trixie, With: described, Source: statement + "SET-83"},
		{Name: ExclusiveField, Kind: Settings, Without: trixie, With: described, Source: statement + "SET-83"},
		{Name: DevicesField, Kind: Settings, Without: trixie, With: described, Source: statement + "SET-90"},
		{Name: settings.HardwareMember, Kind: Settings, Source: "docs/tool.md", Ours: true},
		{Name: settings.LogFileMember, Kind: Settings, Source: "docs/tool.md", Ours: true},

		{Name: "library_arch", Kind: Manifest, Without: bullseye, With: bookworm, Source: inFiles},
		{Name: "is_portability_driver", Kind: Manifest, Without: bullseye, With: bookworm, Source: inFiles},
		{Name: "app_keys", Kind: Manifest, With: bullseye, Source: inFiles},
		{Name: "override_paths", Kind: Manifest, With: bullseye, Source: inFiles},
		{Name: "blacklisted_layers", Kind: Manifest, With: bullseye, Source: inFiles},
		{Name: "pre_instance_functions", Kind: Manifest, With: bullseye, Source: inFiles},

		{Name: "VK_KHR_wayland_surface", Kind: Window, With: bookworm, Source: inFiles},
		{Name: "VK_KHR_xcb_surface", Kind: Window, With: bookworm, Source: inFiles},
	}
}

// Features returns the rows of the table.
func Features() []Feature {
	list := slices.Clone(table())
	for i := range list {
		list[i].Kind = list[i].kind()
	}
	return list
}

// kind returns the row's kind; a row without one is a variable.
func (f *Feature) kind() Kind {
	if f.Kind == "" {
		return Variable
	}
	return f.Kind
}

// Fields returns the names of the settings file's fields.
func Fields() (names []string) {
	rows := table()
	for i := range rows {
		if f := &rows[i]; f.Kind == Settings && f.Name != SettingsFile {
			names = append(names, f.Name)
		}
	}
	return names
}

// FieldsIn returns the fields of the settings file that a text contains.
func FieldsIn(text string) []string {
	return slices.DeleteFunc(Fields(), func(name string) bool { return !strings.Contains(text, `"`+name+`"`) })
}

// Named finds a feature; nil: none has the name.
func Named(name string) *Feature {
	rows := table()
	if i := slices.IndexFunc(rows, func(f Feature) bool { return f.Name == name }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// Exact reports whether the version that introduced the feature is known; if not, it lies between two known versions.
func (f *Feature) Exact() bool { return f.Since != "" || f.Without == "" && f.With != "" }

// Mark returns the constant in a loader's file that shows the feature; "": the file does not show it.
func (f *Feature) Mark() string {
	switch f.mark {
	case "":
		return f.Name
	case "-":
		return ""
	}
	return f.mark
}

// Came describes the version that introduced the feature.
func (f *Feature) Came() string {
	switch {
	case f.Ours:
		return "vkloader only"
	case f.Since != "":
		return f.Since
	case f.Without == "":
		return f.With + " or earlier"
	}
	return "after " + f.Without + ", " + f.With + " at the latest"
}

// Reads reports whether the loader reads a variable. An unknown variable counts as read: it may be in force.
func (l *Loader) Reads(variable string) bool { return l.Has(variable) != No }

// Obeys reports whether the loader is known to read a variable. Only then can setting the variable fix anything.
func (l *Loader) Obeys(variable string) bool { return l.Has(variable) == Yes }

// Settings returns the settings file as the loader reads it. The names of fields that it does not know are replaced by
// names of the same length, so that positions in the text stay the same. ok is false if the loader reads no settings
// file.
func (l *Loader) Settings(content string) (string, bool) {
	if l.Has(SettingsFile) == No {
		return "", false
	}
	rows := table()
	for i := range rows {
		if f := &rows[i]; f.Kind == Settings && l.Has(f.Name) == No {
			content = strings.ReplaceAll(content, `"`+f.Name+`"`, `"`+strings.Repeat("-", len(f.Name))+`"`)
		}
	}
	return content, true
}

// Ignored returns those of the names, of variables or of fields of the settings file, that the loader is known to
// ignore.
func (l *Loader) Ignored(names []string) (ignored []string) {
	for _, name := range names {
		if l.Has(name) == No && !slices.Contains(ignored, name) {
			ignored = append(ignored, name)
		}
	}
	return ignored
}
