package doctor

import (
	"maps"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// settingsPath is the variable that names the file of layers' settings, or its directory.
const settingsPath = settings.LayerPathVariable

// validationVariables are older setting variables of the validation layer.
var validationVariables = []string{"VK_LAYER_ENABLES", "VK_LAYER_DISABLES"}

// settingsPrefix returns the beginning of a layer's setting variables: VK_KHRONOS_VALIDATION_ of VK_LAYER_KHRONOS_validation.
func settingsPrefix(layer string) string {
	rest, is := strings.CutPrefix(layer, "VK_LAYER_")
	if !is {
		return ""
	}
	return "VK_" + strings.ToUpper(rest) + "_"
}

// layerSettings adds a finding for each variable that sets a layer's settings while the layer is off, and for a settings file that
// is missing or is for such layers alone. A program may enable the layer itself.
func (e *variableExam) layerSettings() {
	for _, pair := range e.source.Environ {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case !strings.HasPrefix(name, "VK_") || value == "":
		case name == settingsPath:
			e.settingsFile(value)
		default:
			if layer := e.settingOf(name); layer != "" && !e.on(layer) {
				e.settingsOff(name, "", layer)
			}
		}
	}
}

// known returns the layers of this machine and the layers with known packages.
func (e *variableExam) known() (names []string) {
	names = explain.LayerNames(e.plan.Layers)
	for _, name := range slices.Concat(slices.Collect(maps.Keys(layerPackages)), kitLayers) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// settingOf returns the layer whose setting a variable is; "" if it is none.
func (e *variableExam) settingOf(variable string) (layer string) {
	if slices.Contains(validationVariables, variable) {
		return validationLayer
	}
	for _, name := range e.known() {
		prefix := settingsPrefix(name)
		if prefix != "" && len(variable) > len(prefix) && strings.HasPrefix(variable, prefix) && len(name) > len(layer) {
			layer = name
		}
	}
	return layer
}

// on reports whether a layer is active in every program.
func (e *variableExam) on(layer string) bool {
	return slices.ContainsFunc(e.plan.Active, func(a plan.Active) bool { return e.plan.Layers[a.Layer].Name == layer })
}

// settingsFile judges the file that VK_LAYER_SETTINGS_PATH names.
func (e *variableExam) settingsFile(value string) {
	file := value
	if info, err := e.machine.Stat(file); err == nil && info.IsDir() {
		file = path.Join(file, settings.LayerFileName)
	}
	text, err := e.machine.ReadFile(file)
	if err != nil {
		e.found(LayerSettings, settingsPath, "", said("it names %s, and there is no such settings file", file), nil).offer(fixing, explain.UnsetVariable(settingsPath))
		return
	}
	var off string
	for line := range strings.SplitSeq(string(text), "\n") {
		key, _, is := strings.Cut(strings.TrimSpace(line), "=")
		layer, _, dotted := strings.Cut(strings.TrimSpace(key), ".")
		if !is || !dotted || strings.HasPrefix(key, "#") {
			continue
		}
		name := ""
		for _, known := range e.known() {
			if strings.EqualFold(strings.TrimPrefix(known, "VK_LAYER_"), layer) {
				name = known
			}
		}
		if name == "" || e.on(name) {
			return // the file is for an active or unknown layer
		}
		off = name
	}
	if off != "" {
		e.settingsOff(settingsPath, file, off)
	}
}

// settingsOff adds a finding for settings of a layer that is off, with the way to turn it on.
func (e *variableExam) settingsOff(variable, file, layer string) {
	what := said("it is a setting of %s, which is not on", layer)
	if file != "" {
		what = said("the settings in %s are for %s, which is not on", file, layer)
	}
	f := e.found(LayerSettings, variable, "", what, nil)
	if !slices.ContainsFunc(e.plan.Layers, func(l *manifest.Layer) bool { return l.Name == layer }) {
		f.fact = what + sentence(", because it is not installed")
		if e.system != nil {
			if do := e.layerPackage(layer); do != nil {
				do.text += ". Then enable it: vkloader run --layer " + term.Quoted(layer) + " PROGRAM"
				f.advice, f.keep = *do, true
				return
			}
		}
	}
	list := layer
	if before := e.variable(variables.InstanceLayers.Name()); before != "" {
		list = before + machine.ListSeparator + list
	}
	f.offer(fixing, explain.SetVariable(variables.InstanceLayers.Name(), list), explain.UnsetVariable(variable))
	f.offer(fixing, explain.AddToFilter(e.source, variables.LayersEnable, layer)...)
}
