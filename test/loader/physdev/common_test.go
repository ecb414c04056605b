package physdev

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

const (
	incomplete           = 5
	outOfHostMemory      = -1
	initializationFailed = -3
	extensionNotPresent  = -7
	formatNotSupported   = -11
	surfaceLost          = -1000000000
)

const props2 = "VK_KHR_get_physical_device_properties2"

// words joins lists of host words.
func words(lists ...[]string) []string { return slices.Concat(lists...) }

func name(h *world.Host, device int) string {
	return h.Do("properties", "pd", world.Ref(device)).Text("name")
}

// names returns the names of devices.
func names(h *world.Host, devices []int) []string {
	var out []string
	for _, device := range devices {
		out = append(out, name(h, device))
	}
	return out
}

// all enumerates devices, after a query for their count, and checks for VK_SUCCESS.
func all(h *world.Host, instance ...string) []int {
	if len(instance) > 0 {
		return h.OK("physical_devices", "instance", instance[0]).Ints("devices")
	}
	return h.OK("physical_devices").Ints("devices")
}

func wantNames(t *testing.T, h *world.Host, want ...string) {
	t.Helper()
	if got := names(h, all(h)); !slices.Equal(got, want) {
		t.Errorf("devices are %v, want %v", got, want)
	}
}

// by returns the order in which the loader lists devices: by type, or on Windows, where DXGI's adapters decide and
// these devices belong to none, in driver order (WIN-070).
func by(kind, driver []string) []string {
	if world.Windows() {
		return driver
	}
	return kind
}

// groupNames enumerates groups and returns each as its members' names, joined by "+".
func groupNames(h *world.Host, answer world.Answer) []string {
	var out []string
	for _, group := range answer.Objects("groups") {
		out = append(out, strings.Join(names(h, group.Ints("devices")), "+"))
	}
	return out
}

func wantGroups(t *testing.T, h *world.Host, want ...string) {
	t.Helper()
	if got := groupNames(h, h.OK("device_groups")); !slices.Equal(got, want) {
		t.Errorf("groups are %v, want %v", got, want)
	}
}

// said checks that exactly n lines of the loader have this text.
func said(t *testing.T, messages []string, text string, n int) {
	t.Helper()
	found := 0
	for _, m := range messages {
		if m == text {
			found++
		}
	}
	if found != n {
		t.Errorf("%d times, want %d: %q\nin %s", found, n, text, strings.Join(messages, "\n   "))
	}
}

// saidLine checks for a line with the header of the level on standard error.
func saidLine(t *testing.T, h *world.Host, header, text string) {
	t.Helper()
	if line := fmt.Sprintf("%-32s%s\n", "[Vulkan Loader] "+header+":", text); !strings.Contains(h.Stderr(), line) {
		t.Errorf("no line %q in\n%s", line, h.Stderr())
	}
}

func since(messages []string, before int) []string { return messages[before:] }

func contains(messages []string, part string) bool {
	return slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, part) })
}

// word reads a 32-bit number from the host's memory.
func word(t *testing.T, h *world.Host, ref string, offset int) uint32 {
	t.Helper()
	bytes, err := hex.DecodeString(h.Do("peek", "ref", ref, "offset", fmt.Sprint(offset), "size", "4").Text("bytes"))
	if err != nil || len(bytes) != 4 {
		t.Fatalf("peek %s+%d: %v", ref, offset, err)
	}
	return world.Order().Uint32(bytes)
}

// functions lists the calls that a fake logged, in order, without those of its instance.
func functions(log world.Log) []string {
	var out []string
	for _, e := range log {
		out = append(out, e.Text("fn"))
	}
	return out
}

var children atomic.Int64

// dies makes a call in a forked child, which must abort with this line on standard error.
func dies(t *testing.T, h *world.Host, text string, words ...string) {
	t.Helper()
	script := fmt.Sprintf("child%d", children.Add(1))
	h.Do("script", "as", script, "line", world.Line("call", words...))
	mark := len(h.Stderr())
	a := h.Do("attempt", "script", script)
	line := fmt.Sprintf("%-32s%s\n", "[Vulkan Loader] ERROR:", text)
	if a.Int("signal") != int64(syscall.SIGABRT) || !strings.Contains(h.Stderr()[mark:], line) {
		t.Errorf("%v: %v, %q, want %q", words, a, h.Stderr()[mark:], line)
	}
}
