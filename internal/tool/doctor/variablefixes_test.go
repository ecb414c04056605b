package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// The fix for a finding was tried, and removes only the faulty entry of a list.
func TestFixesOfVariables(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, content := range tree.Mixed() {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for environ, want := range map[string]string{
		"VK_ADD_DRIVER_FILES=/usr/share/vulkan/icd.d/b.json:/gone.json": "export VK_ADD_DRIVER_FILES=/usr/share/vulkan/icd.d/b.json",
		"VK_ADD_DRIVER_FILES=/gone.json":                                "unset VK_ADD_DRIVER_FILES",
		"VK_LOADER_DRIVERS_DISABLE=a*,x*":                               "export VK_LOADER_DRIVERS_DISABLE='a*'",
		"VK_LOADER_DRIVERS_DISABLE=*":                                   "unset VK_LOADER_DRIVERS_DISABLE",
		"VK_LOADER_LAYERS_DISABLE=all":                                  "export VK_LOADER_LAYERS_DISABLE='~all~'",
		"VK_LOADER_DRIVERS_DISABLE=all":                                 "unset VK_LOADER_DRIVERS_DISABLE", // "~all~" would disable more
		"VK_INSTANCE_LAYERS=VK_LAYER_e:VK_LAYER_x":                      "export VK_INSTANCE_LAYERS=VK_LAYER_e",
	} {
		source := &machine.Source{Machine: machine.Machine{Root: root, Environ: []string{"NO_D=", environ}}}
		answer, err := explain.Decide(source)
		if err != nil {
			t.Fatal(err)
		}
		findings := Variables(source, answer)
		if len(findings) != 1 {
			t.Errorf("%s: %+v", environ, findings)
			continue
		}
		if got := findings[0].Do; got != want {
			t.Errorf("%s: %q, want %q", environ, got, want)
		}
	}
}
