package cli

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/settings"
)

// To update the published schemas: go test ./internal/tool/cli -run OutputSchemas -update
var update = flag.Bool("update", false, "write docs/schema/output")

// outputs maps schema names to command lines whose answers they describe.
var outputs = map[string][]string{
	"list":           {"list drivers", "list layers"},
	"list-devices":   {"list devices", "list devices --details"},
	"list-paths":     {"list paths"},
	"list-variables": {"list variables", "list variables --set --env VK_DRIVER_FILES=/no/such.json"},
	"explain":        {"explain"},
	"ps":             {"ps"},
	"culprit":        {"run --find-culprit -- /bin/true"},
	"doctor":         {"doctor"},
	"check":          {"check --require type=cpu"},
	"settings-show":  {"settings show", "settings show --app /bin/game"},
	"settings-layer": {"settings layer VK_LAYER_one"},
	"settings-done":  {"settings set --log warn", "settings clear"},
	"oci":            {"cdi check ROOT"},
	"cdi-list":       {"cdi list --directory CDI"},
	"cdi-verify":     {"cdi verify CDI/a.json"},
	"cdi-why":        {"cdi why"},
	"validate":       {"validate MANIFEST", "validate /no/such.json"},
	"graph":          {"explain --picture --no-probe"},
	"bundle":         {"bundle --no-probe --list"},
	"run":            {"run --dry-run --driver x -- /bin/true"},
	"system":         {"system status --root ROOT", "system use distribution --root ROOT"},
	"version":        {"version"},
	"service":        {"service status --socket SOCKET"},
}

// titles maps schema names to titles.
var titles = map[string]string{
	"list": "vkloader list drivers, and list layers,", "list-devices": "vkloader list devices",
	"check":      "vkloader check",
	"list-paths": "vkloader list paths", "list-variables": "vkloader list variables", "explain": "vkloader explain", "ps": "vkloader ps", "culprit": "vkloader run --find-culprit",
	"doctor": "vkloader doctor", "settings-show": "vkloader settings show",
	"settings-layer": "vkloader settings layer", "settings-done": "vkloader settings set, and settings clear,", "validate": "vkloader validate",
	"oci": "vkloader cdi check", "cdi-list": "vkloader cdi list", "cdi-verify": "vkloader cdi verify", "cdi-why": "vkloader cdi why",
	"graph": "vkloader explain --picture", "bundle": "vkloader bundle", "run": "vkloader run --dry-run",
	"system": "vkloader system status, and system use,", "version": "vkloader version", "service": "vkloader service status",
}

// The published schemas equal those of the printed types, and the commands' outputs conform to them.
func TestOutputSchemas(t *testing.T) {
	comments := fieldComments(t, "../../../discover", ".", "../environment", "../../decide/loaders", "../system", "../survey", "../settings", "../validation", "../../decide/explain", "../../decide/probe", "../doctor", "../../decide/process", "../run", "../term", "../../containers/cdi", "../../containers/offer")
	socket := runningService(t)
	for name, lines := range outputs {
		file := filepath.Join("../../../docs/schema/output", name+".json")
		s, _, _ := world(t, goodRun)
		home := t.TempDir()
		manifest := filepath.Join(home, ".local/share/vulkan/icd.d/a.json")
		if err := os.MkdirAll(filepath.Dir(manifest), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(manifest, []byte(`{"file_format_version":"1","ICD":{"library_path":"a.so"}}`), 0o644); err != nil {
			t.Fatal(err)
		}
		root := systemRoot(t)
		if err := os.WriteFile(filepath.Join(home, "a.json"), []byte(`{"cdiVersion":"0.5.0","kind":"a/b","devices":[{"name":"all","containerEdits":{"deviceNodes":[{"path":"/dev/none"}]}}]}`), 0o644); err != nil {
			t.Fatal(err)
		}
		s.environ = append(s.environ, "HOME="+home, "XDG_DATA_DIRS="+home, "XDG_CONFIG_DIRS="+home)
		for i, line := range lines {
			var out, errOut bytes.Buffer
			s.out, s.errOut = &out, &errOut
			var answer any
			s.answered = func(value any) { answer = value }
			args := strings.Fields(strings.NewReplacer("MANIFEST", manifest, "ROOT", root, "SOCKET", socket, "CDI", home).Replace(line))
			at := slices.Index(args, "--")
			if at < 0 {
				at = len(args)
			}
			runLine(s, slices.Insert(args, at, "--json"))
			if answer == nil {
				t.Fatalf("%s prints no JSON:\n%s%s", line, &out, &errOut)
			}
			if i == 0 {
				published(t, name, file, answer, comments)
				full, err := json.Marshal(filled(answer))
				if err != nil {
					t.Fatal(err)
				}
				if err := follows(file, full); err != nil {
					t.Errorf("%s, with every field filled: %v\n%s", name, err, full)
				}
			}
			if err := follows(file, out.Bytes()); err != nil {
				t.Errorf("%s: %v\n%s", line, err, &out)
			}
		}
	}
	files, err := filepath.Glob("../../../docs/schema/output/*.json")
	if err != nil || len(files) != len(outputs) {
		t.Errorf("%d schemas of %d outputs: %v, %v", len(files), len(outputs), files, err)
	}
}

// filled returns an answer of the same type and schema with a value in every field.
func filled(answer any) any {
	of := reflect.Indirect(reflect.ValueOf(answer))
	full := reflect.New(of.Type()).Elem()
	fill(full)
	full.FieldByName("Schema").Set(of.FieldByName("Schema"))
	return full.Interface()
}

// fill sets every field that JSON has, and gives each list and map one element. A type within itself stays empty.
func fill(v reflect.Value, within ...reflect.Type) {
	if slices.Contains(within, v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), within...)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Interface:
		v.Set(reflect.ValueOf(doctor.DriverPackage))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), within...)
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, within...)
		fill(element, within...)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), append(slices.Clip(within), v.Type())...)
			}
		}
	default:
		panic("no value for " + v.Type().String())
	}
}

