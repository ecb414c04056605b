package machine

import (
	"os"
	"path/filepath"
	"testing"
)

// Who installed a manifest is asked of dpkg, else of rpm; without either nobody is named.
func TestPackages(t *testing.T) {
	files := []string{"/a/one.json", "/a/two.json", "relative.json", "/a/*.json"}
	for _, c := range []struct{ tool, script, want string }{
		{"dpkg-query", `[ "$*" = "-S -- /a/one.json /a/two.json" ] && echo "mesa-vulkan-drivers:amd64: /a/one.json"; exit 1`, "mesa-vulkan-drivers:amd64"},
		{"rpm", `[ "$1 $4 $5 $6" = "-qf -- /a/one.json /a/two.json" ] && printf 'mesa-vulkan-drivers\nfile /a/two.json is not owned by any package\n'; exit 1`,
			"mesa-vulkan-drivers"},
		{"rpm", "echo mesa-vulkan-drivers", ""}, // not an answer for each
		{"other", "", ""},
	} {
		directory := t.TempDir()
		if err := os.WriteFile(filepath.Join(directory, c.tool), []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", directory)
		owners := (&Machine{}).Owners(files)
		if owners["/a/one.json"] != c.want || owners["/a/two.json"] != "" {
			t.Errorf("%s: %v", c.tool, owners)
		}
	}
}
