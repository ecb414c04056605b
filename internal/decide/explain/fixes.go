package explain

import (
	"path/filepath"
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// Layer returns a layer of a decision by its name and manifest; nil: there is none.
func Layer(answer *plan.Answer, name, file string) *manifest.Layer {
	if at := slices.IndexFunc(answer.Layers, func(l *manifest.Layer) bool { return l.Name == name && l.Manifest == file }); at >= 0 {
		return answer.Layers[at]
	}
	return nil
}

// LeaveOutByOne returns alternative changes of one variable that may leave a driver out.
func LeaveOutByOne(source *machine.Source, file string) []Change {
	changes := append(AddToFilter(source, variables.DriversDisable, filepath.Base(file)),
		DropFromFilter(source, variables.DriversSelect, filepath.Base(file))...)
	for _, v := range []variables.ID{variables.AddDriverFiles, variables.DriverFiles, variables.ICDFilenames} {
		changes = append(changes, DropFromList(source, v, machine.ListSeparator, func(n string) bool { return names(n, file) })...)
	}
	return changes
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

// KeptOut returns the existing layers and drivers that the settings file excludes. The decision does not examine them and has
// no findings about them.
func KeptOut(source *machine.Source, answer *plan.Answer) (out []Item) {
	if answer.Settings == nil {
		return nil
	}
	file := filepath.Clean(answer.Settings.File)
	without, err := Decide(RemoveFile(file).On(source))
	if err != nil {
		return nil
	}
	known := map[ItemKey]bool{}
	for _, l := range answer.Layers {
		known[LayerKey(l)] = true
	}
	for _, d := range answer.Drivers {
		known[ItemKey{Manifest: d.Path}] = true
	}
	for _, f := range answer.Diagnostics { // a filter excludes the driver, and a finding says so
		known[ItemKey{Manifest: f.Path}] = known[ItemKey{Manifest: f.Path}] || f.Path != "" && f.Code.Entry().About == diag.Drivers
	}
	item := Item{Code: diag.SettingsUsed.String(), Why: "the settings file " + file + " excludes it",
		Finding: diag.Diagnostic{Code: diag.SettingsUsed}}
	for _, l := range without.Layers {
		if !known[LayerKey(l)] {
			item.Kind, item.Name, item.Finding.Subject = "layer", l.Name, l.Name
			item.Manifest, item.Library = l.Manifest, l.Library
			item.Line, item.Column, item.Meta, item.Statement = l.Line, l.Column, l.Meta, "SET-45"
			if answer.Settings.Merged() {
				item.Statement = "SET-47"
			}
			out = append(out, item)
		}
	}
	for _, d := range without.Drivers {
		if !known[ItemKey{Manifest: d.Path}] {
			out = append(out, Item{Kind: "driver", Name: filepath.Base(d.Path), Manifest: d.Path, Library: d.Library,
				Code: item.Code, Finding: diag.Diagnostic{Code: diag.SettingsUsed}, Statement: "SET-87", Why: item.Why})
		}
	}
	return out
}

// Brought returns the drivers that a program has beside it and that the decision does not use: the program names them itself.
func Brought(source *machine.Source, answer *plan.Answer) (out []Item) {
	for _, file := range source.Brought() {
		with, err := Decide(SetVariable(variables.ICDFilenames.Name(), file).With(UnsetVariable(variables.DriverFiles.Name())).On(source))
		if err != nil || len(with.Drivers) != 1 || slices.ContainsFunc(answer.Drivers, func(d *manifest.Driver) bool { return d.Path == file }) {
			continue
		}
		out = append(out, Item{Kind: "driver", Name: filepath.Base(file), Manifest: file, Library: with.Drivers[0].Library, Statement: "ENV-7",
			Code: diag.DriverDirect.String(), Finding: diag.Diagnostic{Code: diag.DriverDirect},
			Why: "the program brings it, and names it itself when it draws with it"})
	}
	return out
}

// names reports whether an element of a list of files and directories names a manifest, or its directory.
func names(element, file string) bool {
	return filepath.Clean(element) == filepath.Clean(file) || filepath.Clean(element) == filepath.Dir(filepath.Clean(file))
}
