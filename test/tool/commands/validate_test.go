package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/test/lib/machine"
)

// The schemas accept every manifest of Debian's packages, and validate has no finding about them.
func TestDebiansManifestsAreFine(t *testing.T) {
	t.Parallel()
	machine.Lavapipe(t)
	machine.FirstOf(t, "/usr/share/vulkan/implicit_layer.d/MangoHud.x86_64.json", "/usr/share/vulkan/implicit_layer.d/MangoHud.json")
	machine.Need(t, "/usr/share/vulkan/explicit_layer.d/VkLayer_MESA_overlay.json",
		"/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json",
		"/usr/share/vulkan/implicit_layer.d/vkBasalt.json")
	manifests, err := filepath.Glob("/usr/share/vulkan/*.d/*.json")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(built, "vkloader"), append([]string{"validate"}, manifests...)...).CombinedOutput()
	if err != nil || strings.Count(string(out), "\n") != len(manifests) {
		t.Errorf("%v\n%s", err, out)
	}
}

// Every rule about the content of a file is in a golden text of validate.
func TestEveryRuleHasGolden(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	diag.Codes(func(_ diag.Code, e *diag.Entry) { names[e.Name] = true })
	golden := ""
	scripts, err := filepath.Glob("testdata/validate-*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		golden += string(text)
	}
	used := regexp.MustCompile(`\bdiag\.([A-Z][A-Za-z]*)`)
	capital := regexp.MustCompile(`(.)([A-Z])`)
	checked := 0
	for _, directory := range []string{"core/manifest", "core/settings", "tool/validation"} {
		sources, err := filepath.Glob("../../../internal/" + directory + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range sources {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range used.FindAllStringSubmatch(string(text), -1) {
				name := strings.ToLower(capital.ReplaceAllString(match[1], "$1-$2"))
				if !names[name] {
					continue // a level, or a type
				}
				checked++
				if !strings.Contains(golden, "["+name+", ") {
					t.Errorf("%s finds %s, which is in no golden text of validate", path, name)
				}
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d uses of codes found", checked)
	}
}
