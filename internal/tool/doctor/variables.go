package doctor

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// maxEntries is the maximum number of wrong entries of one variable that are taken out one by one.
const maxEntries = 4

// variables adds findings for variables that name missing files, or contradict each other.
func (e *exam) variables() {
	count := map[string]int{}
	all := environment.Check(e.source, e.Answer)
	for _, f := range all {
		if f.BareWord() {
			continue
		}
		w := wish{what: misled{Problem: f}, do: entryOf(f.Code)}
		if f.Kind == environment.NoAccess {
			w.what.closed = e.closedPart(path.Clean(f.Place))
		}
		switch count[f.Variable]++; {
		case e.steamSets(f.Variable):
			w.do = advice("steam-sets")
		case count[f.Variable] > maxEntries:
			w.changes = []explain.Change{explain.UnsetVariable(f.Variable)}
		default:
			e.wish(&w, &f, all)
			w.changes = append(w.changes, e.choice(&f)...)
		}
		if f.Kind == environment.NoFile && count[f.Variable+"\x00"] == 0 {
			count[f.Variable+"\x00"]++ // the first missing file
			w.what.further = -1
			for _, o := range all {
				if o.Kind == f.Kind && o.Variable == f.Variable && o.Severity == f.Severity && !o.BareWord() {
					w.what.further++
				}
			}
		}
		found := e.addDiagnostic(&diag.Diagnostic{Code: f.Code, Subject: f.Variable}, f.Severity, w.what, w.do)
		if !w.keep {
			found.offer(fixing, w.changes...)
		}
	}
}

// choice returns further changes for a finding about a variable that chooses drivers. Several variables may each
// exclude every driver, so the changes unset two of them, and all of them.
func (e *exam) choice(f *environment.Problem) (changes []explain.Change) {
	if !slices.ContainsFunc(choosers, func(v variables.ID) bool { return v.Name() == f.Variable }) {
		return nil
	}
	all := explain.UnsetVariable(f.Variable)
	for _, v := range choosers {
		if v.Name() != f.Variable && e.source.Var(v.Name(), v.Secure()).Value != "" {
			changes = append(changes, explain.UnsetVariable(f.Variable).With(explain.UnsetVariable(v.Name())))
			all = explain.UnsetVariable(v.Name()).With(all)
		}
	}
	return append(changes, term.Either(len(changes) > 1, []explain.Change{all}, nil)...)
}

// meantDrivers returns the pattern for the manifests that a selection without a match means by a part of their names.
func (e *exam) meantDrivers(f *environment.Problem) string {
	value := path.Base(e.variable(f.Variable))
	if f.Code != diag.VariableAllOut || f.Variable != variables.DriversSelect.Name() || len(value) < 3 ||
		strings.ContainsAny(value, "*,~") {
		return ""
	}
	for _, place := range icdPlaces {
		has := func(file string) bool { return strings.Contains(path.Base(file), value) }
		if slices.ContainsFunc(e.manifestsIn(place), has) {
			return "*" + value + "*"
		}
	}
	return ""
}

// unsetting offers to unset a variable that causes a finding. It excludes variables that Steam's runtime sets: without
// them, its programs do not find the host's drivers.
func (e *exam) unsetting(f *Finding, name string) {
	if !e.steamSets(name) {
		f.offer(fixing, explain.UnsetVariable(name))
	}
}

// orSteam returns advice about a variable, or that Steam's runtime sets it.
func (e *exam) orSteam(name string, do *Remedy) *Remedy {
	return term.Either(name != "" && e.steamSets(name), advice("steam-sets"), do)
}

// steamSets reports whether Steam's runtime sets a variable to the host's drivers or layers.
func (e *exam) steamSets(name string) bool {
	return e.kind("steam") != "" && strings.Contains(e.variable(name), "/pressure-vessel/")
}

// isNamedFile reports whether a variable names a file, or the settings name a missing one, which has another finding.
func (e *exam) isNamedFile(file string) bool {
	if e.named == nil {
		e.named = map[string]bool{}
		variables.Each(func(id variables.ID) {
			for place := range strings.SplitSeq(e.source.Var(id.Name(), id.Secure()).Value, ":") {
				e.named[place] = true
			}
		})
		for _, gone := range goneOf(e.source, e.Answer.Settings) {
			e.named[gone] = true
		}
	}
	return e.named[file]
}

// Variables returns the findings about variables, each with a change that removes it. It reads few files.
func Variables(source *machine.Source, answer *plan.Answer) []Finding {
	look := func(source *machine.Source, answer *plan.Answer) *exam {
		r := &Report{source: source, Answer: answer, GPUs: devicesOf(&source.Machine)}
		e := examOf(r, source)
		e.variables()
		e.selections()
		e.values()
		return e
	}
	e := look(source, answer)
	e.examineAfter = func(c *effect) ([]Finding, func(*Finding) bool, bool) {
		changed, _, possible := c.on(source, Options{})
		if !possible {
			return nil, nil, false
		}
		answer, err := explain.Decide(changed)
		if err != nil {
			return nil, nil, false
		}
		return look(changed, answer).Findings, nil, true
	}
	(&engine{report: e.Report, word: e.place}).tryFixes(e.Findings)
	return e.finish().Findings
}

