package doctor

import (
	"path"
	"reflect"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
	"vkloader/internal/tool/ask"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/settingsfile"
)

// settings judges the settings file in force: what this tool has written is no leftover, what changes nothing harms nobody,
// and what names files that are gone does less than it says.
func (e *exam) settings() {
	s := e.plan.Settings
	if s == nil {
		return
	}
	file := path.Clean(s.File)
	written, changes := since(e.written(file)), e.settingsChange(file)
	f, err := settingsfile.Read(e.machine, file)
	ours := err == nil && f.Ours
	if gone := e.gone(s); len(gone) > 0 {
		found := e.found(SettingsPath, search.BaseName(file), file, namesGone(gone), nil)
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
	// What another program has written is told, and is not for --fix to remove.
	found.offer(byHand, explain.RemoveFile(file))
	if !changes {
		found.soften(diag.Note)
	}
}

// settingsChange tells whether programs get anything else with the settings file than without: the decision is made again.
func (e *exam) settingsChange(file string) bool {
	s := e.plan.Settings
	if s.HasLevel || len(s.Devices) > 0 {
		return true
	}
	without, err := ask.Changed(explain.Lacking(e.source, []string{file}))
	return err != nil || !reflect.DeepEqual(outcomeOf(e.plan), outcomeOf(without))
}

// outcomeOf is what programs get by a decision, in order: drivers, layers in use, layers that can be asked for.
func outcomeOf(answer *plan.Answer) []explain.Key {
	var list []explain.Key
	for _, d := range answer.Drivers {
		list = append(list, explain.Key{Manifest: d.Path})
	}
	list = append(list, explain.Key{})
	for _, a := range answer.Active {
		list = append(list, explain.LayerKey(answer.Layers[a.Layer]))
	}
	list = append(list, explain.Key{})
	for _, l := range answer.Layers {
		list = append(list, explain.LayerKey(l))
	}
	return list
}

// gone are the files that the settings name and that are not there.
func (e *exam) gone(s *settings.Settings) (files []string) {
	said := map[string]bool{}
	add := func(file string) {
		if file != "" && !said[file] && !e.source.Exists(file) {
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

// namedBySettings tells whether a file is gone that the settings name: that is said of the settings.
func (e *exam) namedBySettings(file string) bool {
	if e.plan.Settings == nil {
		return false
	}
	if e.bySettings == nil {
		e.bySettings = map[string]bool{}
		for _, gone := range e.gone(e.plan.Settings) {
			e.bySettings[gone] = true
		}
	}
	return e.bySettings[file]
}
