package manifest

import (
	"fmt"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/decide/reasons"
)

// show writes down lines with their places, flags and codes.
func show(lines []Line) string {
	var out []string
	for _, l := range lines {
		var flags []string
		for _, f := range []struct {
			bit  uint32
			name string
		}{{diag.Error, "error"}, {diag.Warn, "warn"}, {diag.Info, "info"}, {diag.Debug, "debug"}, {diag.Layer, "layer"}, {diag.Driver, "driver"}} {
			if l.Flags&f.bit != 0 {
				flags = append(flags, f.name)
			}
		}
		text := l.Text
		if text == "" {
			f := l.Diagnostic("")
			text = reasons.Of(&f)
		}
		out = append(out, fmt.Sprintf("%d:%d %s %s: %s", l.Line, l.Column, strings.Join(flags, "+"), l.Code, text))
	}
	return strings.Join(out, "\n")
}

// TestEveryLine checks every message about a manifest: its whole text, its place in the file, its log flags, and its code.
//
// holds: LAY-10 LAY-21 LAY-26 LAY-27 LAY-31 LAY-32 LAY-33 LAY-35 LAY-53 LAY-54 LAY-55 LAY-57 LAY-59 LAY-60 LAY-71 LAY-73
// holds: LAY-74 LAY-86 LAY-87 DRV-014 DRV-018 DRV-028
func TestEveryLine(t *testing.T) {
	t.Parallel()
	for _, c := range layerLines {
		got := show(read(t, c.text, c.implicit).Lines)
		if first, rest, _ := strings.Cut(got, "\n"); strings.HasPrefix(first, "0:0 info none: Found manifest file /d/x.json (file version 1.") {
			got = rest
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
	for _, c := range driverLines {
		doc, fault := document.Parse(c.text)
		if fault != nil {
			t.Fatal(fault, c.text)
		}
		got := show(ReadDriver(doc, "/d/x.json", &System{}).Lines)
		if first, rest, _ := strings.Cut(got, "\n"); strings.Contains(first, " driver none: Found ICD manifest file /d/x.json, version 1.0.") {
			got = rest
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// TestLimits checks the limits of manifests, and values at the limits.
//
// holds: LAY-23 LAY-25 LAY-35 LAY-36 LAY-75 LAY-77 LAY-79 LAY-84
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.0.0", "1.0.1", "1.0.2", "1.1.0", "1.1.2", "1.1.3", "1.2.0", "1.2.1", "1.2.2", "1.3.0", "2.0.0", "0.1.2.1", "1.1.2.1"} {
		known := strings.Contains(" 1.0.0 1.0.1 1.1.0 1.1.2 1.2.0 1.2.1 0.1.2.1 ", " "+version+" ")
		if said := strings.Contains(show(read(t, layer(version, nil), false).Lines), "unknown layer manifest file version"); said == known {
			t.Errorf("version %s: said to be unknown: %v", version, said)
		}
	}
	long := strings.Repeat("n", nameLimit)
	f := read(t, layer("1.2.0", map[string]string{"name": `"` + long + `"`, "description": `"` + long + `"`, "instance_extensions": `[{"name":"` + long +
		`"},{"name":"VK_EXT_directfb_surface"},{"name":"VK_QNX_screen_surface"},{"name":"VK_a"},{"name":"VK_b"},{"name":"VK_a"}]`}), false)
	if len(f.Layers) != 1 || f.Layers[0].Name != long || f.Layers[0].Description != long {
		t.Fatalf("a name and a description of %d bytes: %+v", nameLimit, f)
	}
	var names []string
	for _, e := range f.Layers[0].Instance {
		names = append(names, strings.Replace(e.Name, long, "long", 1))
	}
	if got := strings.Join(names, " "); got != "long VK_a VK_b" {
		t.Errorf("extensions: %s", got)
	}
	if f = read(t, layer("1.2.0", map[string]string{"name": `"VK_LAYER_"`}), false); len(f.Layers) != 1 || len(f.Lines) != 1 {
		t.Errorf("a name of nothing but the prefix: %s", show(f.Lines))
	}
	f = read(t, "{\"file_format_version\":\"1.2.0\",\"layers\":[{},\n "+strings.TrimSuffix(strings.SplitN(layer("", nil), `"layer":`, 2)[1], "}")+"]}", false)
	if len(f.Layers) != 1 || f.Layers[0].Line != 2 || f.Layers[0].Column != 2 {
		t.Errorf("%+v", f.Layers)
	}
	pre := read(t, layer("1.2.0", map[string]string{"pre_instance_functions": `{"vkEnumerateInstanceExtensionProperties":"e","vkEnumerateInstanceLayerProperties":"l","vkEnumerateInstanceVersion":"v"}`}), true).Layers[0].Pre
	if pre != [preCount]string{"e", "l", "v"} {
		t.Errorf("functions before the instance: %q", pre)
	}
	for _, c := range []struct {
		name     string
		meta     bool
		implicit bool
		want     bool
	}{{OverrideName, true, true, true}, {OverrideName, true, false, false}, {OverrideName, false, true, false}, {"VK_LAYER_x", true, true, false}} {
		change := map[string]string{"name": `"` + c.name + `"`, "blacklisted_layers": `["a"]`, "app_keys": `["b"]`}
		if c.meta {
			change["library_path"], change["component_layers"] = "", "[]"
		}
		l := read(t, layer("1.2.0", change), c.implicit).Layers[0]
		named := c.name == OverrideName
		if l.IsOverride() != c.want || (len(l.Blacklist) == 1) != named || (len(l.AppKeys) == 1) != named {
			t.Errorf("%+v: %+v", c, l)
		}
	}
}

var layerLines = []struct {
	text     string
	implicit bool
	want     string
}{
	{"\n[]", false,
		`2:1  file-top: the top-level value is not an object`},
	{"\n{}", false,
		`2:1 warn+layer manifest-version: loader_add_layer_properties: Manifest /d/x.json missing required field file_format_version`},
	{"{\"file_format_version\":\n 1}", false,
		`2:2 warn+layer manifest-version: loader_add_layer_properties: Manifest /d/x.json missing required field file_format_version`},
	{` {"file_format_version":"1.2.0"}`, false,
		`1:2 warn+layer layer-structure: loader_add_layer_properties: Can not find 'layer' object in manifest JSON file /d/x.json.  Skipping this file.`},
	{` {"file_format_version":"1.3.0","ICD":1}`, false,
		`1:25 info+layer manifest-version-unknown: loader_add_layer_properties: /d/x.json has unknown layer manifest file version 1.3.0.  May cause errors.
1:2  file-wrong-kind: this is a driver manifest in a place for layer manifests`},
	{"{\"file_format_version\":\"1.0.0\",\"layers\":\n[{\"name\":7},\n 5]}", false,
		`2:1 warn+layer layer-structure: loader_add_layer_properties: 'layers' tag not supported until file version 1.0.1, but /d/x.json is reporting version 1.0.0
2:10 warn layer-field: Layer located at /d/x.json didn't find required layer value "name" in manifest JSON file, skipping this layer
3:2 warn+layer layer-structure: loader_add_layer_properties: Array element in "layers" field in manifest JSON file /d/x.json is not an object.  Skipping this file`},
	{"{\"file_format_version\":\"1.0.1\",\"layer\":{},\n\"layer\":\n{}}", false,
		`3:1 error+layer layer-structure: loader_add_layer_properties: Multiple 'layer' nodes are deprecated starting in file version "1.0.1".  Please use 'layers' : [] array instead in /d/x.json.`},
	{"{\"file_format_version\":\"1.0.0\",\"layer\":{},\n\"x\":\n{\"name\":\"VK_LAYER_\",\"type\":{}}}", false,
		`1:40 warn layer-field: Layer located at /d/x.json didn't find required layer value "name" in manifest JSON file, skipping this layer
3:28 warn layer-field: Layer located at /d/x.json didn't find required layer value "type" in manifest JSON file, skipping this layer`},
	{one("1.2.0", "\"type\":\n\"DEVICE\""), false,
		`2:1 warn+layer layer-type: Device layers are deprecated. Skipping layer VK_LAYER_x`},
	{one("1.2.0", "\"type\":\n\"x\""), false,
		`2:1  layer-type: the layer has the unknown type x`},
	{one("1.2.0", "\"api_version\":\n\"1.1.1.1\""), false,
		`2:1 info+layer layer-variant: Layer "VK_LAYER_x" has an 'api_version' field which contains a non-zero variant value of 1.  Skipping Layer.`},
	{one("1.2.0", "\"api_version\":\n1"), false,
		`2:1 warn layer-field: Layer located at /d/x.json didn't find required layer value "api_version" in manifest JSON file, skipping this layer`},
	{one("1.2.0", "\"implementation_version\":\n1"), false,
		`2:1 warn layer-field: Layer located at /d/x.json didn't find required layer value "implementation_version" in manifest JSON file, skipping this layer`},
	{one("1.2.0", "\"description\":\n1"), false,
		`2:1 warn layer-field: Layer located at /d/x.json didn't find required layer value "description" in manifest JSON file, skipping this layer`},
	{one("1.2.0", "\"library_arch\":\n\""+otherBits+"\""), false,
		`2:1 info layer-architecture: The library architecture in layer /d/x.json doesn't match the current running architecture, skipping this layer`},
	{one("1.2.0", "\"component_layers\":\n[]"), false,
		`2:1 warn layer-field: Layer "VK_LAYER_x" contains meta-layer-specific component_layers, but also defining layer library path.  Both are not compatible, so skipping this layer`},
	{one("1.0.1", "\"library_path\":0,\"override_paths\":\n[],\"component_layers\":\n[]"), false,
		`3:1 warn manifest-version: Layer "VK_LAYER_x" contains meta-layer-specific component_layers, but using older JSON file version.
0:0 info+layer none: Encountered meta-layer "VK_LAYER_x"
2:1 warn manifest-version: Layer "VK_LAYER_x" contains meta-layer-specific override paths, but using older JSON file version.`},
	{one("1.1.0", "\"library_path\":0,\"component_layers\":[\"a\",\n2]"), false,
		`2:1 warn layer-field: Layer "VK_LAYER_x" is missing both library_path and component_layers fields.  One or the other MUST be defined.  Skipping this layer`},
	{one("1.1.0", "\"library_path\":0,\"override_paths\":[],\"component_layers\":[]"), true,
		`0:0 info+layer none: Encountered meta-layer "VK_LAYER_x"`},
	{one("1.1.0", "\"library_path\":0"), false,
		`1:40 warn layer-field: Layer "VK_LAYER_x" is missing both library_path and component_layers fields.  One or the other MUST be defined.  Skipping this layer`},
	{one("1.1.0", "\"app_keys\":\n[]"), false,
		`2:1 warn+layer layer-section: Layer VK_LAYER_x contains app_keys, but any app_keys can only be provided by the override meta layer. These will be ignored.`},
	{one("1.1.0", "\"disable_environment\":\n{\"a\":1}"), true,
		`2:1 warn layer-field: Layer "VK_LAYER_x" doesn't contain required child value in object disable_environment in the manifest JSON file, skipping this layer (Policy #LLP_LAYER_9)`},
	{one("1.1.0", "\"functions\":{\"vkGetInstanceProcAddr\":\n\"g\",\"vkGetDeviceProcAddr\":\n \"h\"}"), false,
		`2:1 info layer-deprecated: Layer "VK_LAYER_x" using deprecated 'vkGetInstanceProcAddr' tag which was deprecated starting with JSON file version 1.1.0. The new vkNegotiateLoaderLayerInterfaceVersion function is preferred, though for compatibility reasons it may be desirable to continue using the deprecated tag.
3:2 info layer-deprecated: Layer "VK_LAYER_x" using deprecated 'vkGetDeviceProcAddr' tag which was deprecated starting with JSON file version 1.1.0. The new vkNegotiateLoaderLayerInterfaceVersion function is preferred, though for compatibility reasons it may be desirable to continue using the deprecated tag.`},
	{one("1.1.1", "\"pre_instance_functions\":\n{}"), false,
		`2:1 error layer-section: Found pre_instance_functions section in layer from "/d/x.json". This section is only valid in manifest version 1.1.2 or later. The section will be ignored`},
	{one("1.1.2", "\"pre_instance_functions\":\n{}"), false,
		`2:1 warn layer-section: Found pre_instance_functions section in explicit layer from "/d/x.json". This section is only valid in implicit layers. The section will be ignored`},
}

var driverLines = []struct{ text, want string }{
	{"\n{}",
		`2:1 warn+driver manifest-version: loader_parse_icd_manifest: ICD JSON /d/x.json does not have a 'file_format_version' field. Skipping ICD JSON.`},
	{"{\"file_format_version\":\n1}",
		`2:1 warn+driver manifest-version: loader_parse_icd_manifest: Failed retrieving ICD JSON /d/x.json 'file_format_version' field. Skipping ICD JSON`},
	{"\n{\"file_format_version\":\"1.0.2\"}",
		`2:24 info+driver manifest-version-unknown: loader_parse_icd_manifest: /d/x.json has unknown icd manifest file version 1.0.2. May cause errors.
2:1 warn+driver driver-field: loader_parse_icd_manifest: Can not find 'ICD' object in ICD JSON file /d/x.json. Skipping ICD JSON`},
	{"\n{\"file_format_version\":\"1.0.1\",\"layer\":1}",
		`2:1  file-wrong-kind: this is a layer manifest in a place for driver manifests`},
	{"\n{\"file_format_version\":\"1.0.1\",\"layers\":1}",
		`2:1  file-wrong-kind: this is a layer manifest in a place for driver manifests`},
	{"{\"file_format_version\":\"1.0.1\",\"ICD\":\n{\"x\":1}}",
		`2:1 warn+driver driver-field: loader_parse_icd_manifest: Failed to find 'library_path' object in ICD JSON file /d/x.json. Skipping ICD JSON.`},
	{"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\n[]}}", // DRV-018: the JSON text is the path
		`2:1 debug+driver none: Searching for ICD drivers named []
1:38 warn+driver driver-field: loader_parse_icd_manifest: ICD JSON /d/x.json does not have an 'api_version' field. Skipping ICD JSON.`},
	{"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\n\"\"}}",
		`2:1 warn+driver driver-field: loader_parse_icd_manifest: ICD JSON /d/x.json 'library_path' field is empty. Skipping ICD JSON.`},
	{"{\"file_format_version\":\"1.0.1\",\"ICD\":\n{\"library_path\":5}}",
		`2:17 debug+driver none: Searching for ICD drivers named 5
2:1 warn+driver driver-field: loader_parse_icd_manifest: ICD JSON /d/x.json does not have an 'api_version' field. Skipping ICD JSON.`},
	{"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"x\",\"api_version\":\n1}}",
		`1:54 debug+driver none: Searching for ICD drivers named x
2:1 warn+driver driver-field: loader_parse_icd_manifest: Failed retrieving ICD JSON /d/x.json 'api_version' field. Skipping ICD JSON.`},
	{"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"x\",\"api_version\":\n\"3.1.0.0\"}}",
		`1:54 debug+driver none: Searching for ICD drivers named x
2:1 info+driver driver-variant: loader_parse_icd_manifest: Driver's ICD JSON /d/x.json 'api_version' field contains a non-zero variant value of 3.  Skipping ICD JSON.`},
	{"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"x\",\"api_version\":\"1.1\",\"library_arch\":\"" + otherBits + "\"}}",
		`1:54 debug+driver none: Searching for ICD drivers named x`},
}

// one returns a file of one layer. The given members come first, so they take precedence.
func one(version, members string) string {
	return `{"file_format_version":"` + version + `","layer":{` + members + `,"name":"VK_LAYER_x","type":"INSTANCE","api_version":"1.1.2",` +
		`"implementation_version":"3","description":"d","library_path":"libx.so","disable_environment":{"NO":"1"}}}`
}
