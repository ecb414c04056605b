package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
)

// settingsState is what a settings file that controls layers adds to the layer list.
type settingsState struct {
	control map[*manifest.Layer]settings.Control // of layers that an entry names; others are auto (SET-49)
	blocked map[string]bool                      // names that the regular part leaves out (SET-47)
	off     map[string]bool                      // names whose first entry is off (SET-56)
}

// settingsFile finds the first settings file that exists (SET-1, SET-7).
func (d *decider) settingsFile() string {
	file := ""
	for _, path := range d.q.Platform.Settings(&d.q.Platform, d.f) {
		if d.f.Exists(path) && file == "" {
			file = path
		}
	}
	return file
}

// readSettings reads the settings file (SET-9, SET-12 to SET-15). The global functions fall back on what they
// remember, vkCreateInstance does not.
func (d *decider) readSettings() {
	var before File
	global := !d.isInstance()
	if global {
		before = d.m.Remembered
	}
	d.saidBySearch(d.rights)
	asked := len(d.f.Needs())
	remembered := d.rememberedSettings(before)
	set, from, outcome := d.loadSettings()
	if len(d.f.Needs()) > asked {
		return
	}
	after := File{}
	switch {
	case outcome == settings.In:
		d.set, after = set, from
		if !global || !set.Same(remembered) {
			d.find(diag.SettingsUsed, set.File, set.File, "in force")
			d.settingsLevel()
			d.log(diag.Info, "Using layer configurations found in loader settings from "+set.File)
			if !d.quiet {
				for _, line := range set.Dump() {
					d.log(diag.Debug, line)
				}
			}
		} else {
			d.settingsLevel()
		}
	case outcome == settings.Kept:
		d.set, after = remembered, before
	}
	d.a.Settings = d.set
	if d.set != nil && (d.isInstance() || d.isExtensions() && !d.namesLayer()) { // saves a round
		for _, path := range d.set.Drivers {
			if search.IsManifestName(path) {
				d.f.File(path)
			}
		}
	}
	d.a.Remember = nil
	if global && after != before {
		d.a.Remember = &after
	}
}

// rememberedSettings reads what an earlier call remembered; it was said then.
func (d *decider) rememberedSettings(file File) *settings.Settings {
	if !file.Set {
		return nil
	}
	r := d.settingsOf(1, file.Path, file.Content)
	if r.fault != nil || r.outcome != settings.In {
		return nil
	}
	return r.set
}

// settingsOf reads a settings file's text, once in a call.
func (d *decider) settingsOf(which int, path, content string) *readSettings {
	for i := range d.m.settings {
		if r := &d.m.settings[i]; r.known && r.path == path && r.content == content {
			return r
		}
	}
	r := &readSettings{path: path, content: content, known: d.f.HasExe()}
	if r.fault = d.m.scratch.Read(content); r.fault == nil {
		r.set, r.outcome, r.lines = settings.Read(&d.m.scratch, path, d.exe)
	}
	if r.known {
		d.m.settings[which] = *r
	}
	return r
}

// listens tells whether one of the settings files that may be in force turns lines on (SET-77).
func (d *decider) listens(path string) bool {
	if path != "" {
		if file, _ := d.f.File(path); file.Status == facts.FileRead {
			if r := d.settingsOf(0, path, file.Content); r.fault == nil && r.set != nil && r.set.HasLevel {
				return true
			}
		}
	}
	set := d.rememberedSettings(d.m.Remembered)
	return set != nil && set.HasLevel
}

// exe is the program's path, as settings files are compared with it.
func (d *decider) exe() facts.Exe {
	e := d.f.Exe()
	e.None = !e.Known && d.q.Platform.Pathless
	return e
}

// settingsLevel marks the place from which the file's level counts (SET-77, SET-78).
func (d *decider) settingsLevel() {
	if d.set.HasLevel {
		d.a.Steps = append(d.a.Steps, Step{Kind: StepLevel, Flags: d.set.Level})
	}
}

func (d *decider) loadSettings() (*settings.Settings, File, settings.Outcome) {
	path := d.settingsFile()
	if path == "" {
		d.say(diag.Info, diag.SettingsNone, "", "", "No valid vk_loader_settings.json file found, no loader settings will be active")
		return nil, File{}, settings.Kept
	}
	file, ok := d.read(path, false)
	if !ok {
		return nil, File{}, settings.Kept
	}
	r := d.settingsOf(0, path, file.Content)
	if r.fault != nil {
		d.fault(path, r.fault)
		return nil, File{}, settings.None
	}
	for i := range r.lines {
		d.line(path, &r.lines[i])
	}
	return r.set, File{path, file.Content, true}, r.outcome
}

// exclusiveSettings tells whether the settings file alone says which layers there are (SET-45).
func (d *decider) exclusiveSettings() bool {
	return d.set != nil && d.set.ControlsLayers && !d.set.Merged()
}

