package ui

import (
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
)

// unread returns why the page cannot switch layers for programs with a loader: the loader reads no settings file. It returns ""
// if the loader may read one.
func unread(l *loaders.Loader) string {
	if l == nil || l.Has(loaders.SettingsFile) != loaders.No {
		return ""
	}
	return "Programs get " + l.Title() + ", which reads no settings file. For this loader the page cannot switch or order layers; use the " +
		"variables beside each layer."
}

// way returns the shell line that switches a layer on or off for programs with a loader that reads no settings file; "" if the
// loader obeys no variable for it.
func way(l *loaders.Loader, layer string, in bool) string {
	list := []variables.ID{variables.LayersEnable, variables.InstanceLayers}
	if in {
		list = []variables.ID{variables.LayersDisable}
	}
	for _, v := range list {
		if l.Obeys(v.Name()) {
			return explain.SetVariable(v.Name(), layer).Line()
		}
	}
	return ""
}
