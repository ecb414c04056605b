package programs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

const validation = "VK_LAYER_KHRONOS_validation"

var address = regexp.MustCompile(`0x[0-9a-fA-F]+`)

// mapped tells whether the program had the file open as a library, from what the dynamic linker said (LD_DEBUG=files).
func mapped(o outcome, path string) bool {
	return strings.Contains(o.err, "calling init: "+path)
}

// presents runs a program that draws 120 frames, and checks that it was on this loader and ended well.
func presents(t *testing.T, s *stage, name string, args ...string) {
	t.Helper()
	l := ours(t)
	result := s.with("LD_DEBUG=files").run(l, name, append([]string{"--c", "120"}, args...)...)
	result.err = keepInits(result.err)
	result.wantExit(t, 0)
	if !mapped(result, l.folder+"/libvulkan.so.1") {
		t.Errorf("%s: it was not on this loader:\n%s", result.command, tail(result.err))
	}
	if mapped(result, "/usr/lib/x86_64-linux-gnu/libvulkan.so.1") || mapped(result, "/lib/x86_64-linux-gnu/libvulkan.so.1") {
		t.Errorf("%s: Debian's loader was there as well", result.command)
	}
	if !strings.Contains(result.out+result.err, "llvmpipe") {
		t.Errorf("%s: it did not draw with lavapipe:\n%s", result.command, result.out)
	}
}

// keepInits leaves of the dynamic linker's talk what mapped reads, and all that is not its talk.
func keepInits(text string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if !linkerTalk.MatchString(line) || strings.Contains(line, "calling init:") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

var linkerTalk = regexp.MustCompile(`^\s+\d+:\t`)

func TestVkcubeXcb(t *testing.T) {
	t.Parallel()
	presents(t, newStage(t).onLavapipe().withX(), "vkcube")
}

func TestVkcubeWayland(t *testing.T) {
	t.Parallel()
	presents(t, newStage(t).onLavapipe().withWeston(), "vkcube-wayland")
}

// The validation layer is in the chain (LAY-430) and says nothing that it does not say under Debian's loader.
//
// holds: LAY-430
func TestVkcubeValidated(t *testing.T) {
	t.Parallel()
	need(t, "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
	stage := newStage(t).onLavapipe().withX()
	chain := stage.with("VK_LOADER_DEBUG=layer").run(ours(t), "vkcube", "--c", "3", "--validate")
	chain.wantExit(t, 0)
	for _, want := range []string{
		`Insert instance layer "` + validation + `"`, `Inserted device layer "` + validation + `"`,
	} {
		if !strings.Contains(chain.err, want) {
			t.Errorf("the log does not say: %s\n%s", want, tail(chain.err))
		}
	}
	mine := stage.run(ours(t), "vkcube", "--c", "120", "--validate")
	theirs := stage.run(debians(t), "vkcube", "--c", "120", "--validate")
	mine.wantExit(t, 0)
	theirs.wantExit(t, 0)
	known := said(theirs)
	for _, line := range said(mine) {
		if !slices.Contains(known, line) {
			t.Errorf("only on this loader: %s", line)
		}
	}
}

// said is the distinct lines of what a program printed, without addresses.
func said(o outcome) []string {
	lines := strings.Split(address.ReplaceAllString(o.out+"\n"+o.err, "0x"), "\n")
	slices.Sort(lines)
	return slices.Compact(lines)
}
