package explain

import (
	"path/filepath"
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// Fixes sets the Remedy of each item: a change that puts it out, or in, tested with another decision. It prefers a change of
// variables to one of files. Item.Package must be set before.
func Fixes(source *machine.Source, answer *plan.Answer, in, out []Item) {
	t := &trials{NewTrial(source, answer), source, answer}
	for i := range in {
		t.putOut(&in[i])
	}
	for i := range out {
		t.putIn(&out[i])
	}
}

// trials finds changes for items.
type trials struct {
	*Trial
	source *machine.Source
	answer *plan.Answer
}

// Layer returns a layer of a decision by its name and manifest; nil: there is none.
func Layer(answer *plan.Answer, name, file string) *manifest.Layer {
	if at := slices.IndexFunc(answer.Layers, func(l *manifest.Layer) bool { return l.Name == name && l.Manifest == file }); at >= 0 {
		return answer.Layers[at]
	}
	return nil
}

func (t *trials) putOut(e *Item) {
	key, changes := ItemKey{Manifest: e.Manifest}, []Change{}
	if e.Kind == "layer" {
		key.Layer = e.Name
		l := Layer(t.answer, e.Name, e.Manifest)
		if l == nil {
			return
		}
		if l.Implicit && l.DisableName != "" {
			changes = append(changes, SetVariable(l.DisableName, "1"))
		}
		changes = append(changes, AddToFilter(t.source, variables.LayersDisable, e.Name)...)
		changes = append(changes, DropFromList(t.source, variables.InstanceLayers, machine.ListSeparator, func(n string) bool { return n == e.Name })...)
		changes = append(changes, DropFromFilter(t.source, variables.LayersEnable, e.Name)...)
		if l.Implicit && l.HasEnable {
			changes = append(changes, UnsetVariable(l.EnableName))
		}
	} else {
		changes = leaveOutDriver(t.source, e.Manifest)
	}
	if t.change(e, key, false, changes) {
		return
	}
	if machine.Style == pathname.Backslash {
		return // the registry names the file; deleting a file of a driver package does not help
	}
	if _, ok := t.First(key, false, RemoveFile(e.Manifest)); ok {
		e.Remedy = &Remedy{Means: ByFile, Change: RemoveFile(e.Manifest), Owner: e.Package}
	}
}

// leaveOutDriver returns alternative changes of one variable that may leave a driver out.
func leaveOutDriver(source *machine.Source, file string) []Change {
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
	changes := leaveOutDriver(source, file)
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
	item := Item{Code: diag.SettingsUsed.String(), code: diag.SettingsUsed, Why: keptOut(file)}
	for _, l := range without.Layers {
		if !known[LayerKey(l)] {
			item.Kind, item.Name, item.subject, item.Manifest, item.Library = "layer", l.Name, l.Name, l.Manifest, l.Library
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
				Code: item.Code, code: item.code, Statement: "SET-87", Why: item.Why})
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
			Code: diag.DriverDirect.String(), code: diag.DriverDirect, Why: "the program brings it, and names it itself when it draws with it"})
	}
	return out
}

// names reports whether an element of a list of files and directories names a manifest, or its directory.
func names(element, file string) bool {
	return filepath.Clean(element) == filepath.Clean(file) || filepath.Clean(element) == filepath.Dir(filepath.Clean(file))
}

func (t *trials) putIn(e *Item) {
	key, changes := ItemKey{Manifest: e.Manifest}, []Change{}
	switch e.code {
	case diag.LayerInactive, diag.LayerDisabled, diag.LayerBlacklisted:
		key.Layer = e.subject
		changes = t.switchOn(e)
	case diag.DriverDisabled:
		changes = append(DropFromFilter(t.source, variables.DriversDisable, filepath.Base(e.Manifest)),
			AddToFilter(t.source, variables.DriversSelect, filepath.Base(e.Manifest))...)
	case diag.DriverNotSelected:
		changes = append(AddToFilter(t.source, variables.DriversSelect, filepath.Base(e.Manifest)), UnsetVariable(variables.DriversSelect.Name()))
	case diag.DriverDirect:
		changes = []Change{SetVariable(variables.ICDFilenames.Name(), e.Manifest), SetVariable(variables.DriverFiles.Name(), e.Manifest)}
	case diag.SettingsUsed:
		if key.Layer = e.subject; key.Layer != "" {
			changes = t.switchOn(e)
		}
	default:
		return
	}
	if !t.change(e, key, true, changes) {
		e.Remedy = &Remedy{Means: ByNothing}
	}
}

// switchOn returns alternative changes that may activate a layer; the first one affects this layer alone.
func (t *trials) switchOn(e *Item) (changes []Change) {
	l := Layer(t.answer, e.subject, e.Manifest)
	if l != nil && l.Implicit {
		if e.cause == diag.DisableVariable {
			changes = append(changes, UnsetVariable(l.DisableName)) // nothing else helps (ENV-58)
		}
		if l.HasEnable {
			changes = append(changes, SetVariable(l.EnableName, l.EnableValue))
		}
	}
	list := e.subject
	if before, _ := t.source.Lookup(variables.InstanceLayers.Name()); before != "" {
		list = before + machine.ListSeparator + list
	}
	asked := SetVariable(variables.InstanceLayers.Name(), list)
	if l != nil && !l.Implicit {
		changes = append(changes, asked)
	}
	changes = append(changes, AddToFilter(t.source, variables.LayersEnable, e.subject)...)
	changes = append(changes, DropFromList(t.source, variables.LayersDisable, ",", func(entry string) bool {
		return plan.Disables(entry, e.subject, l != nil && l.Implicit)
	})...)
	changes = append(changes, AddToFilter(t.source, variables.LayersAllow, e.subject)...)
	return append(changes, UnsetVariable(variables.LayersDisable.Name()), asked)
}

// change sets the item's remedy to the first change that works. It tries changes of one variable, then the removal of the
// settings file, then changes of two variables. It reports whether one works.
func (t *trials) change(e *Item, key ItemKey, in bool, changes []Change) bool {
	if c, ok := t.First(key, in, changes...); ok {
		e.Remedy = &Remedy{Means: ByVariable, Change: c}
		return true
	}
	if t.answer.Settings != nil {
		file := filepath.Clean(t.answer.Settings.File)
		end := RemoveFile(file)
		with := []Change{end}
		for _, c := range changes {
			with = append(with, end.With(c))
		}
		if c, ok := t.First(key, in, with...); ok {
			e.Remedy = &Remedy{Means: BySettings, Change: c, Ours: SettingsOurs(&t.source.Machine, file)}
			return true
		}
	}
	var pairs []Change
	for i, c := range changes {
		for j, other := range changes {
			if i != j && c.Variable != other.Variable && len(pairs) < maxPairs {
				pairs = append(pairs, c.With(other))
			}
		}
	}
	c, ok := t.First(key, in, pairs...)
	if ok {
		e.Remedy = &Remedy{Means: ByTwo, Change: c}
	}
	return ok
}

// maxPairs is the number of pairs of changes that are tried for one item.
const maxPairs = 12
