package survey

import (
	"path/filepath"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// Explanation is the output of "vkloader explain".
type Explanation struct {
	Schema int             `json:"schema"`
	App    string          `json:"app,omitempty"`
	Loader *loaders.Loader `json:"loader,omitempty"` // the program's loader, which the decision imitates; absent: none

	// says that the program is statically linked; it gets no loader, so explain makes no decision
	Static string `json:"static,omitempty"`

	Elevated process.FileRights `json:"elevated,omitempty"` // the reason why the program is elevated
	Unseen   []string           `json:"unseen,omitempty"`   // the set variables that it ignores because of that

	In  []explain.Item `json:"in"`
	Out []explain.Item `json:"out"`

	LayerSettings *settings.ShownLayers `json:"layer_settings,omitempty"` // the settings of the active layers

	// layers whose order depends on readdir
	UnspecifiedOrder []explain.UnspecifiedOrder `json:"unspecified_order,omitempty"`

	Writers []Writer `json:"writers,omitempty"` // the drivers and layers whose libraries contain the asked message

	Wants *Wants `json:"wants,omitempty"` // the program's requirements on a device; absent: unknown

	PID int `json:"pid,omitempty"` // the explained process
	// differences between the loaded files and those that it would load now
	Differs []process.Difference `json:"differs,omitempty"`

	Part bool `json:"-"` // messages name their subject
}

// Wants are the requirements of a well-known program on a device.
type Wants struct {
	Program    string   `json:"program"` // its name and release
	Text       string   `json:"text"`    // the requirements in words
	API        string   `json:"api,omitempty"`
	Extensions []string `json:"extensions,omitempty"` // of the device
	// the limits of each device by its last drivers, and a release within them
	Limits []string `json:"limits,omitempty"`
}

// Writer is a driver or layer whose library contains a message.
type Writer struct {
	Message  string `json:"message"` // the part of the asked text that the library contains
	Kind     string `json:"kind"`    // driver or layer
	Name     string `json:"name"`
	Library  string `json:"library"`
	Harmless bool   `json:"harmless,omitempty"` // the driver has no device here
}

// ActiveLayers returns the names of the active layers from the program down.
func (e *Explanation) ActiveLayers() (names []string) {
	for i := range e.In {
		if e.In[i].Kind == "layer" {
			names = append(names, e.In[i].Name)
		}
	}
	return names
}

// Fixes sets the advice of each item: a change that puts it out, or in, tested with another decision. It prefers a
// change of variables to one of files. Item.Package must be set before. A change of one variable is a line, and every
// other one a sentence.
func Fixes(source *machine.Source, answer *plan.Answer, in, out []explain.Item) {
	t := &trials{explain.NewTrial(source, answer), source, answer}
	for i := range in {
		t.putOut(&in[i])
	}
	for i := range out {
		t.putIn(&out[i])
	}
}

// noVariable is the advice about an item that no variable puts in or out.
const noVariable = "no variable changes this"

// trials finds changes for items.
type trials struct {
	*explain.Trial
	source *machine.Source
	answer *plan.Answer
}

func (t *trials) putOut(e *explain.Item) {
	key := explain.ItemKey{Manifest: e.Manifest}
	var changes []explain.Change
	if e.Kind == "layer" {
		key.Layer = e.Name
		l := explain.Layer(t.answer, e.Name, e.Manifest)
		if l == nil {
			return
		}
		changes = append(explain.LeaveOutLayer(t.source, l),
			explain.DropFromList(t.source, variables.InstanceLayers, machine.ListSeparator,
				func(n string) bool { return n == e.Name })...)
		changes = append(changes, explain.DropFromFilter(t.source, variables.LayersEnable, e.Name)...)
		if l.Implicit && l.HasEnable {
			changes = append(changes, explain.UnsetVariable(l.EnableName))
		}
	} else {
		changes = append(explain.LeaveOutByOne(t.source, e.Manifest),
			explain.NameOtherDrivers(t.source, e.Manifest)...)
	}
	if t.change(e, key, false, changes) || e.Kind != "layer" { // without its file, a driver serves no program
		return
	}
	if machine.Style == pathname.Backslash {
		return // the registry names the file; deleting a file of a driver package does not help
	}
	if c, ok := t.First(key, false, explain.RemoveFile(e.Manifest)); ok && e.Package == "" {
		e.Do, e.Commands = noVariable+term.Either(t.isAllowed(&c), ": ", ". Run as root: ")+string(c.Line()), c.Lines()
	} else if ok {
		e.Do = noVariable + ": uninstall the package " + term.OneLine(e.Package)
	}
}

func (t *trials) putIn(e *explain.Item) {
	key, changes := explain.ItemKey{Manifest: e.Manifest}, []explain.Change{}
	switch e.Finding.Code {
	case diag.LayerInactive, diag.LayerDisabled, diag.LayerBlacklisted:
		key.Layer = e.Finding.Subject
		changes = t.switchOn(e)
	case diag.DriverDisabled:
		changes = append(explain.DropFromFilter(t.source, variables.DriversDisable, filepath.Base(e.Manifest)),
			explain.AddToFilter(t.source, variables.DriversSelect, filepath.Base(e.Manifest))...)
	case diag.DriverNotSelected:
		changes = append(explain.AddToFilter(t.source, variables.DriversSelect, filepath.Base(e.Manifest)),
			explain.UnsetVariable(variables.DriversSelect.Name()))
	case diag.DriverDirect:
		changes = []explain.Change{explain.SetVariable(variables.ICDFilenames.Name(), e.Manifest),
			explain.SetVariable(variables.DriverFiles.Name(), e.Manifest)}
	case diag.SettingsUsed:
		if key.Layer = e.Finding.Subject; key.Layer != "" {
			changes = t.switchOn(e)
		}
	default:
		return
	}
	if !t.change(e, key, true, changes) {
		e.Do = noVariable
	}
}

// isAllowed reports whether the current user may make a change. Of other machines it is unknown.
func (t *trials) isAllowed(c *explain.Change) bool {
	return t.source.Foreign() || c.IsAllowed(&t.source.Machine, machine.Accessible)
}

// switchOn returns alternative changes that may activate a layer; the first one affects this layer alone.
func (t *trials) switchOn(e *explain.Item) (changes []explain.Change) {
	l := explain.Layer(t.answer, e.Finding.Subject, e.Manifest)
	if l != nil && l.Implicit {
		if e.Finding.Cause == diag.DisableVariable {
			changes = append(changes, explain.UnsetVariable(l.DisableName)) // nothing else helps (ENV-58)
		}
		if l.HasEnable {
			changes = append(changes, explain.SetVariable(l.EnableName, l.EnableValue))
		}
	}
	list := e.Finding.Subject
	if before, _ := t.source.Lookup(variables.InstanceLayers.Name()); before != "" {
		list = before + machine.ListSeparator + list
	}
	asked := explain.SetVariable(variables.InstanceLayers.Name(), list)
	if l != nil && !l.Implicit {
		changes = append(changes, asked)
	}
	changes = append(changes, explain.AddToFilter(t.source, variables.LayersEnable, e.Finding.Subject)...)
	changes = append(changes, explain.DropFromList(t.source, variables.LayersDisable, ",", func(entry string) bool {
		return plan.Disables(entry, e.Finding.Subject, l != nil && l.Implicit)
	})...)
	changes = append(changes, explain.AddToFilter(t.source, variables.LayersAllow, e.Finding.Subject)...)
	return append(changes, explain.UnsetVariable(variables.LayersDisable.Name()), asked)
}

// change sets the item's advice to the first change that works. It tries changes of one variable, then the removal of
// the settings file, then changes of two variables. It reports whether one works.
func (t *trials) change(e *explain.Item, key explain.ItemKey, in bool, changes []explain.Change) bool {
	if c, ok := t.First(key, in, changes...); ok {
		e.Change, e.Commands = term.Either(c.Set, c.Assignment(), c.Line()), c.Lines()
		return true
	}
	if t.answer.Settings != nil {
		file := filepath.Clean(t.answer.Settings.File)
		end := explain.RemoveFile(file)
		with := []explain.Change{end}
		for _, c := range changes {
			with = append(with, end.With(c))
		}
		if c, ok := t.First(key, in, with...); ok {
			e.Do, e.Commands = noVariable+
				", because the settings file decides: change it with the program that wrote it, "+
				"usually vkconfig, or "+term.Either(t.isAllowed(&c), "", "run as root: ")+string(c.Line()), c.Lines()
			if explain.SettingsOurs(&t.source.Machine, file) {
				e.Do = noVariable + ", because the settings file decides: vkloader settings clear"
				e.Commands = []shell.Line{"vkloader settings clear"}
				if c.And != nil {
					e.Do, e.Commands = e.Do+string("; "+c.And.Line()), append(e.Commands, c.And.Lines()...)
				}
			}
			return true
		}
	}
	var pairs []explain.Change
	for i, c := range changes {
		for j, other := range changes {
			if i != j && c.Variable != other.Variable && len(pairs) < maxPairs {
				pairs = append(pairs, c.With(other))
			}
		}
	}
	c, ok := t.First(key, in, pairs...)
	if ok {
		e.Do, e.Commands = string("two variables together: "+c.Line()), c.Lines()
	}
	return ok
}

// maxPairs is the number of pairs of changes that are tried for one item.
const maxPairs = 12
