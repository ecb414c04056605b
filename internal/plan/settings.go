package plan

import "vkloader/internal/manifest"

// GlobalSettings is what the global functions remember of the settings file (SET-15).
type GlobalSettings struct{}

// settingsLayers is the layer list that a settings file controls.
func (d *decider) settingsLayers(full bool) []*manifest.Layer { return d.regularLayers(full) }

// bySettings activates under a settings file that controls layers.
func (a *activator) bySettings() { a.regular() }
