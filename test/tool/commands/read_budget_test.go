package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// The library reads a file with many names only by the first few, and the tool reports the other names as the library does.
//
// holds: FUZ-023
func TestReadTooOften(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	var names []string
	for name, size := range map[string]int{"small": 900, "large": 300 << 10, "larger": 700 << 10} {
		manifest := w.Driver(name).ManifestPath
		text, err := os.ReadFile(manifest)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(manifest, append(text, strings.Repeat(" ", size-len(text))...), 0o644); err != nil {
			t.Fatal(err)
		}
		for n := range 8 {
			names = append(names, filepath.Dir(manifest)+strings.Repeat("/.", n)+"/"+filepath.Base(manifest))
		}
	}
	slices.Sort(names) // the names of several files alternate
	w.Env["VK_DRIVER_FILES"], w.Env["VK_LOADER_DEBUG"] = strings.Join(names, ":"), "warn"
	h := w.Start()
	h.OK("create_instance")
	var said []string
	for _, line := range strings.Split(h.Quit().Stderr, "\n") {
		if _, text, ok := strings.Cut(line, "loader_get_json: "); ok && strings.Contains(text, "too often") {
			said = append(said, "it "+text[strings.Index(text, "is not read"):])
		}
	}
	out, exit := tried(w, "explain", "--json", "--no-fixes")
	var explained struct {
		Out []struct{ Code, Why string }
	}
	if err := json.Unmarshal([]byte(out), &explained); err != nil {
		t.Fatalf("%v\n%s%s", err, out, exit.Stderr)
	}
	var found []string
	for _, f := range explained.Out {
		if f.Code == "file-cost" {
			found = append(found, f.Why)
		}
	}
	if len(said) < 5 || len(said) > 12 || !slices.Equal(said, found) {
		t.Errorf("the library says\n%s\nand explain\n%s", strings.Join(said, "\n"), strings.Join(found, "\n"))
	}
}
