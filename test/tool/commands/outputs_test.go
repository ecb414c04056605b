package commands

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"
)

// The JSON in the golden texts follows the published schemas of the outputs.
func TestGoldenJSONFollowsSchemas(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	compiler, checked := jsonschema.NewCompiler(), 0
	for _, path := range scripts {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		command, _, _ := strings.Cut(filepath.Base(path), "-")
		if other := map[string]string{"env": "list-variables", "paths": "list-paths", "settings": "settings-show"}[command]; other != "" {
			command = other
		}
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".golden") || !bytes.HasPrefix(f.Data, []byte("{\n  \"schema\":")) {
				continue
			}
			schema, err := compiler.Compile("../../../docs/schema/output/" + command + ".json")
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(f.Data))
			if err == nil {
				err = schema.Validate(value)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", path, f.Name, err)
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("only %d outputs", checked)
	}
}
