package manifest

import (
	"strings"
	"testing"
	"time"

	"vkloader/internal/core/document"
)

// otherBits is the word size that the process does not have.
var otherBits = map[string]string{"64": "32", "32": "64"}[goBits]

func read(t *testing.T, text string, implicit bool) *LayerFile {
	t.Helper()
	doc, fault := document.Parse(text)
	if fault != nil {
		t.Fatal(fault, text)
	}
	return ReadLayers(doc, "/d/x.json", implicit, Placed, &System{})
}

// layer returns a file of one layer. In change, a member without a value is removed.
func layer(version string, change map[string]string) string {
	members := []string{"name", `"VK_LAYER_x"`, "type", `"INSTANCE"`, "api_version", `"1.1.2"`, "implementation_version", `"3"`,
		"description", `"d"`, "library_path", `"libx.so"`, "disable_environment", `{"NO":"1"}`}
	var out []string
	for i := 0; i < len(members); i += 2 {
		if v, ok := change[members[i]]; !ok {
			out = append(out, `"`+members[i]+`":`+members[i+1])
		} else if v != "" {
			out = append(out, `"`+members[i]+`":`+v)
		}
		delete(change, members[i])
	}
	for name, v := range change {
		out = append(out, `"`+name+`":`+v)
	}
	return `{"file_format_version":"` + version + `","layer":{` + strings.Join(out, ",") + `}}`
}

