package validation

import (
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/tool/term"
)

// SettingTypes lists the types of a layer's settings.
var SettingTypes = []string{"BOOL", "BOOL_NUMERIC", "INT", "FLOAT", "FRAMES", "STRING", "ENUM", "FLAGS", "LIST",
	"LOAD_FILE", "SAVE_FILE", "LOAD_FOLDER", "SAVE_FOLDER", "GROUP"}

// setting is a setting of a layer while its manifest is checked.
type setting struct {
	at        document.Value
	values    []string // of ENUM and FLAGS
	platforms []string // empty: all
}

// featureChecker checks the features of one layer.
type featureChecker struct {
	*checker
	settings map[string][]setting
}

// features checks the settings of each layer in a manifest, by their schema and by rules that no schema has.
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
		schema := published["features.json"]()
		(&judge{schema, c.violates}).value(schema.top, at, "features")
		f := &featureChecker{checker: c, settings: map[string][]setting{}}
		f.list(at.Member("settings"))
	}
}

func (f *featureChecker) wrong(at document.Value, format string, values ...any) {
	if f.violated++; f.violated <= maxViolations {
		f.at(diag.FileSchema, at, format, values...)
	}
}

func (f *featureChecker) list(v document.Value) {
	for s := v.First(); s.IsObject(); s = s.Next() {
		f.setting(s)
	}
}

func (f *featureChecker) setting(v document.Value) {
	key, named := v.Member("key").Text()
	if !named || key == "" {
		return
	}
	one := setting{at: v, platforms: texts(v.Member("platforms"))}
	for _, other := range f.settings[key] {
		if together(other.platforms, one.platforms) {
			line, _ := other.at.Position()
			f.wrong(v.Member("key"), "%s: another setting has this key, in line %d", key, line)
			break
		}
	}
	for flag := v.Member("flags").First(); flag.IsObject(); flag = flag.Next() {
		value, _ := flag.Member("key").Text()
		if slices.Contains(one.values, value) {
			f.wrong(flag, "%s: the flag %s is listed twice", key, value)
		} else {
			one.values = append(one.values, value)
		}
		f.list(flag.Member("settings"))
	}
	f.settings[key] = append(f.settings[key], one)
	f.choices(v.Member("default"), key, &one)
	f.list(v.Member("settings"))
}

func together(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(p string) bool { return slices.Contains(b, p) })
}

// choices checks the values in the default of an ENUM or FLAGS, or in one of its elements.
func (f *featureChecker) choices(v document.Value, key string, s *setting) {
	for one := v.First(); v.Kind() == document.Array && one.Exists(); one = one.Next() {
		f.choices(one, key, s)
	}
	if text, is := v.Text(); is && len(s.values) > 0 && !slices.Contains(s.values, text) {
		f.wrong(v, "%s: default: %q, expected %s", key, term.OneLine(text), term.Choice(s.values))
	}
}
