package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// All drivers of Mesa's package, a manifest that is not JSON, and one whose library is missing: the good drivers work, and the log names
// each fault with its file in one line (LOG-19, DRV-040, DRV-042).
//
// holds: LOG-19 DRV-040 DRV-042
func TestBrokenDriversAmongGoodOnes(t *testing.T) {
	t.Parallel()
	machine.Lavapipe(t)
	installed := glob(t, machine.Manifests+"/*.json")
	if len(installed) < 4 {
		t.Errorf("only %d driver manifests are installed: %v", len(installed), installed)
	}
	stage := machine.New(t)
	data := filepath.Join(stage.Dir, "data")
	directory := filepath.Join(data, "vulkan", "icd.d")
	broken := filepath.Join(directory, "broken_icd.json")
	missing := filepath.Join(directory, "missing_icd.json")
	library := filepath.Join(stage.Dir, "gone", "libvulkan_gone.so")
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, broken, `{ "file_format_version": "1.0.0", "ICD": { "library_path": `)
	write(t, missing, fmt.Sprintf(
		`{ "file_format_version": "1.0.0", "ICD": { "library_path": %q, "api_version": "1.3.0" } }`, library))

	plain := stage.Run(machine.Ours(t), "vulkaninfo", "--summary")
	plain.WantExit(t, 0)
	stage = stage.With("XDG_DATA_DIRS=" + data + ":/usr/local/share:/usr/share")
	quiet := stage.Run(machine.Ours(t), "vulkaninfo", "--summary")
	quiet.WantExit(t, 0)
	if !strings.Contains(quiet.Out, "llvmpipe") {
		t.Errorf("lavapipe is not listed:\n%s", quiet.Out)
	}
	if d := machine.Difference(plain.Out, quiet.Out); d != "" {
		t.Errorf("the broken ones changed the answer: - without, + with them:\n%s", d)
	}

	loud := stage.With("VK_LOADER_DEBUG=all").Run(machine.Ours(t), "vulkaninfo", "--summary")
	loud.WantExit(t, 0)
	for _, c := range []struct{ about, want string }{
		{"the broken manifest", "ERROR: loader_get_json: Invalid JSON file " + broken + "."},
		{"the missing library", "ERROR: " + library + ": cannot open shared object file: No such file or directory"},
		{"the missing library's manifest",
			"ERROR | DRIVER: loader_icd_scan: Failed loading library associated with ICD JSON " + library + ". Ignoring this JSON"},
	} {
		if n := countLines(loud.Err, c.want); n == 0 {
			t.Errorf("about %s nothing says: %s\n%s", c.about, c.want, errorsOf(loud.Err))
		}
	}
	// One line each, however often the search is repeated.
	for _, about := range []string{broken, library} {
		distinct := map[string]bool{}
		for _, line := range strings.Split(loud.Err, "\n") {
			if strings.HasPrefix(line, "[Vulkan Loader] ERROR") && strings.Contains(line, about) {
				distinct[line] = true
			}
		}
		if len(distinct) > 2 {
			t.Errorf("%d different error lines about %s:\n%s", len(distinct), about, errorsOf(loud.Err))
		}
	}
	for _, manifest := range installed {
		if !strings.Contains(loud.Err, "Found ICD manifest file "+manifest+", version ") {
			t.Errorf("%s was not read", manifest)
		}
	}
}

// Without any driver, the documented result and message (DRV-045, INS-029).
//
// holds: DRV-045 INS-029
func TestNoDriverAtAll(t *testing.T) {
	t.Parallel()
	stage := machine.New(t)
	none := stage.With("VK_DRIVER_FILES=" + filepath.Join(stage.Dir, "none"))
	result := none.With("VK_LOADER_DEBUG=error").Run(machine.Ours(t), "vulkaninfo", "--summary")
	if result.Code == 0 {
		t.Errorf("%s: ended well", result.Command)
	}
	if countLines(result.Err, "ERROR | DRIVER: vkCreateInstance: Found no drivers!") == 0 {
		t.Errorf("the message is missing:\n%s", machine.Tail(result.Err))
	}
	if !strings.Contains(result.Out+result.Err, "ERROR_INCOMPATIBLE_DRIVER") {
		t.Errorf("the result is not VK_ERROR_INCOMPATIBLE_DRIVER:\n%s\n%s", machine.Tail(result.Out), machine.Tail(result.Err))
	}
}

// countLines counts log lines with this tag and body; the padding between them does not matter here.
func countLines(log, want string) int {
	n := 0
	for _, line := range strings.Split(log, "\n") {
		rest, ok := strings.CutPrefix(line, "[Vulkan Loader] ")
		if ok && strings.Join(strings.Fields(rest), " ") == strings.Join(strings.Fields(want), " ") {
			n++
		}
	}
	return n
}

func errorsOf(log string) string {
	var lines []string
	for _, line := range strings.Split(log, "\n") {
		if strings.Contains(line, "ERROR") || strings.Contains(line, "WARN") {
			lines = append(lines, line)
		}
	}
	return machine.Tail(strings.Join(lines, "\n"))
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
