package drivers

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// Results that cases expect.
const (
	success             = 0
	incomplete          = 5
	outOfMemory         = -1
	initializationError = -3
	layerNotPresent     = -6
	extensionNotPresent = -7
	incompatibleDriver  = -9
)

// The loader's own instance extensions, in their order.
var ownExtensions = []string{"VK_EXT_debug_report", "VK_EXT_debug_utils", "VK_KHR_portability_enumeration", "VK_LUNARG_direct_driver_loading"}

// spoken returns the loader's lines as "[ERROR|DRIVER] text".
func spoken(stderr string) []string {
	var out []string
	for _, line := range strings.Split(stderr, "\n") {
		rest, ok := strings.CutPrefix(line, "[Vulkan Loader] ")
		if !ok {
			continue
		}
		tag, text, _ := strings.Cut(rest, ":")
		if width := 32 - len("[Vulkan Loader] ") - len(tag) - 1; width > 0 && len(text) >= width {
			text = text[width:]
		} else {
			text = strings.TrimPrefix(text, " ")
		}
		tag = strings.ReplaceAll(strings.ReplaceAll(tag, " | ", "|"), "WARNING", "WARN")
		out = append(out, "["+tag+"] "+text)
	}
	return out
}

// says checks that each line was logged, word for word.
func says(t *testing.T, exit world.Exit, want ...string) {
	t.Helper()
	lines := spoken(exit.Stderr)
	for _, line := range want {
		if !slices.Contains(lines, line) {
			t.Errorf("the loader did not say\n%s", line)
			nearest, length := "", 24
			for _, near := range lines {
				n := 0
				for n < len(near) && n < len(line) && near[n] == line[n] {
					n++
				}
				if n > length {
					nearest, length = near, n
				}
			}
			if nearest != "" {
				t.Logf("but\n%s", nearest)
			}
		}
	}
}

// quietAbout checks that no line has any of the parts.
func quietAbout(t *testing.T, exit world.Exit, parts ...string) {
	t.Helper()
	for _, line := range spoken(exit.Stderr) {
		for _, part := range parts {
			if strings.Contains(line, part) {
				t.Errorf("the loader said\n%s", line)
			}
		}
	}
}

// inOrder checks that lines are in this order, with any lines in between.
func inOrder(t *testing.T, exit world.Exit, want ...string) {
	t.Helper()
	at := 0
	for _, line := range spoken(exit.Stderr) {
		if at < len(want) && line == want[at] {
			at++
		}
	}
	if at < len(want) {
		t.Errorf("the loader did not say, in its place,\n%s", want[at])
	}
}

// loud creates a world whose loader logs everything.
func loud(t *testing.T) *world.World {
	t.Helper()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	return w
}

// deviceNames enumerates the devices of an instance.
func deviceNames(h *world.Host, instance string) []string {
	answer := h.Do("physical_devices", "instance", instance)
	names := []string{}
	for _, pd := range answer.Ints("devices") {
		names = append(names, h.Do("properties", "pd", world.Ref(pd)).Text("name"))
	}
	return names
}

// life is an instance from creation to destruction.
type life struct {
	answer  world.Answer
	result  int
	devices []string // nil if there was no instance
	exit    world.Exit
	log     world.Log
	created []string // drivers whose vkCreateInstance was called, in order
}

// live creates an instance in a fresh host, enumerates its devices, destroys it, and ends the host.
func live(t *testing.T, w *world.World, words ...string) life {
	t.Helper()
	h := w.Start()
	l := life{answer: h.Do("create_instance", words...)}
	l.result = l.answer.Result()
	if l.result == success {
		l.devices = deviceNames(h, "i")
		h.Do("destroy_instance")
	}
	l.exit = h.Quit()
	l.log = w.Log()
	l.created = l.log.Fn("vkCreateInstance").Who()
	sound(t, l.log)
	return l
}

// sound checks that no driver received a handle of another driver or of a destroyed object.
//
// holds: DRV-067 DRV-071
func sound(t *testing.T, log world.Log) {
	t.Helper()
	for _, event := range log {
		for key, value := range event {
			text, _ := value.(string)
			if key != "name" && (strings.HasPrefix(text, "foreign ") || strings.HasPrefix(text, "dead ")) {
				t.Errorf("%s got %s in %s of %s", event.Text("who"), text, key, event.Text("fn"))
			}
		}
		for _, argument := range event.Strings("args") {
			if strings.HasPrefix(argument, "dead ") {
				t.Errorf("%s got %s in %s", event.Text("who"), argument, event.Text("fn"))
			}
		}
	}
}

func (l life) wants(t *testing.T, result int, devices ...string) {
	t.Helper()
	if l.result != result {
		t.Errorf("vkCreateInstance gave %d, want %d", l.result, result)
	}
	if result == success && !slices.Equal(l.devices, devices) {
		t.Errorf("devices are %v, want %v", l.devices, devices)
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// apiWord packs a version.
func apiWord(major, minor, patch int64) int64 { return major<<22 | minor<<12 | patch }
