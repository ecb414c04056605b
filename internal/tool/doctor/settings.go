package doctor

import (
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	core "vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// settings judges the settings file in force. A file of this tool is no leftover, a file without effect is harmless,
// and a file with missing paths does less than it says.
func (e *exam) settings() {
	s := e.Answer.Settings
	if s == nil {
		return
	}
	file := path.Clean(s.File)
	written, changes := e.written(file), e.settingsChange(file)
	f, err := settings.Read(e.machine, file)
	ours := err == nil && f.Ours
	name, gone := search.BaseName(file), goneOf(e.source, s)
	missing := textf("it names %s, which %s not exist", strings.Join(gone, " and "),
		term.Either(len(gone) == 1, "does", "do"))
	switch {
	case ours && len(gone) > 0:
		e.add(SettingsPath, name, file, missing, shellAdvice("", "vkloader settings clear"))
	case len(gone) > 0:
		e.add(SettingsPath, name, file, missing, nil).offer(byHand, explain.RemoveFile(file))
	}
	if ours {
		e.add(SettingsOwn, name, file, overruling(s, true, changes, f.Expires)+written, nil)
		return
	}
	// Only the user removes a file of another program; --fix does not.
	e.add(LeftoverSettings, name, file, overruling(s, false, changes, time.Time{})+written, nil,
		term.Either(changes, usual, nothing)).
		offer(byHand, explain.RemoveFile(file))
}

// settingsChange reports whether the decision differs without the settings file.
func (e *exam) settingsChange(file string) bool {
	s := e.Answer.Settings
	if s.HasLevel || s.LogFile != "" || s.HasDevices {
		return true
	}
	without, err := explain.Decide(explain.Lacking(e.source, []string{file}))
	return err != nil || !reflect.DeepEqual(outcomeOf(e.Answer), outcomeOf(without))
}

// outcomeOf returns the keys of a decision's drivers, active layers and available layers, in this order.
func outcomeOf(answer *plan.Answer) []explain.ItemKey {
	between := []explain.ItemKey{{}}
	return slices.Concat(term.Words(answer.Drivers,
		func(d *manifest.Driver) explain.ItemKey { return explain.ItemKey{Manifest: d.Path} }), between,
		term.Words(explain.Active(answer), explain.LayerKey), between, term.Words(answer.Layers, explain.LayerKey))
}

// goneOf returns the missing files that the settings name.
func goneOf(source *machine.Source, s *core.Settings) (files []string) {
	if s == nil {
		return nil
	}
	named := slices.Concat(term.Words(s.Layers, func(l core.LayerEntry) string { return l.Path }), s.Drivers)
	for _, file := range named {
		if _, err := source.Stat(file); file != "" && !slices.Contains(files, file) && err != nil && !isDenied(err) {
			files = append(files, file)
		}
	}
	return files
}

// leftovers adds findings for a configurator's override layer and settings file, which affect every program.
func (e *exam) leftovers() {
	seen := map[string]bool{}
	for _, f := range e.Answer.Diagnostics {
		override := f.Subject == manifest.OverrideName
		if f.Path == "" || seen[f.Path] || !override {
			continue
		}
		seen[f.Path] = true
		e.add(LeftoverOverride, f.Subject, f.Path, e.overriding(f.Path), nil).offer(fixing,
			explain.RemoveFile(path.Clean(f.Path)))
	}
	e.settings()
}

// overriding returns the fact about an override layer: its effect on every program, as far as the file can be read.
func (e *exam) overriding(file string) fact {
	written := e.written(file)
	for _, l := range e.Answer.Layers {
		if l.IsOverride() && l.Manifest == file {
			return textf("it is in force, and adds %s", term.Count(len(l.Components), "layer")) +
				sentence(term.Enclosed(": ", strings.Join(l.Components, ", "), "")+
					term.Enclosed("; explicit layers are searched for only in ", strings.Join(l.OverridePaths, ", "),
						"")) + written
		}
	}
	for _, f := range e.Answer.Diagnostics {
		if f.Path == file && (f.Code == diag.MetaInvalid || f.Code == diag.OverrideRejected) {
			return sentence("it is not in force, because it is not valid: "+f.What) + written
		}
	}
	return "it is not in force" + written
}

// written describes the time at which a file was written; "" for a foreign machine, whose files carry the times of
// their copying.
func (h host) written(file string) sentence {
	info, err := h.machine.Stat(file)
	if err != nil || h.machine.Foreign() {
		return ""
	}
	return sentence("; written on " + info.ModTime().Format("2006-01-02"))
}

// settingsPath is the variable that names the file of layers' settings, or its directory.
const settingsPath = settings.LayerPathVariable

// layerSettings adds a finding for each variable that sets a layer's settings while the layer is off, and for a
// settings file that is missing or is for such layers alone. A program may enable the layer itself.
func (e *exam) layerSettings() {
	var owners map[string]string
	for _, pair := range e.source.Environ {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case value == "":
		case name == settingsPath:
			e.settingsFile(value)
		default:
			if owners == nil {
				owners = settings.LayersByVariable(e.machine, e.Answer.Layers)
			}
			if layer := e.settingOf(name, owners); layer != "" && !e.on(layer) {
				e.settingsOff(name, "", layer)
			}
		}
	}
}

