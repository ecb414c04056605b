package programs

import (
	"strings"
	"testing"
)

// present runs the program of test/present on a loader; it draws 60 frames.
func present(t *testing.T, s *stage, l loader, args ...string) outcome {
	t.Helper()
	program := repository(t) + "/build/test/present"
	need(t, program)
	o := s.run(l, program, args...)
	o.wantExit(t, 0)
	if !strings.Contains(o.out, "presented 60 frames") {
		t.Errorf("%s: it says\n%s", o.command, o.out)
	}
	return o
}

// windows are the window systems that the machine's packages bring, with the stage that has one.
var windows = map[string]func(*stage) *stage{"xlib": (*stage).withX, "xcb": (*stage).withX, "wayland": (*stage).withWeston}

// A plain program presents on every window system, with the same choices as on Debian's loader.
//
// holds: WSI-001 WSI-013 WSI-020 WSI-028 WSI-036 WSI-042 WSI-056 WSI-069
func TestPresent(t *testing.T) {
	t.Parallel()
	for kind, window := range windows {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := window(newStage(t).onLavapipe())
			mine := present(t, s, ours(t), kind, "60")
			theirs := present(t, s, debians(t), kind, "60")
			if d := difference(theirs.out, mine.out); d != "" {
				t.Errorf("it does otherwise than on Debian's loader:\n%s", d)
			}
		})
	}
}

// The same with the validation layer below, which has nothing to say.
//
// holds: WSI-012
func TestPresentValidated(t *testing.T) {
	t.Parallel()
	for kind, window := range windows {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			need(t, "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
			s := window(newStage(t).onLavapipe())
			o := present(t, s, ours(t), kind, "60", "--validate")
			if !strings.Contains(o.out, "\n0 messages\n") {
				t.Errorf("%s: it says\n%s\n%s", o.command, o.out, tail(o.err))
			}
		})
	}
}

// All of Mesa's drivers and the null driver at once: each device that cannot present on the window says so, and the
// surface is used with one that can.
//
// holds: WSI-021 WSI-029
func TestPresentAmongManyDrivers(t *testing.T) {
	t.Parallel()
	s := newStage(t).withX()
	s = s.with("VK_DRIVER_FILES=" + built(t) + "/drivers/null_icd.json:" + manifests)
	o := present(t, s, ours(t), "xlib", "60", "--device", "llvmpipe")
	if !strings.Contains(o.out, "vkloader null device (cannot present)") {
		t.Errorf("%s: it says\n%s", o.command, o.out)
	}
}

// The null driver has no window system at all; a headless surface is enough for it.
func TestPresentHeadless(t *testing.T) {
	t.Parallel()
	s := newStage(t).with("VK_DRIVER_FILES=" + built(t) + "/drivers/null_icd.json")
	present(t, s, ours(t), "headless", "60")
	s = s.with("VK_DRIVER_FILES=" + built(t) + "/drivers/null_icd.json:" + manifests + "/lvp_icd.x86_64.json")
	o := present(t, s, ours(t), "headless", "60")
	if !strings.Contains(o.out, "null device\n") {
		t.Errorf("%s: it says\n%s", o.command, o.out)
	}
}
