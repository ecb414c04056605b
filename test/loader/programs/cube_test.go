package programs

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

const validation = "VK_LAYER_KHRONOS_validation"

var address = regexp.MustCompile(`0x[0-9a-fA-F]+`)

// presents runs a program that draws 120 frames, and checks that it used this loader and ended well.
func presents(t *testing.T, s *machine.Stage, name string, args ...string) {
	t.Helper()
	l := machine.Ours(t)
	result := s.RunTraced(l, name, append([]string{"--c", "120"}, args...)...)
	result.WantExit(t, 0)
	if !result.HasLibrary(l.Directory + "/libvulkan.so.1") {
		t.Errorf("%s: it was not on this loader:\n%s", result.Command, machine.Tail(result.Err))
	}
	if result.HasLibrary("/usr/lib/x86_64-linux-gnu/libvulkan.so.1") || result.HasLibrary("/lib/x86_64-linux-gnu/libvulkan.so.1") {
		t.Errorf("%s: Debian's loader was there as well", result.Command)
	}
	if !strings.Contains(result.Out+result.Err, "llvmpipe") {
		t.Errorf("%s: it did not draw with lavapipe:\n%s", result.Command, result.Out)
	}
}

func TestVkcubeXcb(t *testing.T) {
	t.Parallel()
	presents(t, machine.New(t).OnLavapipe().WithX(), "vkcube")
}

func TestVkcubeWayland(t *testing.T) {
	t.Parallel()
	s := machine.New(t).OnLavapipe().WithWeston()
	if _, err := exec.LookPath("vkcube-wayland"); err != nil { // one program since Debian 13
		presents(t, s, "vkcube", "--wsi", "wayland")
		return
	}
	presents(t, s, "vkcube-wayland")
}

// The validation layer is in the chain (LAY-430), and logs nothing that it does not log with Debian's loader.
//
// holds: LAY-430
func TestVkcubeValidated(t *testing.T) {
	t.Parallel()
	machine.Need(t, "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
	stage := machine.New(t).OnLavapipe().WithX()
	chain := stage.With("VK_LOADER_DEBUG=layer").Run(machine.Ours(t), "vkcube", "--c", "3", "--validate")
	chain.WantExit(t, 0)
	for _, want := range []string{
		`Insert instance layer "` + validation + `"`, `Inserted device layer "` + validation + `"`,
	} {
		if !strings.Contains(chain.Err, want) {
			t.Errorf("the log does not say: %s\n%s", want, machine.Tail(chain.Err))
		}
	}
	mine := stage.Run(machine.Ours(t), "vkcube", "--c", "120", "--validate")
	theirs := stage.Run(machine.Debians(t), "vkcube", "--c", "120", "--validate")
	mine.WantExit(t, 0)
	theirs.WantExit(t, 0)
	known := said(theirs)
	for _, line := range said(mine) {
		if !slices.Contains(known, line) {
			t.Errorf("only on this loader: %s", line)
		}
	}
}

// said returns the distinct lines of a program's output, without addresses.
func said(o machine.Outcome) []string {
	lines := strings.Split(address.ReplaceAllString(o.Out+"\n"+o.Err, "0x"), "\n")
	slices.Sort(lines)
	return slices.Compact(lines)
}