// knownLayers returns the layers of this machine and the layers with known packages.
func (e *exam) knownLayers() (names []string) {
	names = explain.LayerNames(e.Answer.Layers)
	for _, name := range tableLayers(true) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// settingOf returns the layer whose setting a variable is, by the layers' manifests or by the name; "" if it is none.
func (e *exam) settingOf(variable string, owners map[string]string) (layer string) {
	if layer = owners[variable]; layer != "" {
		return layer
	}
	for _, name := range e.knownLayers() {
		rest, is := strings.CutPrefix(name, "VK_LAYER_")
		setting, _ := strings.CutPrefix(variable, "VK_"+strings.ToUpper(rest)+"_") // as VK_KHRONOS_VALIDATION_
		if is && setting != "" && setting != variable && len(name) > len(layer) {
			layer = name
		}
	}
	return layer
}

// on reports whether a layer is active in every program.
func (e *exam) on(layer string) bool {
	return explain.ActiveLayer(e.Answer, layer) != nil
}

// settingsFile judges the file that VK_LAYER_SETTINGS_PATH names.
func (e *exam) settingsFile(value string) {
	file := value
	if info, err := e.machine.Stat(file); err == nil && info.IsDir() {
		file = path.Join(file, settings.LayerFileName)
	}
	text, err := e.machine.ReadFile(file)
	switch {
	case err != nil && (isDenied(err) || e.machine.Exists(file)):
		e.add(LayerSettings, settingsPath, "",
			textf("the variable names %s, which cannot be read: %v", file, drivers.Cause(err)),
			newAdvice("Let this user read the file, or name another file."))
		return
	case err != nil:
		e.add(LayerSettings, settingsPath, "", textf("the variable names %s, which does not exist", file),
			nil).offer(fixing, explain.UnsetVariable(settingsPath))
		return
	}
	var off string
	for line := range strings.SplitSeq(string(text), "\n") {
		key, _, is := strings.Cut(strings.TrimSpace(line), "=")
		layer, _, dotted := strings.Cut(strings.TrimSpace(key), ".")
		if !is || !dotted || strings.HasPrefix(key, "#") {
			continue
		}
		known := e.knownLayers()
		at := slices.IndexFunc(known,
			func(name string) bool { return strings.EqualFold(strings.TrimPrefix(name, "VK_LAYER_"), layer) })
		if at < 0 || e.on(known[at]) {
			return // the file is for an active or unknown layer
		}
		off = known[at]
	}
	if off != "" {
		e.settingsOff(settingsPath, file, off)
	}
}

// settingsOff adds a finding for settings of a layer that is off, with the way to turn it on.
func (e *exam) settingsOff(variable, file, layer string) {
	what := textf("it is a setting of %s, which is not on", layer)
	if file != "" {
		what = textf("the settings in %s are for %s, which is not on", file, layer)
	}
	if !slices.ContainsFunc(e.Answer.Layers, func(l *manifest.Layer) bool { return l.Name == layer }) {
		what += ", because it is not installed"
		if do := e.layerPackage(layer); do != nil {
			first := "Install the layer, then enable it with vkloader run --layer " + shell.Quoted(layer) + " PROGRAM"
			e.add(LayerSettings, variable, "", what, newAdvice(string(first)).before(do))
			return
		}
	}
	list := layer
	if before := e.variable(variables.InstanceLayers.Name()); before != "" {
		list = before + machine.ListSeparator + list
	}
	e.add(LayerSettings, variable, "", what, nil).
		offer(fixing, explain.SetVariable(variables.InstanceLayers.Name(), list), explain.UnsetVariable(variable)).
		offer(fixing, explain.AddToFilter(e.source, variables.LayersEnable, layer)...)
}
