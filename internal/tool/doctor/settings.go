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
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// settingsExam examines the settings file and the override layer.
type settingsExam struct {
	record
	plan *plan.Answer
}

// settings judges the settings file in force. A file of this tool is no leftover, a file without effect is harmless, and a
// file with missing paths does less than it says.
func (e *settingsExam) settings() {
	s := e.plan.Settings
	if s == nil {
		return
	}
	file := path.Clean(s.File)
	written, changes := since(e.written(file)), e.settingsChange(file)
	f, err := settings.Read(e.machine, file)
	ours := err == nil && f.Ours
	if gone := goneOf(e.source, s); len(gone) > 0 {
		what := said("it names %s, which does not exist", gone[0])
		if len(gone) > 1 {
			what = said("it names %s, which do not exist", strings.Join(gone, " and "))
		}
		found := e.found(SettingsPath, search.BaseName(file), file, what, nil)
		if ours {
			found.advice = clearSettings
		} else {
			found.offer(byHand, explain.RemoveFile(file))
		}
	}
	if ours {
		e.found(SettingsOwn, search.BaseName(file), file, overruling(s, true, changes, f.Expires)+written, nil)
		return
	}
	found := e.found(LeftoverSettings, search.BaseName(file), file, overruling(s, false, changes, time.Time{})+written, nil)
	// Only the user removes a file of another program; --fix does not.
	found.offer(byHand, explain.RemoveFile(file))
	if !changes {
		found.soften(diag.Note)
	}
}

// settingsChange reports whether the settings file changes the programs' drivers and layers. It repeats the decision without
// the file.
func (e *settingsExam) settingsChange(file string) bool {
	s := e.plan.Settings
	if s.HasLevel || s.LogFile != "" || s.HasDevices {
		return true
	}
	without, err := decide.Changed(explain.Lacking(e.source, []string{file}))
	return err != nil || !reflect.DeepEqual(outcomeOf(e.plan), outcomeOf(without))
}

// outcomeOf returns the keys of a decision's drivers, active layers and available layers, in this order.
func outcomeOf(answer *plan.Answer) []explain.Key {
	between := []explain.Key{{}}
	return slices.Concat(term.Words(answer.Drivers, func(d *manifest.Driver) explain.Key { return explain.Key{Manifest: d.Path} }), between,
		term.Words(answer.Active, func(a plan.Active) explain.Key { return explain.LayerKey(answer.Layers[a.Layer]) }), between,
		term.Words(answer.Layers, explain.LayerKey))
}

// goneOf returns the missing files that the settings name.
func goneOf(source *machine.Source, s *core.Settings) (files []string) {
	said := map[string]bool{}
	add := func(file string) {
		if file != "" && !said[file] && !source.Exists(file) {
			said[file] = true
			files = append(files, file)
		}
	}
	for i := range s.Layers {
		add(s.Layers[i].Path)
	}
	for i := range s.Drivers {
		add(s.Drivers[i])
	}
	return files
}

// namedBySettings reports whether the settings name a missing file. The finding about the settings covers it.
func (e *exam) namedBySettings(file string) bool {
	if e.plan.Settings == nil {
		return false
	}
	if e.bySettings == nil {
		e.bySettings = map[string]bool{}
		for _, gone := range goneOf(e.source, e.plan.Settings) {
			e.bySettings[gone] = true
		}
	}
	return e.bySettings[file]
}

// outdated is the fact that rules about the layer order no longer match the settings file.
const outdated = "layers or settings have changed since these rules about the order of layers were applied: %s"

// order adds a finding for layer order rules that must be applied again.
func (e *settingsExam) order() {
	if e.plan.Settings == nil {
		return
	}
	found, err := settings.Look(e.source)
	if err != nil || found.InForce() == nil || path.Clean(e.plan.Settings.File) != path.Clean(found.InForce().Path) {
		return
	}
	rules, err := settings.ListRules(found)
	if err != nil {
		return
	}
	var stale []string
	for _, r := range rules {
		if r.State == settings.RuleStale {
			stale = append(stale, r.Upper+" before "+r.Lower)
		}
	}
	if len(stale) > 0 {
		file := found.InForce().Path
		e.found(OrderStale, search.BaseName(file), file, said(outdated, strings.Join(stale, ", ")), typed("", "vkloader settings order apply"))
	}
}

// leftovers adds findings for the override layer and the settings file of a configurator, which affect every program until
// the user removes them. It reports both working and damaged files.
func (e *settingsExam) leftovers() {
	seen := map[string]bool{}
	for _, f := range e.plan.Findings {
		override := f.Subject == manifest.OverrideName
		if f.Path == "" || seen[f.Path] || !override {
			continue
		}
		seen[f.Path] = true
		e.found(LeftoverOverride, f.Subject, f.Path, e.overriding(f.Path), nil).offer(fixing, explain.RemoveFile(path.Clean(f.Path)))
	}
	e.settings()
	e.order()
}

// overriding returns the fact about an override layer: its effect on every program, as far as the file can be read.
func (e *settingsExam) overriding(file string) fact {
	written := since(e.written(file))
	for _, l := range e.plan.Layers {
		if l.IsOverride() && l.Manifest == file {
			return overriding(l.Components, l.OverridePaths) + written
		}
	}
	for _, f := range e.plan.Findings {
		if f.Path == file && (f.Code == diag.MetaInvalid || f.Code == diag.OverrideRejected) {
			return sentence("it is not in force, because it is not valid: "+f.What) + written
		}
	}
	return "it is not in force" + written
}

// written returns a file's modification time; zero for a foreign machine, whose files carry the times of their copying.
func (h host) written(file string) time.Time {
	info, err := h.machine.Stat(file)
	if err != nil || h.machine.Foreign() {
		return time.Time{}
	}
	return info.ModTime()
}
