package explain

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/machine"
)

// pathLists are the variables that name files and directories in which drivers and layers are looked for.
var pathLists = []variables.ID{variables.DriverFiles, variables.ICDFilenames, variables.AddDriverFiles, variables.LayerPath,
	variables.AddLayerPath, variables.ImplicitLayerPath, variables.AddImplicitLayerPath}

// TryRows says of what a variable has put in or out, or names in vain, how to end that: a change after which the decision,
// made again, says otherwise. Without one it says nothing.
func (k Kind) TryRows(source *machine.Source, answer *plan.Answer, rows []Row) {
	t := NewTrial(source, answer)
	for i := range rows {
		r := &rows[i]
		key := Key{Manifest: r.Path}
		if k.One == Layers.One {
			key.Layer = r.Subject
		}
		var c Change
		v, ok := SwitchOf(r.Code)
		switch {
		case ok && r.Path != "":
			c, ok = t.First(key, v != variables.LayersEnable, DropFromFilter(source, v, r.Subject)...)
		case r.Severity != diag.Note:
			c, ok = t.Ending(Fault{Code: r.Code, Subject: r.Subject, Path: r.Path}, r.unnaming(source)...)
		}
		if ok {
			r.Do, r.Commands = c.Line(), c.Lines()
		}
	}
}

// unnaming are changes after which no variable names what a row is about.
func (r *Row) unnaming(source *machine.Source) (changes []Change) {
	switch {
	case r.Code == diag.LayerMissing:
		changes = DropFromList(source, variables.InstanceLayers, machine.ListSeparator, func(name string) bool { return name == r.Subject })
	case r.Path != "":
		for _, v := range pathLists {
			changes = append(changes, DropFromList(source, v, machine.ListSeparator, func(file string) bool { return file == r.Path })...)
		}
	}
	return changes
}