// settingsLayers is the layer list that a settings file controls (SET-41 to SET-52).
func (d *decider) settingsLayers(full bool) []*manifest.Layer {
	s := &settingsState{make(map[*manifest.Layer]settings.Control), make(map[string]bool), make(map[string]bool)}
	d.bySet = s
	seen := make(map[string]bool)    // names that an earlier entry has decided
	library := make(map[string]bool) // name and library of listed layers (SET-44)
	var list []*manifest.Layer
	place := -1 // of the regular layers
	for i := range d.set.Layers {
		e := &d.set.Layers[i]
		switch e.Control {
		case settings.Unordered:
			if place < 0 { // SET-48
				place = len(list)
			}
			continue
		case settings.Off:
			s.blocked[e.Name] = true
			if !seen[e.Name] {
				seen[e.Name], s.off[e.Name] = true, true
			}
			continue
		}
		if !search.IsManifestName(e.Path) {
			continue
		}
		kind := search.ExplicitLayers
		if e.Implicit {
			kind = search.ImplicitLayers
		}
		p, at := d.layerOf(e, kind)
		if p == nil {
			continue
		}
		l := p.layers.Layers[at]
		s.blocked[l.Name], seen[l.Name] = true, true
		key := ""
		if !l.Meta { // a meta-layer has no library that could be the same
			key = l.Name + "\x00" + l.Library
		}
		if s.off[l.Name] || !l.Meta && library[key] { // SET-56
			continue
		}
		if l = d.give(p, at); l == nil {
			d.leaveOut(diag.FileCost, "Layer", e.Name, e.Path)
			continue
		}
		if !l.Meta {
			library[key] = true
		}
		s.control[l] = e.Control
		list = append(list, l)
	}
	if place < 0 { // SET-45
		d.ignored("the layers of "+d.set.File, variables.LayerPath, variables.AddLayerPath, variables.ImplicitLayerPath,
			variables.AddImplicitLayerPath)
		return list
	}
	var kept []*manifest.Layer
	for _, l := range d.regularLayers(full) {
		if !s.blocked[l.Name] {
			kept = append(kept, l)
		}
	}
	out := append(make([]*manifest.Layer, 0, len(list)+len(kept)), list[:place]...)
	return append(append(out, kept...), list[place:]...)
}

// preventedBySettings tells whether the file switches a layer off (SET-56, SET-74).
func (d *decider) preventedBySettings(name string) bool { return d.bySet != nil && d.bySet.off[name] }

// excludes is the disable check for what the file leaves to the usual rules; it does not look at the layer's kind
// (SET-58, SET-59).
func (d *decider) excludes(name string) bool {
	return (d.disable.all || d.disable.implicit || d.disable.matches(name)) && !d.allow.matches(name)
}

// bySettings activates under a settings file that controls layers, in list order (SET-53 to SET-67).
func (a *activator) bySettings() {
	d := a.d
	variable := d.f.Variable(variables.InstanceLayers)
	if variable.Set { // SET-63
		d.say(diag.Warn|diag.Layer, diag.LayerForced, variables.InstanceLayers.Name(), "",
			"env var 'VK_INSTANCE_LAYERS' defined and adding layers: "+variable.Value)
	}
	named := make(map[string]bool)
	for _, name := range d.split(variable.Value) {
		named[name] = true
	}
	a.own = make([]uint32, len(a.list))
	for i, l := range a.list {
		control, entry := d.bySet.control[l]
		if control == settings.On {
			a.own[i] = BySettings
			continue
		}
		if !entry && a.place(l.Name) != i { // LAY-108: of what the search found, the first of a name counts
			continue
		}
		if d.excludes(l.Name) {
			if d.quiet {
				continue
			}
			d.say(diag.Warn|diag.Layer, diag.LayerDisabled, l.Name, l.Manifest, "Layer \""+l.Name+
				"\" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.")
			continue
		}
		switch {
		case d.enable.matches(l.Name):
			a.own[i] = ByEnable
			if !d.quiet {
				d.say(diag.Warn|diag.Layer, diag.LayerForced, l.Name, l.Manifest, "Layer \""+l.Name+
					"\" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.")
			}
		case named[l.Name]:
			a.own[i] = ByVariable
		case a.app[l.Name]:
			a.own[i] = ByApplication
		case l.Implicit && d.implicitEnabled(l) && d.leftToShow(l):
			d.withoutOverlay(l)
		case l.Implicit && d.implicitEnabled(l):
			a.own[i] = ByImplicit
		}
	}
	a.named = make(map[string]bool)
	for i, by := range a.own {
		if by != 0 {
			a.named[a.list[i].Name] = true
		}
	}
	for i, by := range a.own {
		if by != 0 {
			a.addEntry(i, by)
		}
	}
}

// shutOut tells whether a component is left to the usual rules by the settings file, and the disable check takes it out
// (SET-49, SET-58, SET-60).
func (a *activator) shutOut(c *manifest.Layer) bool { return a.own != nil && a.d.excludes(c.Name) }

// recursions says of a meta-layer that stands elsewhere which of those being expanded it leads back to (SET-69).
func (a *activator) recursions(at int) {
	a.looks++
	a.states[at].look = a.looks
	stack := []expanding{{at: at}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		parts := a.list[top.at].Components
		if top.next == len(parts) {
			stack = stack[:len(stack)-1]
			continue
		}
		top.next++
		i := a.place(parts[top.next-1])
		if i < 0 || !a.list[i].Meta || a.states[i].look == a.looks {
			continue
		}
		if a.states[i].inside {
			a.sayRecursion(a.list[i])
			continue
		}
		if !a.d.spend(&a.d.cycles, a.list[i].Walk) { // this says lines, and no more than that
			return
		}
		a.states[i].look = a.looks
		stack = append(stack, expanding{at: i})
	}
}
