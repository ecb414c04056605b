package programs

import (
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// present runs the program of test/lib/present with a loader; it draws 60 frames.
func present(t *testing.T, s *machine.Stage, l machine.Loader, args ...string) machine.Outcome {
	t.Helper()
	program := machine.Repository(t) + "/build/test/present"
	machine.Need(t, program)
	o := s.Run(l, program, args...)
	o.WantExit(t, 0)
	if !strings.Contains(o.Out, "presented 60 frames") {
		t.Errorf("%s: it says\n%s", o.Command, o.Out)
	}
	return o
}

// windows are the window systems of the machine's packages, with the stage that has one.
var windows = map[string]func(*machine.Stage) *machine.Stage{"xlib": (*machine.Stage).WithX, "xcb": (*machine.Stage).WithX, "wayland": (*machine.Stage).WithWeston}

// A plain program presents on every window system, with the same choices as on Debian's loader.
//
// holds: WSI-001 WSI-013 WSI-020 WSI-028 WSI-036 WSI-042 WSI-056 WSI-069
func TestPresent(t *testing.T) {
	t.Parallel()
	for kind, window := range windows {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := window(machine.New(t).OnLavapipe())
			mine := present(t, s, machine.Ours(t), kind, "60")
			theirs := present(t, s, machine.Debians(t), kind, "60")
			if d := machine.Difference(theirs.Out, mine.Out); d != "" {
				t.Errorf("it does otherwise than on Debian's loader:\n%s", d)
			}
		})
	}
}

// The same with the validation layer below, which logs nothing.
//
// holds: WSI-012
func TestPresentValidated(t *testing.T) {
	t.Parallel()
	for kind, window := range windows {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			machine.Need(t, "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
			s := window(machine.New(t).OnLavapipe())
			o := present(t, s, machine.Ours(t), kind, "60", "--validate")
			if !strings.Contains(o.Out, "\n0 messages\n") {
				t.Errorf("%s: it says\n%s\n%s", o.Command, o.Out, machine.Tail(o.Err))
			}
		})
	}
}

// All of Mesa's drivers and the null driver at once: each device that cannot present to the window reports that, and the surface is used
// with a device that can.
//
// holds: WSI-021 WSI-029
func TestPresentAmongManyDrivers(t *testing.T) {
	t.Parallel()
	s := machine.New(t).WithX()
	s = s.With("VK_DRIVER_FILES=" + machine.Built(t) + "/drivers/null_icd.json:" + machine.Manifests)
	o := present(t, s, machine.Ours(t), "xlib", "60", "--device", "llvmpipe")
	if !strings.Contains(o.Out, "vkloader null device (cannot present)") {
		t.Errorf("%s: it says\n%s", o.Command, o.Out)
	}
}

// The null driver supports no window system; it presents to a headless surface.
func TestPresentHeadless(t *testing.T) {
	t.Parallel()
	s := machine.New(t).With("VK_DRIVER_FILES=" + machine.Built(t) + "/drivers/null_icd.json")
	present(t, s, machine.Ours(t), "headless", "60")
	s = s.With("VK_DRIVER_FILES=" + machine.Built(t) + "/drivers/null_icd.json:" + machine.Lavapipe(t))
	o := present(t, s, machine.Ours(t), "headless", "60")
	if !strings.Contains(o.Out, "null device\n") {
		t.Errorf("%s: it says\n%s", o.Command, o.Out)
	}
}
