package validation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	schemas "vkloader/docs/schema"
	"vkloader/internal/core/document"
	"vkloader/internal/tool/validation"
)

// seeds are valid documents for each published schema. Together they contain every described member.
var seeds = map[string][]string{
	"driver.json": {`{"file_format_version": "1.0.1", "ICD": {"library_path": "libx.so", "api_version": "1.3.0", "library_arch": "64",
		"is_portability_driver": false}}`},
	"layer.json": {
		`{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_x", "type": "INSTANCE", "library_path": "libx.so",
			"api_version": "1.3.0", "implementation_version": "1", "description": "x", "disable_environment": {"NO_X": "1"},
			"enable_environment": {"X": "1"}, "functions": {"vkGetInstanceProcAddr": "n", "vkGetDeviceProcAddr": "d",
			"vkNegotiateLoaderLayerInterfaceVersion": "i", "other": "o"}, "library_arch": "64", "introduction": "x", "url": "y",
			"pre_instance_functions": {"vkEnumerateInstanceVersion": "v", "vkEnumerateInstanceExtensionProperties": "e",
			"vkEnumerateInstanceLayerProperties": "l"},
			"instance_extensions": [{"name": "VK_EXT_x", "spec_version": "1"}],
			"device_extensions": [{"name": "VK_EXT_y", "spec_version": "1", "entrypoints": ["vkX"]}],
			"features": {"presets": []}, "status": "STABLE", "platforms": ["LINUX"]}}`,
		`{"file_format_version": "1.1.1", "layers": [{"name": "VK_LAYER_y", "type": "GLOBAL", "api_version": "1.3",
			"implementation_version": "2", "description": "y", "component_layers": ["VK_LAYER_x"],
			"override_paths": ["/a"], "blacklisted_layers": ["b"], "app_keys": ["/c"]}]}`,
	},
	"settings.json": {
		`{"file_format_version": "1.0.0", "vkloader": {"written_by": "vkloader 1", "expires": "2026-12-01T00:00:00Z",
			"order": [{"upper": "a", "lower": "b", "program": "/c"}]},
			"settings": {"app_keys": ["/usr/bin/a"], "stderr_log": ["all", "warn"], "log_locations": [], "layers":
			[{"control": "on", "name": "VK_LAYER_x", "path": "/x.json", "treat_as_implicit_manifest": true, "vkloader_until_changed": {"file": "/x.so", "size": 1, "modified": "2026-01-01T00:00:00Z", "inode": 2}},
			{"control": "unordered_layer_location"}], "vkloader_driver_hardware": "present", "vkloader_until_changed": [{"file": "/y.so", "size": 1, "modified": "2026-01-01T00:00:00Z", "inode": 2}],
			"vkloader_log_file": "/log",
			"additional_drivers_use_exclusively": true, "additional_drivers": [{"path": "/d.json"}],
			"device_configurations": [{"deviceUUID": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],
			"driverUUID": [255,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0], "driverVersion": 7, "deviceName": "d", "driverName": "e"}]}}`,
		`{"file_format_version": "1.0.0", "settings_array": [{"layers": [{"control": "off", "name": "VK_LAYER_z", "path": "z.json"}]}]}`,
	},
}

func read(t *testing.T, name string) (*validation.Schema, *jsonschema.Schema) {
	t.Helper()
	text, err := schemas.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(name, resource); err != nil {
		t.Fatal(err)
	}
	complete, err := compiler.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return validation.ReadSchema(string(text)), complete
}

// mutate removes or replaces one value in a document.
func mutate(random *rand.Rand, v any) any {
	others := []any{nil, true, 1.0, 1.5, -3.0, 300.0, "", "x", "1.0.0", "/p", "1", "VK_LAYER_q", []any{}, []any{"x"}, []any{1.0}, map[string]any{},
		map[string]any{"a": "b"}, map[string]any{"a": "b", "c": "d"}, map[string]any{"a": 1.0}, strings.Repeat("é", 254), strings.Repeat("é", 255)}
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 && random.IntN(4) > 0 {
			nth := random.IntN(len(v))
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if nth--; nth < 0 {
					if random.IntN(6) == 0 {
						delete(v, key)
					} else {
						v[key] = mutate(random, v[key])
					}
					break
				}
			}
			return v
		}
	case []any:
		if len(v) > 0 && random.IntN(4) > 0 {
			at := random.IntN(len(v))
			if random.IntN(8) == 0 {
				return append(v[:at:at], v[at+1:]...)
			}
			v[at] = mutate(random, v[at])
			return v
		}
	}
	return others[random.IntN(len(others))]
}