// A struct that is printed as a text, as a time is, has the schema of a text.
func TestSchemaOfText(t *testing.T) {
	t.Parallel()
	type output struct {
		Schema int         `json:"schema"`
		Since  []time.Time `json:"since"`
	}
	text, err := json.Marshal(schemaOf(reflect.TypeFor[output](), "", nil))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	full, err := json.Marshal(filled(output{Schema: 1}))
	if err != nil {
		t.Fatal(err)
	}
	if err := follows(file, full); err != nil {
		t.Errorf("%v\n%s", err, full)
	}
}

// published compares a schema with that of an answer's type.
func published(t *testing.T, name, file string, answer any, comments map[string]string) {
	t.Helper()
	made := schemaOf(reflect.TypeOf(answer), "", comments)
	number := reflect.Indirect(reflect.ValueOf(answer)).FieldByName("Schema").Int()
	made["properties"].(map[string]any)["schema"] = map[string]any{"const": number}
	made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	made["$id"] = fmt.Sprintf("urn:vkloader:schema:output:%s:%d", name, number)
	made["title"] = "What " + titles[name] + " prints with --json"
	text, err := encodeJSON(made)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		var old, current any
		there, err := os.ReadFile(file)
		if err == nil {
			err = errors.Join(json.Unmarshal(there, &old), json.Unmarshal([]byte(text), &current))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if lost := lostMembers(old, current); lost != nil {
			t.Fatalf("%s is not written: %q are gone, optional or of another type; raise the schema's number", file, lost)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := os.ReadFile(file); err != nil || string(there) != text {
		t.Errorf("%s is not what the command's types give (%v): raise the schema's number if a field has gone or changed "+
			"its meaning, then go test ./internal/tool/cli -run OutputSchemas -update", file, err)
	}
}

// lostMembers returns the members of a schema that another one with the same number lacks, has with another type, or does not
// require.
func lostMembers(old, current any) (lost []string) {
	switch before := old.(type) {
	case map[string]any:
		after, _ := current.(map[string]any)
		if id := before["$id"]; id != nil && after["$id"] != id {
			return nil
		}
		members, _ := before["properties"].(map[string]any)
		kept, _ := after["properties"].(map[string]any)
		needed, _ := before["required"].([]any)
		required, _ := after["required"].([]any)
		for name, member := range members {
			was, _ := member.(map[string]any)
			is, there := kept[name].(map[string]any)
			optional := slices.Contains(needed, any(name)) && !slices.Contains(required, any(name))
			if !there || optional || !reflect.DeepEqual(was["type"], is["type"]) {
				lost = append(lost, name)
			}
		}
		for name, part := range before {
			if after[name] != nil {
				lost = append(lost, lostMembers(part, after[name])...)
			}
		}
	case []any:
		after, _ := current.([]any)
		for i := range min(len(before), len(after)) {
			lost = append(lost, lostMembers(before[i], after[i])...)
		}
	}
	slices.Sort(lost)
	return lost
}

// A schema keeps its members, at every depth, as long as it keeps its number.
func TestSchemasKeepMembers(t *testing.T) {
	t.Parallel()
	const old = `{"$id": "x:1", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"items": {"properties": {"c": {}, "d": {}}}}}}`
	for now, want := range map[string]string{
		old: "[]",
		`{"$id": "x:1", "required": ["a", "new"], "properties": {"a": {"type": "string"}, "new": {}, "b": {"items": {"properties": {"c": {}, "d": {}, "e": {}}}}}}`: "[]",
		strings.Replace(old, "string", "object", 1):                                 "[a]",
		strings.Replace(old, `["a"]`, `["b"]`, 1):                                   "[a]",
		`{"$id": "x:1", "properties": {"b": {"items": {"properties": {"d": {}}}}}}`: "[a c]",
		`{"$id": "x:1"}`:                   "[a b]",
		`{"$id": "x:2", "properties": {}}`: "[]",
	} {
		var before, after any
		if err := errors.Join(json.Unmarshal([]byte(old), &before), json.Unmarshal([]byte(now), &after)); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(lostMembers(before, after)); got != want {
			t.Errorf("%s: %s, want %s", now, got, want)
		}
	}
}

// follows checks an output against a schema.
func follows(file string, output []byte) error {
	compiled, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(output))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// schemaOf returns the schema of a type as encoding/json writes it. comment is the comment of the field.
func schemaOf(of reflect.Type, comment string, comments map[string]string) map[string]any {
	made := map[string]any{}
	if comment != "" {
		made["description"] = comment
	}
	if of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		made["type"] = "string"
		return made
	}
	switch of.Kind() {
	case reflect.Pointer:
		return schemaOf(of.Elem(), comment, comments)
	case reflect.String:
		made["type"] = "string"
	case reflect.Bool:
		made["type"] = "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		made["type"] = "integer"
	case reflect.Float64:
		made["type"] = "number"
	case reflect.Slice:
		made["type"] = "array"
		if strings.Contains(comment, "null:") {
			made["type"] = []string{"array", "null"}
		}
		made["items"] = schemaOf(of.Elem(), "", comments)
	case reflect.Map:
		made["type"] = "object"
		made["additionalProperties"] = schemaOf(of.Elem(), "", comments)
	case reflect.Struct:
		properties, required := map[string]any{}, []string{}
		var add func(of reflect.Type)
		add = func(of reflect.Type) {
			for i := range of.NumField() {
				f := of.Field(i)
				name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Anonymous && name == "" {
					add(f.Type)
					continue
				}
				if !f.IsExported() || name == "-" {
					continue
				}
				properties[name] = schemaOf(f.Type, comments[fieldKey(tagsOf(of), name)], comments)
				if option != "omitempty" {
					required = append(required, name)
				}
			}
		}
		add(of)
		made["type"], made["properties"] = "object", properties
		if len(required) > 0 {
			made["required"] = required
		}
	default:
		panic("no schema for " + of.String())
	}
	return made
}

// tagsOf returns the JSON names of a struct's fields, which identify the type.
func tagsOf(of reflect.Type) []string {
	var tags []string
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" {
			tags = append(tags, name)
		}
	}
	return tags
}

