package settings

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
)

const schemaText = "\xef\xbb\xbf" + `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_MAKER_check","features":{"settings":[
{"key":"enables","type":"FLAGS","env":"VK_LAYER_ENABLES","default":["ONE"],"flags":[{"key":"ONE"},{"key":"TWO","platforms":["WINDOWS"]},
 {"key":"VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT","settings":[{"key":"inner","type":"BOOL","default":true}]}]},
{"key":"limit","type":"INT","default":10,"range":{"min":1,"max":20}},
{"key":"scale","type":"FLOAT","default":0.5},
{"key":"mode","type":"ENUM","default":"slow","flags":[{"key":"slow"},{"key":"quick"}]},
{"key":"frames","type":"FRAMES","default":""},
{"key":"elsewhere","type":"BOOL","default":false,"platforms":["WINDOWS","MACOS"]},
{"key":"group","type":"GROUP","settings":[{"key":"grouped","type":"STRING","default":"x"}]}]}}}`

func read(t *testing.T, text string) *Layer {
	t.Helper()
	l, err := ReadLayer([]byte(text), "VK_LAYER_MAKER_check")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Names, types, defaults and variables come from the manifest's settings for this system.
func TestRead(t *testing.T) {
	t.Parallel()
	l := read(t, schemaText)
	var got []string
	for _, s := range l.Settings {
		got = append(got, s.Key+"|"+s.Type+"|"+s.Default+"|"+s.Variable)
	}
	want := []string{"enables|FLAGS|ONE|VK_LAYER_ENABLES", "inner|BOOL|true|", "limit|INT|10|", "scale|FLOAT|0.5|", "mode|ENUM|slow|", "frames|FRAMES||", "grouped|STRING|x|"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	newer := strings.Replace(schemaText, `"features"`, `"instance_extensions":[{"name":"VK_EXT_layer_settings"}],"features"`, 1)
	if s := read(t, newer).Find("limit"); s.Variable != "VK_MAKER_CHECK_LIMIT" {
		t.Errorf("variable %s", s.Variable)
	}
	if l.Full("limit") != "maker_check.limit" {
		t.Error(l.Full("limit"))
	}
	if _, err := ReadLayer([]byte("{"), "x"); err == nil {
		t.Error("no JSON is no error")
	}
}

// A form shows the manifest's data for this system. A preset contains only settings of the layer.
func TestForm(t *testing.T) {
	t.Parallel()
	l := read(t, `{"layer":{"name":"VK_LAYER_MAKER_check","features":{"presets":[
{"label":"Windows","platforms":["WINDOWS"],"settings":[{"key":"sync","value":true}]},
{"label":"Nothing","settings":[{"key":"gone","value":1}]},
{"label":"Quick","description":"d","status":"BETA","settings":[{"key":"gone","value":1},{"key":"areas","value":[]},{"key":"sync","value":true}]}],
"settings":[{"key":"g","type":"GROUP","label":"Checks","settings":[
 {"key":"areas","type":"FLAGS","default":["ONE"],"flags":[{"key":"ONE","label":"First","description":"one","status":"ALPHA","view":"ADVANCED",
  "settings":[{"key":"size","type":"INT","unit":"bytes","default":1,"dependence":{"mode":"ALL","settings":[{"key":"areas","value":["ONE"]},{"key":"sync","value":true}]}}]}]}]},
 {"key":"sync","type":"BOOL","label":"Sync","description":"s","status":"STABLE","view":"HIDDEN","default":false},
 {"key":"out","type":"LOAD_FILE","filter":"*.json","default":""}]}}}`)
	if len(l.Presets) != 1 || l.Presets[0].Label != "Quick" || !slices.Equal(l.Presets[0].Settings, []Wanted{{"areas", ""}, {"sync", "true"}}) {
		t.Errorf("%+v", l.Presets)
	}
	areas, size, sync := l.Find("areas"), l.Find("size"), l.Find("sync")
	if areas.Group != "Checks" || areas.Depth != 0 || !slices.Equal(areas.Choices, []Choice{{"ONE", "First", "one", "ALPHA", "ADVANCED"}}) {
		t.Errorf("%+v", areas)
	}
	if size.Depth != 1 || size.Unit != "bytes" || size.Group != "Checks" || sync.Depth != 0 || sync.Group != "" || sync.Description != "s" || sync.Status != "STABLE" ||
		sync.View != "HIDDEN" || l.Find("out").Filter != "*.json" {
		t.Errorf("%+v %+v", size, sync)
	}
	for _, c := range []struct {
		mode, areas, sync string
		want              bool
	}{
		{"ALL", "ONE", "true", true}, {"ALL", "TWO,ONE", "true", true}, {"ALL", "ONE", "false", false}, {"ALL", "", "true", false},
		{"ANY", "", "true", true}, {"ANY", "", "false", false}, {"NONE", "", "false", true}, {"NONE", "ONE", "false", false},
	} {
		d := Dependence{c.mode, size.Depends.On}
		if got := d.Holds(func(key string) string { return map[string]string{"areas": c.areas, "sync": c.sync}[key] }); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if !sync.Depends.Holds(nil) {
		t.Error("a setting without a dependence has no effect")
	}
}

// A value of another type is rejected, and the error for an unknown name suggests the closest one.
func TestCheck(t *testing.T) {
	t.Parallel()
	l := read(t, schemaText)
	for _, c := range []struct{ key, value, want string }{
		{"inner", "true", ""}, {"inner", "1", "true or false"},
		{"limit", "20", ""}, {"limit", "0x10", ""}, {"limit", "0", "at least 1"}, {"limit", "21", "at most 20"}, {"limit", "many", "whole number"},
		{"scale", "1e3", ""}, {"scale", "NaN", "a number"},
		{"mode", "quick", ""}, {"mode", "quik", "did you mean quick"}, {"mode", "never", "not one of its values: slow, quick"},
		{"enables", "ONE", ""}, {"enables", "ONE,TWO", "TWO is not one of its values"}, {"enables", "", ""},
		{"frames", "0-2,5", ""}, {"frames", "some", "list of frames"},
		{"grouped", "a # b", "or #"}, {"grouped", "a\nb", "line break"},
	} {
		err := l.Find(c.key).Check(c.value)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%q: %v, want %q", c.key, c.value, err, c.want)
		}
	}
	for key, want := range map[string]string{"limt": "did you mean limit?", "nonsense": "see vkloader settings layer"} {
		if err := l.Unknown(key); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// A change keeps every other line. The last setting with a name counts.
func TestFile(t *testing.T) {
	t.Parallel()
	f := &LayerFile{lines: strings.Split("# mine\na.x = 1 # one\nnonsense\na.y=2\na.x =3", "\n")}
	if v, ok := f.Find("a.x"); !ok || v.Value != "3" || v.Line != 5 {
		t.Errorf("%+v", v)
	}
	f.Set("a.x", "4")
	f.Set("a.z", "5")
	if want := "# mine\na.x = 1 # one\nnonsense\na.y=2\na.x = 4\na.z = 5\n"; f.Text() != want {
		t.Errorf("%q", f.Text())
	}
	if f.Unset("a.x"); f.Text() != "# mine\nnonsense\na.y=2\na.z = 5\n" {
		t.Errorf("%q", f.Text())
	}
}

// The places equal those of the validation layer, in its order.
func TestPlaces(t *testing.T) {
	t.Parallel()
	home, named := t.TempDir(), t.TempDir()
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{[]string{"HOME=" + home}, home + "/.local/share/vulkan/settings.d/vk_layer_settings.txt /work/vk_layer_settings.txt"},
		{[]string{"HOME=" + home, "XDG_DATA_HOME=/data"}, "/data/vulkan/settings.d/vk_layer_settings.txt /work/vk_layer_settings.txt"},
		{[]string{"VK_LAYER_SETTINGS_PATH=" + named}, named + "/vk_layer_settings.txt"},
		{[]string{"VK_LAYER_SETTINGS_PATH=" + named + "/none"}, "/work/vk_layer_settings.txt"},
	} {
		var got []string
		for _, place := range LayerPlaces(&machine.Machine{Environ: c.environ}, "/work") {
			got = append(got, place.File)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v", c.environ, got)
		}
	}
}