// holds: LAY-21 LAY-23 LAY-27 LAY-28 LAY-29 LAY-30 LAY-31 LAY-32 LAY-33 LAY-34 LAY-35 LAY-36 LAY-39 LAY-40 LAY-41 LAY-42 LAY-45 LAY-46 LAY-47 LAY-53 LAY-54 LAY-55 LAY-56 LAY-58 LAY-59 LAY-60 LAY-61 LAY-63 LAY-67 LAY-73 LAY-74 LAY-86 LAY-87 FUZ-026 FUZ-027 FUZ-028 FUZ-030 FUZ-031 FUZ-034
func TestLayers(t *testing.T) {
	type m = map[string]string
	missing := func(field string) string {
		return `Layer located at /d/x.json didn't find required layer value "` + field + `" in manifest JSON file, skipping this layer`
	}
	const multiple = `loader_add_layer_properties: Multiple 'layer' nodes are deprecated starting in file version "1.0.1".  Please use 'layers' : [] array instead in /d/x.json.`
	long := `"` + strings.Repeat("n", 255) + `"`
	for _, c := range []struct {
		text     string
		explicit bool
		layers   int
		line     string
	}{
		{layer("1.2.0", nil), false, 1, "Found manifest file /d/x.json (file version 1.2.0)"},
		{layer("1.0.2", nil), false, 1, "loader_add_layer_properties: /d/x.json has unknown layer manifest file version 1.0.2.  May cause errors."},
		{layer("abc", nil), false, 1, "loader_add_layer_properties: /d/x.json has unknown layer manifest file version 0.0.0.  May cause errors."},
		{`{"file_format_version":1,"layer":{}}`, false, 0, "loader_add_layer_properties: Manifest /d/x.json missing required field file_format_version"},
		{`{"file_format_version":"1.2.0"}`, false, 0, "loader_add_layer_properties: Can not find 'layer' object in manifest JSON file /d/x.json.  Skipping this file."},
		{`{"file_format_version":"1.2.0","layer":7}`, false, 0, missing("name")},
		{`{"file_format_version":"1.2.0","layers":[{},5,{}]}`, false, 0, `loader_add_layer_properties: Array element in "layers" field in manifest JSON file /d/x.json is not an object.  Skipping this file`},
		{`{"file_format_version":"1.0.1","layer":{},"x":1}`, false, 0, multiple},
		{layer("1.2.0", m{"name": ""}), false, 0, missing("name")},
		{layer("1.2.0", m{"name": long}), false, 0, missing("name")},
		{layer("1.2.0", m{"name": `"Odd"`}), false, 1, "Layer name Odd does not conform to naming standard (Policy #LLP_LAYER_3)"},
		{layer("1.2.0", m{"type": `"DEVICE"`}), false, 0, "Device layers are deprecated. Skipping layer VK_LAYER_x"},
		{layer("1.2.0", m{"type": `"device"`}), false, 0, ""},
		{layer("1.2.0", m{"type": `"GLOBAL"`}), false, 1, ""},
		{layer("1.2.0", m{"type": "{}"}), false, 0, missing("type")},
		{layer("1.2.0", m{"api_version": "1.1"}), false, 0, missing("api_version")},
		{layer("1.2.0", m{"api_version": `"2.1.1.0"`}), false, 0, `Layer "VK_LAYER_x" has an 'api_version' field which contains a non-zero variant value of 2.  Skipping Layer.`},
		{layer("1.2.0", m{"implementation_version": "1"}), false, 0, missing("implementation_version")},
		{layer("1.2.0", m{"description": long}), false, 0, missing("description")},
		{layer("1.2.0", m{"component_layers": `[]`}), false, 0, `Layer "VK_LAYER_x" contains meta-layer-specific component_layers, but also defining layer library path.  Both are not compatible, so skipping this layer`},
		{layer("1.2.0", m{"library_path": "5"}), false, 0, `Layer "VK_LAYER_x" is missing both library_path and component_layers fields.  One or the other MUST be defined.  Skipping this layer`},
		{layer("1.2.0", m{"library_path": "", "component_layers": "[7]"}), false, 0, `Layer "VK_LAYER_x" is missing both library_path and component_layers fields.  One or the other MUST be defined.  Skipping this layer`},
		{layer("1.0.1", m{"library_path": "", "component_layers": "null"}), false, 1, `Layer "VK_LAYER_x" contains meta-layer-specific component_layers, but using older JSON file version.`},
		{layer("1.2.0", m{"library_arch": `"` + otherBits + `bit"`}), false, 0, "The library architecture in layer /d/x.json doesn't match the current running architecture, skipping this layer"},
		{layer("1.2.0", m{"library_arch": `"arm"`}), false, 1, ""},
		{layer("1.2.0", m{"disable_environment": ""}), false, 0, `Layer "VK_LAYER_x" doesn't contain required layer object disable_environment in the manifest JSON file, skipping this layer`},
		{layer("1.2.0", m{"disable_environment": "{}"}), false, 0, `Layer "VK_LAYER_x" doesn't contain required child value in object disable_environment in the manifest JSON file, skipping this layer (Policy #LLP_LAYER_9)`},
		{layer("1.2.0", m{"disable_environment": "[\"x\"]"}), true, 1, ""},
		{layer("1.1.1", m{"pre_instance_functions": "{}"}), false, 1, `Found pre_instance_functions section in layer from "/d/x.json". This section is only valid in manifest version 1.1.2 or later. The section will be ignored`},
		{layer("1.2.0", m{"pre_instance_functions": "{}"}), true, 1, `Found pre_instance_functions section in explicit layer from "/d/x.json". This section is only valid in implicit layers. The section will be ignored`},
		{layer("1.2.0", m{"app_keys": "[]"}), false, 1, "Layer VK_LAYER_x contains app_keys, but any app_keys can only be provided by the override meta layer. These will be ignored."},
		{layer("1.2.0", m{"functions": `{"vkGetInstanceProcAddr":"g"}`}), false, 1, `Layer "VK_LAYER_x" using deprecated 'vkGetInstanceProcAddr' tag which was deprecated starting with JSON file version 1.1.0. The new vkNegotiateLoaderLayerInterfaceVersion function is preferred, though for compatibility reasons it may be desirable to continue using the deprecated tag.`},
	} {
		f := read(t, c.text, !c.explicit)
		if len(f.Layers) != c.layers {
			t.Errorf("%d layers in %s", len(f.Layers), c.text)
		}
		found := c.line == ""
		for _, l := range f.Lines {
			found = found || l.Text == c.line && l.Flags != 0
		}
		if !found {
			t.Errorf("%s:\nno %s\nin %v", c.text, c.line, f.Lines)
		}
	}
	if f := read(t, `{"file_format_version":"1.2.0","ICD":{}}`, false); len(f.Lines) != 2 || f.Lines[1].Flags != 0 {
		t.Error(f.Lines)
	}
	if f := read(t, `[]`, false); len(f.Lines) != 1 || f.Lines[0].Flags != 0 {
		t.Error(f.Lines)
	}
}

