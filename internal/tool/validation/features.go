package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/decide/wording"
	"vkloader/internal/tool/term"
)

// SettingTypes lists the types of a layer's settings.
var SettingTypes = []string{"BOOL", "BOOL_NUMERIC", "INT", "FLOAT", "FRAMES", "STRING", "ENUM", "FLAGS", "LIST", "LOAD_FILE", "SAVE_FILE", "LOAD_FOLDER",
	"SAVE_FOLDER", "GROUP"}

// The words of a layer manifest's features.
var (
	platforms   = []string{"WINDOWS", "WINDOWS_X86", "WINDOWS_ARM", "LINUX", "MACOS", "ANDROID", "IOS"}
	statuses    = []string{"STABLE", "BETA", "ALPHA", "DEPRECATED"}
	views       = []string{"STANDARD", "ADVANCED", "HIDDEN"}
	dependences = []string{"ALL", "ANY", "NONE"}
)

// setting is a setting of a layer while its manifest is checked.
type setting struct {
	at        document.Value
	kind      string
	values    []string // of ENUM and FLAGS
	platforms []string // empty: all
	least     float64  // of INT and FLOAT
	most      float64
}

// expectation describes the values of ENUM and FLAGS.
func (s *setting) expectation() string {
	if len(s.values) == 0 {
		return "one of its flags"
	}
	return term.Choice(s.values)
}

// featureChecker checks the features of one layer.
type featureChecker struct {
	*checker
	settings map[string][]setting
	later    []func() // checks that need all settings
}

// features checks the settings and presets of each layer in a manifest.
func (c *checker) features(top document.Value) {
	layers := []document.Value{top.Member("layer")}
	for l := top.Member("layers").First(); l.Exists(); l = l.Next() {
		layers = append(layers, l)
	}
	for _, l := range layers {
		at := l.Member("features")
		if !at.Exists() {
			continue
		}
		f := &featureChecker{checker: c, settings: map[string][]setting{}}
		if !f.is(at, document.Object, "features", "an object") {
			continue
		}
		f.list(at.Member("settings"), "features.settings")
		for _, check := range f.later {
			check()
		}
		f.presets(at.Member("presets"))
	}
}

func (f *featureChecker) wrong(at document.Value, format string, values ...any) {
	if f.violated++; f.violated <= maxViolations {
		f.at(diag.FileSchema, at, format, values...)
	}
}

// is reports whether a value has a kind, and otherwise adds a finding.
func (f *featureChecker) is(v document.Value, kind document.Kind, name, what string) bool {
	if v.Kind() == kind {
		return true
	}
	f.wrong(v, "%s: expected %s", name, what)
	return false
}

func (f *featureChecker) word(v document.Value, name string, list []string) string {
	text, is := v.Text()
	if !v.Exists() {
		return ""
	}
	if !is || !slices.Contains(list, text) {
		hint := ""
		if near := term.NearestName(text, list); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		f.wrong(v, "%s: %q, expected %s%s", name, term.OneLine(text), term.Choice(list), hint)
		return ""
	}
	return text
}

func (f *featureChecker) words(v document.Value, name string, list []string) (words []string) {
	if !v.Exists() || !f.is(v, document.Array, name, "an array") {
		return nil
	}
	for w := v.First(); w.Exists(); w = w.Next() {
		words = append(words, f.word(w, name, list))
	}
	return words
}

func (f *featureChecker) list(v document.Value, name string) {
	if !v.Exists() || !f.is(v, document.Array, name, "an array") {
		return
	}
	for s := v.First(); s.Exists(); s = s.Next() {
		if f.is(s, document.Object, name, "an object for each setting") {
			f.setting(s)
		}
	}
}

func (f *featureChecker) setting(v document.Value) {
	key, named := v.Member("key").Text()
	if !named || key == "" {
		f.wrong(v, "a setting without a key")
		return
	}
	one := setting{at: v, platforms: f.words(v.Member("platforms"), key+": platforms", platforms)}
	if !v.Member("type").Exists() {
		f.wrong(v, "%s: type is missing", key)
	}
	one.kind = f.word(v.Member("type"), key+": type", SettingTypes)
	f.word(v.Member("status"), key+": status", statuses)
	f.word(v.Member("view"), key+": view", views)
	one.values = f.flags(v, key, one.kind)
	for _, other := range f.settings[key] {
		if together(other.platforms, one.platforms) {
			line, _ := other.at.Position()
			f.wrong(v.Member("key"), "%s: another setting has this key, in line %d", key, line)
			break
		}
	}
	one.least, one.most = f.limits(v, key, one.kind)
	for _, name := range []string{"label", "description", "env", "url", "unit", "filter"} {
		if text := v.Member(name); text.Exists() {
			f.is(text, document.String, key+": "+name, "a string")
		}
	}
	f.settings[key] = append(f.settings[key], one)
	if usual := v.Member("default"); usual.Exists() {
		f.value(usual, key+": default", &one)
	} else if one.kind != "GROUP" && one.kind != "" {
		f.wrong(v, "%s: default is missing", key)
	}
	f.dependence(v.Member("dependence"), key)
	f.list(v.Member("settings"), key+": settings")
}

func together(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(p string) bool { return slices.Contains(b, p) })
}

