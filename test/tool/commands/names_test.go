package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names of layers are accepted in any case and in a short form, programs by their name in PATH, and explain answers for findings.
func TestShortNames(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.ExplicitLayer("VK_LAYER_ACME_frames")
	program := w.Write("bin/acmegame", "#!/bin/sh\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	w.Env["PATH"] = filepath.Dir(program) + ":/usr/bin:/bin"
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"settings set --dry-run --app acmegame --layer frames", 0, program},
		{"settings set --dry-run --layer vk_layer_acme_FRAMES", 0, `"VK_LAYER_ACME_frames"`},
		{"settings set --dry-run --app acmegone --layer frames", 3, "there is no program acmegone"},
		{"settings set --dry-run --app /gone/acmegame --layer frames", 3, "there is no program /gone/acmegame"},
		{"run --dry-run --layer frames -- true", 0, "VK_LOADER_LAYERS_ENABLE=VK_LAYER_ACME_frames"},
		{"explain acme_FRAMES", 0, "VK_LAYER_ACME_frames"},
		{"explain layer-crashes", 0, "a finding of vkloader doctor"},
		{"__complete doctor --app acmeg", 0, "acmegame"},
		{"__complete settings set --app acmeg", 0, "acmegame"},
	} {
		out, exit := tried(w, strings.Fields(c.line)...)
		if exit.Code != c.code || !strings.Contains(out+exit.Stderr, c.want) {
			t.Errorf("%s: exit code %d, no %q:\n%s%s", c.line, exit.Code, c.want, out, exit.Stderr)
		}
	}
}
