package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
)

// switches are the variables that enable and disable layers.
type switches struct {
	call
	enable, disable, allow filter
	implicit               map[*manifest.Layer]bool // whether an implicit layer is enabled, for layers already logged
}

// read reads the variables.
func (w *switches) read() {
	w.enable = parseFilter(w.f.Variable(variables.LayersEnable).Value, false)
	w.disable = parseFilter(w.f.Variable(variables.LayersDisable).Value, true)
	w.allow = parseFilter(w.f.Variable(variables.LayersAllow).Value, false)
}

// removes reports whether VK_LOADER_LAYERS_DISABLE removes a layer (LAY-114, LAY-118, LAY-123).
func (w *switches) removes(l *manifest.Layer) bool { return w.removesName(l.Name, l.Implicit) }

func (w *switches) removesName(name string, implicit bool) bool {
	return w.disable.disables(name, implicit) && !w.allow.matches(name) && !w.enable.matches(name)
}

// ownVariables reports whether the manifest's variables enable or forbid an implicit layer (LAY-125 to LAY-128).
func (w *switches) ownVariables(l *manifest.Layer) (enabled, forbidden bool) {
	enabled = true
	if l.HasEnable {
		v := w.f.ManifestVariable(l.EnableName)
		enabled = v.Set && v.Value == l.EnableValue
	}
	return enabled, w.f.ManifestVariable(l.DisableName).Set
}

// isEnabled evaluates the rules of LAY-121 to LAY-128 and LAY-115. It logs each layer once.
func (w *switches) isEnabled(l *manifest.Layer) bool {
	if enabled, known := w.implicit[l]; known {
		return enabled
	}
	own, forbidden := w.ownVariables(l)
	forced := !own && w.enable.matches(l.Name)
	enabled := (own || forced) && !forbidden
	switch {
	case forbidden:
	case enabled && w.removes(l):
		enabled = false
		if w.quiet {
			break
		}
		w.say(diag.Warn|diag.Layer, diag.LayerDisabled, l.Name, l.Manifest, "Implicit layer \""+l.Name+
			"\" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.")
	case forced && !w.quiet:
		w.say(diag.Warn|diag.Layer, diag.LayerForced, l.Name, l.Manifest, "Implicit layer \""+l.Name+
			"\" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.")
	}
	w.implicit[l] = enabled
	return enabled
}

// excludes evaluates the disable check for layers that the settings file leaves to the usual rules. It ignores the kind
// of the layer (SET-58, SET-59).
func (w *switches) excludes(name string) bool {
	return (w.disable.all || w.disable.implicit || w.disable.matches(name)) && !w.allow.matches(name)
}
