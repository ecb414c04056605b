package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// crowded returns a machine whose drivers and layers have long names, and a layer that crashes the program.
func crowded(t *testing.T) (*world.World, []string) {
	t.Helper()
	w, program := computing(t)
	for _, name := range []string{"VK_LAYER_VENDOR_a_layer_with_a_name_of_forty_nine_letters", "VK_LAYER_b"} {
		w.ImplicitLayer(name)
	}
	w.ImplicitLayer("VK_LAYER_VENDOR_that_crashes_in_the_first_submission", "intercept vkQueueSubmit", "die vkQueueSubmit")
	return w, program
}

// leftOver returns a machine with a file that "doctor --fix" removes.
func leftOver(t *testing.T) string {
	t.Helper()
	root := longNames(t)
	file := filepath.Join(root, "home/user/.local/share/vulkan/implicit_layer.d/o.json")
	err := os.MkdirAll(filepath.Dir(file), 0o777)
	if err == nil {
		err = os.WriteFile(file, []byte(`{"file_format_version":"1.1.2","layer":{"name":"VK_LAYER_LUNARG_override","type":"GLOBAL","api_version":"1.3.0",`+
			`"implementation_version":"1","description":"o","component_layers":["VK_LAYER_x"],"disable_environment":{"NO_O":"1"}}}`), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// The first screens fit 60 and 80 columns: with a chain whose layer crashes, with requirements that no device meets, and on a machine with
// many faults. No command in them is broken.
func TestScreensKeepToWidth(t *testing.T) {
	t.Parallel()
	root := leftOver(t)
	const (
		strict  = "api=1.3,type=discrete,vram=8G,extension=VK_KHR_ray_query,count=1,vendor=nvidia,not=cpu"
		program = "PROGRAM" // stands for the machine's program
	)
	there := func(args ...string) []string {
		return append(args, "--root", root, "--env", "HOME=/home/user", "--env", "A_VARIABLE=a value of some words")
	}
	for _, c := range []struct {
		name string
		args []string
		says string // "": anything
	}{
		{"screen", nil, "\n  vkloader run --find-culprit PROGRAM"},
		{"info", []string{"list", "devices", "--details"}, "VK_LAYER_VENDOR_that_crashes_in_the_first_submission"},
		{"check", []string{"check", "--require", "api=1.0"}, "All requirements are met."},
		{"check-unmet", []string{"check", "--require", strict}, "Not met: "},
		{"ps", []string{"ps"}, ""},
		{"devices", []string{"list", "devices"}, "vkloader null device"},
		{"doctor", []string{"doctor"}, "vkloader doctor --fix\n"},
		{"graph", []string{"help", "explain"}, "vkloader explain [PROGRAM"},
		{"culprit", []string{"run", "--find-culprit", "--", program}, "vkloader run --find-culprit --apply ...\n"},
		{"no-culprit", []string{"run", "--find-culprit", "--", "/bin/true"}, "No culprit: the program did not fail: "},
		{"there-doctor", there("doctor"), "vkloader doctor --fix --root " + root + " --env HOME=/home/user --env 'A_VARIABLE=a value of some words'\n"},
		{"there-no-probe", there("doctor", "--no-probe", "--full", "--rules"), "library-missing"},
		{"there-fix", there("doctor", "--fix", "--dry-run"), "rm -- "},
		{"there-why", []string{"cdi", "why", "--root", root, "--host", root}, ""},
	} {
		for _, width := range []int{60, 80} {
			t.Run(fmt.Sprintf("%s-%d", c.name, width), func(t *testing.T) {
				t.Parallel()
				w, compute := crowded(t)
				w.Env["COLUMNS"] = fmt.Sprint(width)
				args := c.args
				if last := len(args) - 1; last >= 0 && args[last] == program {
					args = slices.Concat(args[:last], compute)
				}
				out, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), args...)
				if args != nil && args[0] == "run" {
					out = "" // only the program's output is on standard output
				}
				out += exit.Stderr
				if out == "" || !strings.Contains(out, c.says) {
					t.Errorf("%q is missing", c.says)
				}
				keepsTo(t, c.name, out, width)
				if t.Failed() {
					t.Log(out)
				}
			})
		}
	}
}