func fieldKey(tags []string, name string) string {
	tags = slices.Clone(tags)
	sort.Strings(tags)
	return strings.Join(tags, " ") + ":" + name
}

// fieldComments returns the comments of struct fields in the sources.
func fieldComments(t *testing.T, directories ...string) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, directory := range directories {
		files, err := filepath.Glob(filepath.Join(directory, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if of, ok := n.(*ast.StructType); ok {
					structComments(of, comments)
				}
				return true
			})
		}
	}
	return comments
}

func structComments(of *ast.StructType, comments map[string]string) {
	name := func(f *ast.Field) string {
		if f.Tag == nil {
			return ""
		}
		name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		return name
	}
	var tags []string
	for _, f := range of.Fields.List {
		if n := name(f); n != "" {
			tags = append(tags, n)
		}
	}
	for _, f := range of.Fields.List {
		text := strings.TrimSpace(cmp.Or(f.Comment.Text(), f.Doc.Text()))
		if name(f) != "" && text != "" {
			comments[fieldKey(tags, name(f))] = strings.Join(strings.Fields(text), " ")
		}
	}
}

// An output violates its schema if a field is missing or has another type. An additional field is valid.
func TestFollows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	made := schemaOf(reflect.TypeOf(settings.Done{}), "", nil)
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	for output, fine := range map[string]bool{`{"schema":1}`: true, `{}`: false, `{"schema":1,"x":1}`: true, `{"schema":"1"}`: false} {
		if err := follows(file, []byte(output)); (err == nil) != fine {
			t.Errorf("%s: %v", output, err)
		}
	}
}
