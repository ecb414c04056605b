package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// A dry run prints the same bytes as the command writes, also if the file has Windows' line ends.
func TestDryRunIsTheFile(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("good", "device name=good")
	settings := w.Path("home/.config/vulkan/loader_settings.d/vk_loader_settings.json")
	same := func(file string, args ...string) {
		t.Helper()
		shown, exit := tried(w, append(args, "--dry-run")...)
		if exit.Code != 0 {
			t.Fatalf("%v: %d %s", args, exit.Code, exit.Stderr)
		}
		if _, exit := tried(w, args...); exit.Code != 0 {
			t.Fatalf("%v: %d %s", args, exit.Code, exit.Stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != shown {
			t.Errorf("%v shows\n%q\nand writes\n%q", args, shown, text)
		}
	}
	same(settings, "settings", "set", "--log", "error", "--app", w.Write("a\u202eb/game", ""))
	same(settings, "settings", "set", "--hardware", "present")

	layer := w.ExplicitLayer("VK_LAYER_ACME_x")
	layer.Set("features", map[string]any{"settings": []any{map[string]any{"key": "size", "env": "VK_ACME_X_SIZE", "label": "Size", "description": "D", "type": "INT", "default": 1}}})
	file := w.Path("work/vk_layer_settings.txt")
	w.Env["VK_LAYER_SETTINGS_PATH"] = file
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("# mine\r\nacme_y.other = \t1\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	same(file, "settings", "layer", "VK_LAYER_ACME_x", "size=7")
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "\r\n") != 3 || !strings.Contains(string(text), "acme_x.size = 7\r\n") {
		t.Errorf("%q, %v", text, err)
	}
}
