package discovery

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// sparse creates a file of the given size with a text at its beginning.
func sparse(t *testing.T, path, text string, size int64) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// A file of more than 16 MB, of any size, is logged and not read; the other files count. A file of 16 MB is read.
//
// holds: LAY-8 SYS-010
func TestFilesAboveTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 16 * 1024 * 1024
	w := world.New(t)
	w.Driver("good")
	layer := w.ImplicitLayer("VK_LAYER_whole")
	text, err := os.ReadFile(layer.ManifestPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(layer.ManifestPath, append(text, []byte(strings.Repeat(" ", limit-len(text)))...), 0o644); err != nil {
		t.Fatal(err)
	}
	large := w.ImplicitLayer("VK_LAYER_large")
	sparse(t, large.ManifestPath, "{", 5<<30)
	above := w.ImplicitLayer("VK_LAYER_above")
	if err := os.WriteFile(above.ManifestPath, append(text, []byte(strings.Repeat(" ", limit+1-len(text)))...), 0o644); err != nil {
		t.Fatal(err)
	}
	driver := w.DriverFile("large", "{")
	sparse(t, driver, "{", 5<<30)
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance")
	if got := len(h.OK("physical_devices").Ints("devices")); got != 1 {
		t.Errorf("%d devices", got)
	}
	messages := strings.Join(h.Messages(), "\n")
	for _, path := range []string{large.ManifestPath, above.ManifestPath, driver} {
		if !strings.Contains(messages, "loader_get_json: JSON file "+path+" is larger than 16777216 bytes") {
			t.Errorf("%s is not named", path)
		}
	}
	if strings.Contains(messages, layer.ManifestPath+" is larger") {
		t.Error("a file of 16 MB is left out")
	}
	h.Quit()
}

// A file one byte above the limit is not read.
//
// holds: LOG-19 LAY-8
func TestFileJustAboveTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 16 * 1024 * 1024
	w := world.New(t)
	w.Driver("good")
	layer := w.ImplicitLayer("VK_LAYER_above")
	text, err := os.ReadFile(layer.ManifestPath)
	if err != nil {
		t.Fatal(err)
	}
	h := w.Start()
	for more, want := range []int64{1, 0} {
		if err := os.WriteFile(layer.ManifestPath, append(text, []byte(strings.Repeat(" ", limit+more-len(text)))...), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := h.OK("instance_layers").Int("count"); got != want {
			t.Errorf("%d layers with %d bytes, want %d", got, limit+more, want)
		}
	}
	h.Quit()
}

// A large file with many names is read under the first few of them; a small one under all.
//
// holds: FUZ-023
func TestManyNamesOfAFile(t *testing.T) {
	t.Parallel()
	for size, refused := range map[int]bool{1000: false, 300 << 10: true} {
		w := world.New(t)
		manifest := w.Driver("card").ManifestPath
		text, err := os.ReadFile(manifest)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(manifest, append(text, strings.Repeat(" ", size-len(text))...), 0o644); err != nil {
			t.Fatal(err)
		}
		var names []string
		for n := range 20 {
			names = append(names, filepath.Dir(manifest)+strings.Repeat("/.", n)+"/"+filepath.Base(manifest))
		}
		w.Env["VK_DRIVER_FILES"], w.Env["VK_LOADER_DEBUG"] = strings.Join(names, ":"), "warn"
		h := w.Start()
		h.OK("create_instance")
		said := strings.Count(strings.Join(h.Quit().Messages(), "\n"), "too often by other names")
		if refused && (said < 10 || said == 20) || !refused && said > 0 {
			t.Errorf("of a file of %d bytes %d of 20 names are refused", size, said)
		}
	}
}
