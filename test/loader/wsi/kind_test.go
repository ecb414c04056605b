package wsi

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// kind is a kind of surface, according to the statements.
type kind struct {
	name, extension, command, info string
	sType, platform                uint32
	platformSize                   uint32
}

// The kinds that are windows, and all kinds.
var (
	windowKinds = windows()
	kinds       = append(slices.Clone(windowKinds), []kind{
		{"headless", "VK_EXT_headless_surface", "vkCreateHeadlessSurfaceEXT", "VkHeadlessSurfaceCreateInfoEXT", 1000256000, 9, 4},
		{"display", "VK_KHR_display", "vkCreateDisplayPlaneSurfaceKHR", "VkDisplaySurfaceCreateInfoKHR", 1000002001, 8, 48},
	}...)
)

func windows() []kind {
	xcb := kind{"xcb", "VK_KHR_xcb_surface", "vkCreateXcbSurfaceKHR", "VkXcbSurfaceCreateInfoKHR", 1000005000, 3, 24}
	if world.Windows() { // Win32 surfaces replace XCB ones
		xcb.platform = 2
		return []kind{xcb}
	}
	if world.MacOS() { // Metal surfaces replace XCB ones; their structure has one pointer
		xcb.platform, xcb.platformSize = 10, 16
		return []kind{xcb}
	}
	return []kind{xcb, {"xlib", "VK_KHR_xlib_surface", "vkCreateXlibSurfaceKHR", "VkXlibSurfaceCreateInfoKHR", 1000004000, 4, 24},
		{"wayland", "VK_KHR_wayland_surface", "vkCreateWaylandSurfaceKHR", "VkWaylandSurfaceCreateInfoKHR", 1000006000, 1, 24}}
}

const (
	success             = 0
	incomplete          = 5
	outOfHostMemory     = -1
	initFailed          = -3
	extensionNotPresent = -7
	surfaceLost         = -1000000000
)

// driver adds a driver with the newest interface version, one device, a swapchain extension, and the given surface
// extensions.
func driver(w *world.World, name string, extensions ...string) *world.Fake {
	f := w.Driver(name, "device name="+name+" type=discrete ext=VK_KHR_swapchain:70").API("1.1.0")
	for _, e := range append([]string{"VK_KHR_surface"}, extensions...) {
		f.Script("ext " + e + " 1")
	}
	return f
}

// instance creates the instance i with VK_KHR_surface and more.
func instance(h *world.Host, words ...string) world.Answer {
	return h.OK("create_instance", append([]string{"api", "1.1.0", "ext", "VK_KHR_surface"}, words...)...)
}

// devices returns references of the physical devices by name.
func devices(h *world.Host) map[string]string {
	out := map[string]string{}
	for _, n := range h.OK("physical_devices").Ints("devices") {
		ref := world.Ref(n)
		out[h.Do("properties", "pd", ref).Text("name")] = ref
	}
	return out
}

// xcb creates an XCB surface from memory and returns its address in the fakes' notation for foreign pointers.
func xcb(h *world.Host, as string) string {
	h.Do("memory", "as", "info_"+as, "size", "40", "u32@0", "1000005000", "u64@24", "0x1234567812345678", "u32@32", "0x4321")
	a := h.OK("call", "name", "vkCreateXcbSurfaceKHR", "arg", "i", "arg", "info_"+as, "arg", "null", "arg", "out", "as", as)
	word, _ := strconv.ParseInt(a.Strings("words")[0], 10, 64)
	return fmt.Sprintf("foreign 0x%x", uint64(word))
}

// support queries whether a device can present to a surface.
func support(h *world.Host, pd, surface string) (supported bool, result int) {
	a := h.Do("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", pd, "arg", "0", "arg", surface, "arg", "out:4")
	return words(a.Strings("outs")[0])[0] != 0, a.Result()
}

func capabilities(h *world.Host, pd, surface string) int {
	return h.Do("call", "name", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "arg", pd, "arg", surface, "arg", "out:52").Result()
}

// words reads 32-bit words from hexadecimal bytes, in the target's byte order.
func words(text string) []uint32 {
	bytes, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	var out []uint32
	for ; len(bytes) >= 4; bytes = bytes[4:] {
		out = append(out, world.Order().Uint32(bytes))
	}
	return out
}

// saying starts a host whose loader writes errors, warnings and information.
func saying(w *world.World) *world.Host {
	w.Env["VK_LOADER_DEBUG"] = "error,warn,info"
	return w.Start()
}

// wantSaid checks the messages of a host that has ended.
func wantSaid(t *testing.T, exit world.Exit, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !slices.Contains(exit.Messages(), text) {
			t.Errorf("the loader did not say %q but\n%s", text, exit.Stderr)
		}
	}
}

// wantSilence checks that there is no message of level error or warning.
func wantSilence(t *testing.T, exit world.Exit) {
	t.Helper()
	if strings.Contains(exit.Stderr, "ERROR") || strings.Contains(exit.Stderr, "WARNING") {
		t.Errorf("the loader said\n%s", exit.Stderr)
	}
}

func wantAbort(t *testing.T, exit world.Exit, text string) {
	t.Helper()
	if exit.Signal.String() != "aborted" {
		t.Errorf("died with code %d, signal %v; want an abort", exit.Code, exit.Signal)
	}
	lines := strings.Split(strings.TrimSpace(exit.Stderr), "\n")
	if last := lines[len(lines)-1]; last != "[Vulkan Loader] ERROR:          "+text {
		t.Errorf("the last line is %q, want the error %q", last, text)
	}
}

// surfaces returns the surfaces that a fake received in calls of a function.
func surfaces(log world.Log, who, function string) []string {
	var out []string
	for _, e := range log.By(who).Fn(function) {
		out = append(out, e.Text("surface"))
	}
	return out
}