// flags checks the values of ENUM and FLAGS, and returns their keys.
func (f *featureChecker) flags(v document.Value, key, kind string) (values []string) {
	list := v.Member("flags")
	if kind != "ENUM" && kind != "FLAGS" {
		return nil
	}
	if !list.Exists() || list.Kind() == document.Array && list.Count() == 0 {
		f.wrong(v, "%s: %s without flags, which are its values", key, kind)
		return nil
	}
	if !f.is(list, document.Array, key+": flags", "an array") {
		return nil
	}
	for one := list.First(); one.Exists(); one = one.Next() {
		value, named := one.Member("key").Text()
		switch {
		case !named:
			f.wrong(one, "%s: a flag without a key", key)
		case slices.Contains(values, value):
			f.wrong(one, "%s: the flag %s is listed twice", key, value)
		default:
			values = append(values, value)
		}
		f.words(one.Member("platforms"), key+": platforms of "+value, platforms)
		f.word(one.Member("view"), key+": view of "+value, views)
		f.word(one.Member("status"), key+": status of "+value, statuses)
		f.list(one.Member("settings"), key+": settings of "+value)
	}
	return values
}

func (f *featureChecker) limits(v document.Value, key, kind string) (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	limits := v.Member("range")
	if !limits.Exists() || !f.is(limits, document.Object, key+": range", "an object") {
		return least, most
	}
	if kind != "INT" && kind != "FLOAT" && kind != "" {
		f.wrong(limits, "%s: %s has no range; INT and FLOAT have one", key, kind)
	}
	for name, to := range map[string]*float64{"min": &least, "max": &most} {
		if at := limits.Member(name); at.Exists() {
			if number, is := at.Number(); is {
				*to = number
			} else {
				f.wrong(at, "%s: %s of the range: expected a number", key, name)
			}
		}
	}
	if least > most {
		f.wrong(limits, "%s: the range begins at %s and ends at %s", key, wording.Number(least), wording.Number(most))
	}
	return least, most
}

func (f *featureChecker) value(v document.Value, name string, s *setting) {
	number, isNumber := v.Number()
	text, isText := v.Text()
	switch s.kind {
	case "BOOL", "BOOL_NUMERIC":
		if v.Kind() != document.True && v.Kind() != document.False {
			f.wrong(v, "%s: expected true or false", name)
		}
	case "INT":
		if !isNumber || number != math.Trunc(number) {
			f.wrong(v, "%s: expected a whole number", name)
		}
	case "FLOAT":
		if !isNumber {
			f.wrong(v, "%s: expected a number", name)
		}
	case "ENUM":
		if !isText || len(s.values) > 0 && !slices.Contains(s.values, text) {
			f.wrong(v, "%s: %q, expected %s", name, term.OneLine(text), s.expectation())
		}
	case "FLAGS":
		if !f.is(v, document.Array, name, "an array") {
			return
		}
		for one := v.First(); one.Exists(); one = one.Next() {
			if text, is := one.Text(); !is || len(s.values) > 0 && !slices.Contains(s.values, text) {
				f.wrong(one, "%s: %q, expected %s", name, term.OneLine(text), s.expectation())
			}
		}
	case "LIST":
		if !f.is(v, document.Array, name, "an array") {
			return
		}
		for one := v.First(); one.Exists(); one = one.Next() {
			if kind := one.Kind(); kind != document.String && kind != document.Number && kind != document.Object {
				f.wrong(one, "%s: expected a string, a number or an object with a key in the list", name)
			}
		}
	case "GROUP", "":
	default:
		if !isText {
			f.wrong(v, "%s: expected a string", name)
		}
	}
	if isNumber && (s.kind == "INT" || s.kind == "FLOAT") && (number < s.least || number > s.most) {
		f.wrong(v, "%s: %s is outside of its range", name, wording.Number(number))
	}
}

func (f *featureChecker) dependence(v document.Value, key string) {
	if !v.Exists() || !f.is(v, document.Object, key+": dependence", "an object") {
		return
	}
	if !v.Member("mode").Exists() {
		f.wrong(v, "%s: mode of the dependence is missing", key)
	}
	f.word(v.Member("mode"), key+": mode of the dependence", dependences)
	list := v.Member("settings")
	if !list.Exists() || list.Kind() == document.Array && list.Count() == 0 {
		f.wrong(v, "%s: the dependence names no settings", key)
		return
	}
	for one := list.First(); one.Exists(); one = one.Next() {
		if on, _ := one.Member("key").Text(); on == key {
			f.wrong(one, "%s: it depends on itself", key)
		}
	}
	f.later = append(f.later, func() { f.values(list, key+": dependence") })
}

func (f *featureChecker) presets(v document.Value) {
	if !v.Exists() || !f.is(v, document.Array, "features.presets", "an array") {
		return
	}
	seen := map[string]bool{}
	for p := v.First(); p.Exists(); p = p.Next() {
		label, named := p.Member("label").Text()
		switch {
		case !named || label == "":
			f.wrong(p, "a preset without a label")
		case seen[label]:
			f.wrong(p, "the preset %q is listed twice", label)
		}
		seen[label] = true
		name := "preset " + strings.TrimSpace(label)
		f.words(p.Member("platforms"), name+": platforms", platforms)
		f.word(p.Member("status"), name+": status", statuses)
		f.values(p.Member("settings"), name)
	}
}

// values checks a list of settings with values: each setting exists, and its value fits.
func (f *featureChecker) values(v document.Value, name string) {
	if !v.Exists() || !f.is(v, document.Array, name+": settings", "an array") {
		return
	}
	for one := v.First(); one.Exists(); one = one.Next() {
		key, _ := one.Member("key").Text()
		known := f.settings[key]
		switch value := one.Member("value"); {
		case len(known) == 0:
			f.wrong(one, "%s: there is no setting %q", name, term.OneLine(key))
		case !value.Exists():
			f.wrong(one, "%s: %s without a value", name, key)
		default:
			f.value(value, name+": "+key, &known[0])
		}
	}
}