// The schemas accept and reject the same documents here and in a complete implementation of JSON Schema.
func TestAsComplete(t *testing.T) {
	t.Parallel()
	for name, documents := range seeds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own, complete := read(t, name)
			for _, member := range members(t, name) {
				if !strings.Contains(strings.Join(documents, ""), `"`+member+`": `) {
					t.Errorf("the seeds of this test have no %s, which docs/schema/%s describes", member, name)
				}
			}
			random := rand.New(rand.NewPCG(1, 2))
			allowed, refused := 0, 0
			for _, text := range documents {
				if faults := check(t, own, text); len(faults) > 0 {
					t.Fatalf("%s\n%v", text, faults)
				}
				for range 1000 {
					var value any
					if err := json.Unmarshal([]byte(text), &value); err != nil {
						t.Fatal(err)
					}
					for range 1 + random.IntN(2) {
						value = mutate(random, value)
					}
					changed, err := json.Marshal(value)
					if err != nil {
						t.Fatal(err)
					}
					faults, err := check(t, own, string(changed)), complete.Validate(value)
					if (len(faults) == 0) != (err == nil) {
						t.Fatalf("%s\nhere: %v\nthere: %v", changed, faults, err)
					}
					if err == nil {
						allowed++
					} else {
						refused++
					}
				}
			}
			if allowed < 20 || refused < 500 {
				t.Errorf("only %d documents allowed and %d refused", allowed, refused)
			}
		})
	}
}

// members returns the names of the properties that a published schema describes.
func members(t *testing.T, name string) (names []string) {
	t.Helper()
	text, err := schemas.Files.ReadFile(name)
	var schema any
	if err == nil {
		err = json.Unmarshal(text, &schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				names = append(names, slices.Collect(maps.Keys(properties))...)
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(schema)
	return names
}

func check(t *testing.T, s *validation.Schema, text string) (faults []string) {
	t.Helper()
	doc, fault := document.Parse(text)
	if fault != nil {
		t.Fatalf("%s: %+v", text, fault)
	}
	s.Check(doc.Top(), func(v validation.Violation) {
		faults = append(faults, v.What)
	})
	return faults
}

// A violation has its place and the expected value. Names match in any letter case, and the first with a name counts.
func TestViolations(t *testing.T) {
	t.Parallel()
	own, _ := read(t, "layer.json")
	for text, want := range map[string]string{
		`{"FILE_FORMAT_VERSION": "1.0.0", "Layers": []}`:                           "[]",
		`{"file_format_version": 1, "layers": [5]}`:                                "[file_format_version: a number, expected a string layers.0: a number, expected an object]",
		`{"file_format_version": "1.0.0", "file_format_version": 5, "layers": []}`: "[]",
		`{"file_format_version": "x", "layers": []}`:                               `[file_format_version: "x", expected a version of three numbers, such as 1.0.0]`,
		`{"file_format_version": "1.0.0"}`:                                         "[layer or layers is missing]",
		`[]`:                                                                       "[an array, expected an object]",
	} {
		if got := fmt.Sprint(check(t, own, text)); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// The published schemas have only keywords that the package supports.
func TestKeywords(t *testing.T) {
	t.Parallel()
	plain := strings.Fields("$schema $id title description type enum pattern minLength maxLength minimum maximum minItems maxItems " +
		"minProperties maxProperties required")
	for _, name := range []string{"driver.json", "layer.json", "features.json", "settings.json"} {
		text, err := schemas.Files.ReadFile(name)
		var top map[string]any
		if err == nil {
			err = json.Unmarshal(text, &top)
		}
		if err != nil {
			t.Fatal(err)
		}
		definitions, _ := top["$defs"].(map[string]any)
		var judge func(part any)
		judge = func(part any) {
			object, is := part.(map[string]any)
			if !is {
				t.Errorf("%s: %v is no schema", name, part)
			}
			for keyword, value := range object {
				reference, _ := value.(string)
				switch {
				case slices.Contains(plain, keyword), keyword == "format" && value == "date-time",
					keyword == "$ref" && definitions[strings.TrimPrefix(reference, "#/$defs/")] != nil:
				case slices.Contains([]string{"items", "additionalProperties", "if", "then"}, keyword):
					judge(value)
				case keyword == "properties", keyword == "$defs":
					for _, below := range value.(map[string]any) {
						judge(below)
					}
				case keyword == "anyOf", keyword == "allOf":
					for _, below := range value.([]any) {
						judge(below)
					}
				default:
					t.Errorf("%s: the keyword %q is not supported with %v", name, keyword, value)
				}
			}
		}
		judge(top)
	}
}
