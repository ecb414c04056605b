package chain

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

// Results that cases expect.
const (
	incomplete          = 5
	outOfMemory         = -1
	initializationError = -3
	layerNotPresent     = -6
	extensionNotPresent = -7
	incompatibleDriver  = -9
	invalidShader       = -1000012000
)

// The loader's own instance extensions, in their order.
var ownExtensions = []string{"VK_EXT_debug_report", "VK_EXT_debug_utils", "VK_KHR_portability_enumeration", "VK_LUNARG_direct_driver_loading"}

// start runs the host with every message on standard error.
func start(w *world.World) *world.Host {
	w.T.Helper()
	w.Env["VK_LOADER_DEBUG"] = "all"
	return w.Start()
}

// line returns a message as printed on standard error; tag is "ERROR | LAYER", text may be "".
func line(tag, text string) string {
	head := "[Vulkan Loader] " + tag + ":"
	if len(head) >= 32 {
		return head + " " + text
	}
	return fmt.Sprintf("%-32s%s", head, text)
}

// said checks that a message occurs n times, word for word.
func said(t *testing.T, stderr string, n int, tag, text string) {
	t.Helper()
	found := 0
	for _, l := range strings.Split(stderr, "\n") {
		if l == line(tag, text) {
			found++
		}
	}
	if found != n {
		t.Errorf("said %d times, want %d:\n%s", found, n, line(tag, text))
		for _, l := range strings.Split(stderr, "\n") {
			if tail := text[:min(len(text), 24)]; tail != "" && strings.Contains(l, tail) {
				t.Logf("but\n%s", l)
			}
		}
	}
}

// silent checks that no message contains the part.
func silent(t *testing.T, stderr, part string) {
	t.Helper()
	for _, l := range strings.Split(stderr, "\n") {
		if strings.Contains(l, part) {
			t.Errorf("said %s", l)
		}
	}
}

// body returns the messages of a piece of standard error without their headers.
func body(stderr string) []string {
	var out []string
	for _, l := range strings.Split(stderr, "\n") {
		if strings.HasPrefix(l, "[Vulkan Loader]") && len(l) > 32 {
			out = append(out, l[32:])
		}
	}
	return out
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// entered keeps the first record of each call: a layer's "enter", a driver's only one.
func entered(l world.Log) world.Log {
	var out world.Log
	for _, e := range l {
		if p := e.Text("phase"); p == "" || p == "enter" {
			out = append(out, e)
		}
	}
	return out
}

// first returns the only record of a call on its way down.
func first(t *testing.T, w *world.World, who, fn string) world.Answer {
	t.Helper()
	got := entered(w.Log().By(who).Fn(fn))
	if len(got) == 0 {
		t.Fatalf("%s saw no %s in\n%v", who, fn, w.Log())
	}
	return got[0]
}

func device(h *world.Host) string { return world.Ref(h.OK("physical_devices").Ints("devices")[0]) }

func aborted(t *testing.T, exit world.Exit) {
	t.Helper()
	if exit.Signal != syscall.SIGABRT {
		t.Errorf("ended with code %d, signal %v, want SIGABRT\n%s", exit.Code, exit.Signal, exit.Stderr)
	}
}

func extensions(names ...string) []any {
	var list []any
	for _, name := range names {
		list = append(list, map[string]any{"name": name, "spec_version": "1"})
	}
	return list
}

// calls lists "who" for one function, in order.
func calls(w *world.World, fn string) []string { return entered(w.Log().Fn(fn)).Who() }

// asked returns the answers that the layer received from the next one for a name: the libraries of GIPA, GPDPA and
// GDPA.
func asked(t *testing.T, w *world.World, who, when, name string) world.Answer {
	t.Helper()
	for _, e := range w.Log().By(who).Fn("asked") {
		if e.Text("when") == when && e.Text("name") == name && e.Int("bad") == 0 {
			return e
		}
	}
	t.Fatalf("%s did not ask for %s at %s\n%v", who, name, when, w.Log())
	return nil
}