// holds: LAY-44 LAY-49 LAY-50 LAY-51 LAY-62 LAY-65 LAY-66 LAY-69 LAY-70 LAY-76 LAY-77 LAY-78 LAY-79 LAY-82 LAY-84 FUZ-035 FUZ-039
func TestLayerFields(t *testing.T) {
	l := read(t, layer("1.0.0", map[string]string{"library_path": `"../l.so"`, "enable_environment": `{"E":"v","F":1}`,
		"functions":           `{"vkGetDeviceProcAddr":"d","vkNegotiateLoaderLayerInterfaceVersion":"n","vkGetInstanceProcAddr":3}`,
		"instance_extensions": `[1,{"name":"A","spec_version":"7"},{"name":"A","spec_version":"8"},{"name":"B","spec_version":9},{"name":"VK_QNX_screen_surface"},{"name":"` + strings.Repeat("x", 255) + `"}]`,
		"device_extensions":   `[{"name":"D","entrypoints":["vkX",4,"vkY"]}]`, "blacklisted_layers": `["x"]`}), true).Layers[0]
	if l.Library != "/d/../l.so" || l.API != 1<<22|1<<12|2 || l.Implementation != 3 || l.DisableName != "NO" || !l.HasEnable || l.EnableName != "E" ||
		l.EnableValue != "v" || l.Negotiate != "" || l.GetDevice != "d" || l.GetInstance != "" || len(l.Blacklist) != 0 {
		t.Errorf("%+v", l)
	}
	if len(l.Instance) != 2 || l.Instance[0].Spec != 7 || l.Instance[1].Spec != 0 || len(l.Device) != 1 || strings.Join(l.Device[0].Entrypoints, " ") != "vkX vkY" {
		t.Errorf("%+v %+v", l.Instance, l.Device)
	}
	l = read(t, layer("1.1.0", map[string]string{"enable_environment": `{"E":1}`, "functions": `{"vkNegotiateLoaderLayerInterfaceVersion":"n"}`}), true).Layers[0]
	if l.HasEnable || l.Negotiate != "n" || l.Library != "libx.so" {
		t.Errorf("%+v", l)
	}
	if n := len(read(t, `{"file_format_version":"1.0.0","layer":{},"x":3,"layer":{}}`, true).Lines); n != 4 {
		t.Error(n)
	}
}

// holds: LAY-24 DRV-029 DRV-030 DRV-032 FUZ-036
func TestVersions(t *testing.T) {
	for text, want := range map[string]Version{
		"1": {0, 1, 0, 0}, "abc": {}, "": {}, "1.2.3": {0, 1, 2, 3}, "0.1.3.0": {0, 1, 3, 0}, "1..3": {0, 1, 3, 0}, "1.0.01.1.0.0": {1, 0, 1, 1},
		"0..1-0": {0, 0, 1, 0}, " 4x.5\n6": {0, 4, 5, 6},
	} {
		if got := ParseVersion(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, variant := range map[string]uint32{"1.1.0.0": 1, "1.0.01.1.0.0": 1, "128.0.0": 1, "-1.1.0": 7, "1.340282366920938463463374607431768211458.231": 0} {
		if got := Variant(ParseVersion(text).Packed()); got != variant && !strings.Contains(text, "34028") {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// holds: FUZ-023
func TestLargeFiles(t *testing.T) {
	one := `{"name":"VK_LAYER_x","type":"INSTANCE"},`
	ext := strings.Builder{}
	for i := range 30000 {
		ext.WriteString(`{"name":"VK_` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + `"},`)
	}
	for _, text := range []string{
		`{"file_format_version":"1.2.0","layers":[` + strings.Repeat(one, 25000) + `{}]}`,
		layer("1.2.0", map[string]string{"instance_extensions": "[" + ext.String() + "1]"}),
	} {
		start := time.Now() // this test detects hangs; test/loader/scale measures the growth
		read(t, text, true)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%d bytes took %v", len(text), d)
		}
	}
}

func FuzzManifests(f *testing.F) {
	f.Add(layer("1.2.0", nil), true)
	f.Add(`{"file_format_version":"1.0.0","ICD":{"library_path":"a/b","api_version":"1.1"}}`, false)
	f.Add(`{"file_format_version":"1.0.0","layer":{},"layer":3}`, false)
	f.Fuzz(func(t *testing.T, text string, implicit bool) {
		doc, fault := document.Parse(text)
		if fault != nil {
			return
		}
		for _, l := range ReadLayers(doc, "/x/y.json", implicit, Placed, &System{}).Layers {
			if len(l.Name) > nameLimit || len(l.Description) > nameLimit || l.Meta == (l.Library != "") && l.Meta {
				t.Fatalf("%+v", l)
			}
			for _, e := range append(l.Instance, l.Device...) {
				if len(e.Name) > nameLimit {
					t.Fatal(e.Name)
				}
			}
		}
		ReadDriver(doc, "/x/y.json", &System{})
	})
}