// selections compares the device selection variables of the loader and of Mesa's layer, and those that enable a layer,
// with the devices.
func (e *exam) selections() {
	for _, l := range e.Answer.Layers {
		if l.EnableName == "" || e.variable(l.EnableName) == "" {
			continue
		}
		if of := e.standings().Standing(explain.ItemKey{Layer: l.Name, Manifest: l.Manifest}); of.Harmless &&
			of.Fault != LibraryForeign.String() {
			e.add(VariableDevice, l.EnableName, "",
				textf("it asks for %s, which is for devices that this machine does not have", l.Name), nil).
				offer(fixing, explain.UnsetVariable(l.EnableName))
		}
	}
	e.selection(variables.DeviceSelect.Name(), e.variable(variables.DeviceSelect.Name()))
	e.unreadOptimus()
	for _, name := range []string{drivers.MesaSelect, drivers.MesaPrime} {
		wish := drivers.ReadMesa(name, e.variable(name))
		switch {
		case wish.Does() != "" && e.ignoresChoice(drivers.MesaLayer):
			e.unreadChoice(name, drivers.MesaLayer, name == drivers.MesaPrime)
		case wish.Pair:
			e.selection(name, strings.TrimSuffix(wish.Value, "!"))
		case wish.PCI != "":
			known := contains(e.GPUs, func(g *GPU) bool { _, ok := drivers.PCIAddress(g.Name); return ok })
			if known && !contains(e.GPUs, func(g *GPU) bool { return g.Name == wish.PCI }) {
				e.absentDevice(name, "at "+wish.PCI, func(g *GPU) string { return drivers.MesaAddress(g.Name) })
			}
		case wish.Number > 0:
			count := len(slices.DeleteFunc(slices.Clone(e.GPUs), func(g GPU) bool { return g.displayOnly() }))
			if count > 0 && wish.Number >= count {
				e.add(VariableDevice, name, "",
					textf("it selects device %d after the default one, and this machine has %s", wish.Number,
						term.Count(count, "device")), nil).offer(fixing, explain.UnsetVariable(name))
			}
		}
	}
}

// ignoresChoice reports whether programs get several devices, and a layer that chooses one of them is not on.
func (e *exam) ignoresChoice(layer string) bool {
	count := 0
	for g := range each(e.GPUs) {
		if !g.displayOnly() && slices.ContainsFunc(e.Answer.Drivers,
			func(d *manifest.Driver) bool { return drivers.Of(d.Library).MayServe(g.Kernel, g.Vendor) }) {
			count++
		}
	}
	return count > 1 && !e.on(layer)
}

// unreadOptimus adds a finding for a variable that asks for NVIDIA's device, if NVIDIA's layer is not on.
func (e *exam) unreadOptimus() {
	name := drivers.OptimusOffload
	if e.variable(drivers.OptimusFilter) == "NVIDIA_only" {
		name = drivers.OptimusFilter
	}
	at := slices.IndexFunc(e.Answer.Drivers,
		func(d *manifest.Driver) bool { return drivers.Of(d.Library).Is(drivers.NVIDIA) })
	has := contains(e.GPUs, func(g *GPU) bool { return g.Kernel == "nvidia" })
	if value := e.variable(name); value == "" || value == "0" || at < 0 || !has ||
		!e.ignoresChoice(drivers.OptimusLayer) {
		return
	}
	files := variables.DriverFiles
	if l := e.source.Loader; l != nil && !l.Obeys(files.Name()) {
		files = variables.ICDFilenames
	}
	e.unreadChoice(name, drivers.OptimusLayer, name == drivers.OptimusOffload).
		offer(forDevice, explain.SetVariable(files.Name(), e.Answer.Drivers[at].Path))
}

// unreadChoice adds a finding for a variable that chooses a device through a layer that is not on. If OpenGL reads the
// variable, too, and the loader sorts the devices, the choice may need no layer.
func (e *exam) unreadChoice(name, layer string, forOpenGL bool) *Finding {
	sorts := e.source.Loader == nil || e.source.Loader.Reads(variables.DeviceSelect.Name())
	return e.add(VariableDevice, name, "", textf("Vulkan programs read it with %s, which is not on", layer),
		newAdvice("For a program that needs the device: vkloader run --device DEVICE PROGRAM"),
		term.Either(sorts && forOpenGL, nothing, usual))
}

// selection compares VENDOR:DEVICE, two hexadecimal numbers, with the devices.
func (e *exam) selection(name, value string) {
	vendor, device, ok := drivers.PCIPair(value)
	known := contains(e.GPUs, func(g *GPU) bool { return g.Vendor != "" })
	if ok && known && !contains(e.GPUs, func(g *GPU) bool {
		return drivers.PCINumber(g.Vendor) == vendor && drivers.PCINumber(g.Device) == device
	}) {
		e.absentDevice(name, value, func(g *GPU) string { return strings.ReplaceAll(g.Vendor+":"+g.Device, "0x", "") })
	}
}

