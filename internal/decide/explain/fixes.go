package explain

import (
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// Layer returns a layer of a decision by its name and manifest; nil: there is none.
func Layer(answer *plan.Answer, name, file string) *manifest.Layer {
	if at := slices.IndexFunc(answer.Layers,
		func(l *manifest.Layer) bool { return l.Name == name && l.Manifest == file }); at >= 0 {
		return answer.Layers[at]
	}
	return nil
}

// Active returns the active layers of a decision, in the order of the call chain.
func Active(answer *plan.Answer) (layers []*manifest.Layer) {
	for _, a := range answer.Active {
		layers = append(layers, answer.Layers[a.Layer])
	}
	return layers
}

// ActiveLayer returns the active layer of a name; nil: there is none.
func ActiveLayer(answer *plan.Answer, name string) *manifest.Layer {
	for _, l := range Active(answer) {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// LeaveOutLayer returns alternative changes that may leave a layer out, that of its own variable first.
func LeaveOutLayer(source *machine.Source, l *manifest.Layer) (changes []Change) {
	if l.Implicit && l.DisableName != "" {
		changes = append(changes, SetVariable(l.DisableName, "1"))
	}
	changes = append(changes, AddToFilter(source, variables.LayersDisable, l.Name)...)
	if value, _ := source.Lookup(l.EnableName); l.Implicit && value != "" {
		changes = append(changes, UnsetVariable(l.EnableName))
	}
	return changes
}

// LeaveOutByOne returns alternative changes of one variable that may leave a driver out.
func LeaveOutByOne(source *machine.Source, file string) []Change {
	changes := append(AddToFilter(source, variables.DriversDisable, filepath.Base(file)),
		DropFromFilter(source, variables.DriversSelect, filepath.Base(file))...)
	for _, v := range []variables.ID{variables.AddDriverFiles, variables.DriverFiles, variables.ICDFilenames} {
		changes = append(changes,
			DropFromList(source, v, machine.ListSeparator, func(n string) bool { return Names(n, file) })...)
	}
	return changes
}

// NameOtherDrivers returns a change, in a list of one, that names all installed drivers but one; nil: there is no
// other. Loaders that read no filter read it, too.
func NameOtherDrivers(source *machine.Source, file string) []Change {
	installed, err := Decide(UnsetVariable(variables.DriverFiles.Name()).
		With(UnsetVariable(variables.ICDFilenames.Name())).On(source))
	if err != nil {
		return nil
	}
	var others []string
	for _, d := range installed.Drivers {
		if d.Path != file {
			others = append(others, d.Path)
		}
	}
	if others == nil {
		return nil
	}
	return []Change{SetVariable(variables.ICDFilenames.Name(), strings.Join(others, machine.ListSeparator))}
}

// LeaveOutDriver returns alternative changes that may leave a driver out: those of one variable, then changes of
// VK_LOADER_DRIVERS_SELECT together with VK_LOADER_DRIVERS_DISABLE, which the former overrules.
func LeaveOutDriver(source *machine.Source, file string) []Change {
	changes := LeaveOutByOne(source, file)
	if value, _ := source.Lookup(variables.DriversSelect.Name()); value == "" {
		return changes
	}
	for _, shorter := range DropFromFilter(source, variables.DriversSelect, filepath.Base(file)) {
		for _, refuse := range AddToFilter(source, variables.DriversDisable, filepath.Base(file)) {
			changes = append(changes, shorter.With(refuse))
		}
	}
	return changes
}

// KeptOut returns the existing layers and drivers that the settings file excludes. The decision does not examine them
// and has no findings about them.
func KeptOut(source *machine.Source, answer *plan.Answer) (out []Item) {
	if answer.Settings == nil {
		return nil
	}
	file := filepath.Clean(answer.Settings.File)
	without, err := Decide(RemoveFile(file).On(source))
	if err != nil {
		return nil
	}
	known := selectionOf(answer)
	for _, l := range answer.Layers {
		known[LayerKey(l)] = true
	}
	for _, f := range answer.Diagnostics { // a filter excludes the driver, and a finding says so
		if f.Path != "" && f.Code.Entry().About == diag.Drivers {
			known[ItemKey{Manifest: f.Path}] = true
		}
	}
	why := diag.Diagnostic{Code: diag.SettingsUsed, What: "the settings file " + file + " excludes it"}
	for _, l := range without.Layers {
		if !known[LayerKey(l)] {
			item := layerItem(l, why)
			item.Finding.Subject, item.Statement = l.Name, "SET-45"
			if answer.Settings.Merged() {
				item.Statement = "SET-47"
			}
			out = append(out, item)
		}
	}
	for _, d := range without.Drivers {
		if !known[ItemKey{Manifest: d.Path}] {
			item := driverItem(d, why, answer.Style)
			item.Statement = "SET-87"
			out = append(out, item)
		}
	}
	return out
}

// Brought returns the drivers that a program has beside it and that the decision does not use: the program names them
// itself.
func Brought(source *machine.Source, answer *plan.Answer) (out []Item) {
	for _, file := range source.Brought() {
		with, err := Decide(SetVariable(variables.ICDFilenames.Name(),
			file).With(UnsetVariable(variables.DriverFiles.Name())).On(source))
		if err != nil || len(with.Drivers) != 1 ||
			slices.ContainsFunc(answer.Drivers, func(d *manifest.Driver) bool { return d.Path == file }) {
			continue
		}
		item := driverItem(with.Drivers[0], diag.Diagnostic{Code: diag.DriverDirect,
			What: "the program brings it, and names it itself when it draws with it"}, answer.Style)
		item.Statement = "ENV-7"
		out = append(out, item)
	}
	return out
}

// Names reports whether an element of a list of files and directories names a manifest, or its directory.
func Names(element, file string) bool {
	return filepath.Clean(element) == filepath.Clean(file) ||
		filepath.Clean(element) == filepath.Dir(filepath.Clean(file))
}
