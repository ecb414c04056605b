package settings

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

// ValidationLayer is the layer whose settings are known also where it is not installed.
const ValidationLayer = layerPrefix + "KHRONOS_validation"

// validationKeys are the settings of the validation layer's releases.
//
//go:embed validation_keys.txt
var validationKeys string

// derivedNames returns the variables of a layer's setting that its name gives, with the vendor, without it, and without
// both.
func derivedNames(layer, key string) []string {
	key = strings.ToUpper(key)
	whole := strings.ToUpper(strings.TrimPrefix(layer, layerPrefix))
	names := []string{"VK_" + whole + "_" + key, layerPrefix + key}
	if _, short, is := strings.Cut(whole, "_"); is {
		names = append(names, "VK_"+short+"_"+key)
	}
	return names
}

// LayersByVariable returns the variables of settings, each with the layer that reads it: of the installed layers, and
// of the validation layer.
func LayersByVariable(m *machine.Machine, layers []*manifest.Layer) map[string]string {
	owners := map[string]string{}
	for _, key := range strings.Fields(validationKeys) {
		for _, name := range derivedNames(ValidationLayer, key) {
			owners[name] = ValidationLayer
		}
	}
	for _, l := range readLayers(m, layers) {
		for _, s := range l.Settings {
			if s.Variable == "" {
				continue
			}
			for _, name := range append(derivedNames(l.Name, s.Key), s.Variable) {
				owners[name] = l.Name
			}
		}
	}
	variables.Each(func(id variables.ID) { delete(owners, id.Name()) })
	delete(owners, LayerPathVariable)
	return owners
}

// readLayers reads the settings of installed layers. A manifest that cannot be read has none.
func readLayers(m *machine.Machine, layers []*manifest.Layer) (list []*Layer) {
	for _, installed := range layers {
		if installed.Meta {
			continue
		}
		if text, err := m.ReadFile(installed.Manifest); err == nil {
			if l, err := ReadLayer(text, installed.Name); err == nil {
				list = append(list, l)
			}
		}
	}
	return list
}

// IsLayerFile reports whether a text is a layer settings file, by its path or its first setting.
func IsLayerFile(file, text string) bool {
	if path.Base(strings.ReplaceAll(file, `\`, "/")) == LayerFileName {
		return true
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			name, _, is := parse(line)
			return is && strings.Contains(name, ".") && !strings.ContainsAny(name, "{\" ")
		}
	}
	return false
}

// CheckLayerFile checks each line of a layer settings file by the manifests of the installed layers. The faults have
// the given code.
func CheckLayerFile(source *machine.Source, text, code string) (faults []validation.Remark, err error) {
	answer, err := explain.Decide(explain.Without(source, variables.LayersEnable, variables.LayersDisable,
		variables.LayersAllow))
	if err != nil {
		return nil, err
	}
	now, err := explain.Decide(source)
	if err != nil {
		return nil, err
	}
	layers := readLayers(&source.Machine, answer.Layers)
	lines := map[string]int{}
	off := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		add := func(severity diag.Severity, do, format string, args ...any) {
			faults = append(faults, validation.Remark{Line: i + 1, Column: 1, Code: code, Severity: severity,
				What: fmt.Sprintf(format, args...), Do: do})
		}
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, is := parse(line)
		prefix, key, dotted := strings.Cut(name, ".")
		if !is || !dotted {
			add(diag.Problem, "Write LAYER.KEY = VALUE, such as khronos_validation.validate_sync = true.",
				"the line is no setting")
			continue
		}
		if before := lines[name]; before > 0 {
			add(diag.Warning, "Remove one of the lines.", "line %d sets %s, too: the last line counts", before, name)
		}
		lines[name] = i + 1
		at := slices.IndexFunc(layers, func(l *Layer) bool { return l.Full("") == prefix+"." })
		if at < 0 {
			severity, what, do := missingLayer(prefix, layers)
			add(severity, do, "%s", what)
			continue
		}
		l := layers[at]
		if explain.ActiveLayer(now, l.Name) == nil && !off[l.Name] {
			off[l.Name] = true
			add(diag.Note, "Start a program with vkloader run --layer "+l.Name+" PROGRAM, or set VK_INSTANCE_LAYERS="+
				l.Name+".", "%s is not on: the setting has no effect unless the program enables the layer", l.Name)
		}
		var wrong error
		if setting := l.Find(key); setting != nil {
			wrong = setting.Check(value)
		} else if len(l.Settings) > 0 {
			wrong = l.Unknown(key)
		}
		if wrong != nil {
			add(diag.Problem, "See vkloader settings layer "+l.Name+".", "%v", wrong)
		}
	}
	return faults, nil
}

// missingLayer returns the fault of a setting whose layer is not installed.
func missingLayer(prefix string, layers []*Layer) (severity diag.Severity, what, do string) {
	prefixes := term.Words(layers, func(l *Layer) string { return strings.TrimSuffix(l.Full(""), ".") })
	validation := strings.TrimSuffix((&Layer{Name: ValidationLayer}).Full(""), ".")
	near := term.NearestName(prefix, append(prefixes, validation))
	switch {
	case prefix == validation:
		return diag.Warning, ValidationLayer + " is not installed", "Install the layer."
	case near != "":
		return diag.Problem, "no layer has the settings " + prefix + "; did you mean " + near + "?", "Correct the name."
	}
	return diag.Warning, "no installed layer has the settings " + prefix, "Install the layer, or remove the line."
}