// absentDevice adds a finding for a selection without a device, with the values that select one. write returns the
// value for a device.
func (e *exam) absentDevice(name, wanted string, write func(*GPU) string) {
	var values []string
	for g := range each(e.GPUs) {
		if value := write(g); value != "" && g.Vendor != "" && !g.displayOnly() {
			values = append(values, value+" is "+g.Title())
		}
	}
	what := textf("this machine has no device %s%s", wanted, term.Enclosed("; ", strings.Join(values, ", "), ""))
	e.add(VariableDevice, name, "", what, nil).offer(fixing, explain.UnsetVariable(name))
}

// values adds findings for variables without effect, or with an unexpected effect.
func (e *exam) values() {
	rows := environment.All(e.Answer, e.source, e.source.Environ, e.source.Elevated)
	known := slices.DeleteFunc(slices.Clone(rows),
		func(v environment.Variable) bool { return v.State == environment.Unknown })
	names := term.Words(known, func(v environment.Variable) string { return v.Name })
	for _, v := range rows {
		switch v.State {
		case environment.Faulty:
			f := e.add(VariableValue, v.Name, "", sentence(v.Why), e.orSteam(v.Name, nil))
			if better := environment.Corrected(v.Name, v.Value); better != v.Value {
				f.offer(fixing, explain.SetVariable(v.Name, better))
			}
			e.unsetting(f, v.Name)
		case environment.Unknown:
			f := e.add(VariableUnknown, v.Name, "", sentence(v.Why), nil)
			name := term.NearestName(v.Name, names)
			if name == "" && strings.Contains(v.Name, "ICD") && strings.HasSuffix(v.Value, ".json") {
				name = variables.ICDFilenames.Name()
			}
			if name != "" {
				f.offer(otherName, explain.SetVariable(name, v.Value).With(explain.UnsetVariable(v.Name)))
				continue
			}
			f.offer(fixing, explain.UnsetVariable(v.Name))
		}
	}
}

// elevation adds a finding for an elevated program and the variables that it ignores.
func (e *exam) elevation() {
	if !e.source.Elevated {
		return
	}
	rights := process.FileRights("")
	if e.source.Program != "" {
		rights = process.RightsOf(e.machine, e.source.Program)
	}
	set, lost := Unseen(e.source), lostNames(gets(e.Answer), e.source)
	if len(set) == 0 && len(lost) > 0 {
		set = e.losing()
	}
	switch {
	case len(set) > 0:
		var does []string // places that programs of every user search
		for pair := range slices.Chunk(nameLists()["elevated"], 2) {
			names := strings.Fields(pair[0])
			if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(set, name) }) {
				does = append(does, pair[1])
			}
		}
		what := term.Either(rights == "", "the program does not see",
			"the program runs with more rights than its user ("+string(rights)+"): it does not see")
		e.add(ElevatedIgnores, strings.Join(set, ", "), "", textf("%s %s that %s set%s", what,
			term.Count(len(set), "variable"), term.Either(len(set) == 1, "is", "are"),
			term.Enclosed("; it does not get ", strings.Join(lost, ", "), "")),
			newAdvice(cmp.Or(strings.Join(does, " "), ElevatedIgnores.Entry().Do)))
	case rights != "":
		e.add(ElevatedProgram, e.source.Program, "",
			textf("it runs with more rights than its user (%s): it ignores most variables and the home directory",
				rights), nil)
	}
}

// Unseen returns the set variables of loaders that an elevated program ignores.
func Unseen(source *machine.Source) (set []string) {
	variables.Each(func(id variables.ID) {
		if _, is := source.Lookup(id.Name()); is && id.Secure() && strings.HasPrefix(id.Name(), "VK_") {
			set = append(set, id.Name())
		}
	})
	return set
}

// lostNames returns the drivers and layers that a program would get in addition to has if it were not elevated.
func lostNames(has map[string]bool, source *machine.Source) (names []string) {
	plain := *source
	plain.Elevated = false
	answer, err := explain.Decide(&plain)
	if err != nil {
		return nil
	}
	for name := range gets(answer) {
		if !has[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// gets returns the names of a decision's drivers and layers.
func gets(answer *plan.Answer) map[string]bool {
	names := map[string]bool{}
	for _, d := range answer.Drivers {
		names[machine.Style.Base(d.Path)] = true
	}
	for _, l := range explain.Active(answer) {
		names[l.Name] = true
	}
	return names
}

// losing returns the directory variables that give an elevated program fewer drivers and layers.
func (e *exam) losing() (set []string) {
	has := gets(e.Answer)
	all := len(lostNames(has, e.source))
	for _, id := range []variables.ID{variables.DataHome, variables.ConfigHome, variables.DataDirs,
		variables.ConfigDirs, variables.Home} {
		if _, is := e.machine.Lookup(id.Name()); is &&
			len(lostNames(has, explain.UnsetVariable(id.Name()).On(e.source))) < all {
			set = append(set, id.Name())
		}
	}
	return set
}
