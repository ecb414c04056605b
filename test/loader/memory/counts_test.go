package memory

import (
	"strconv"
	"testing"

	"vkloader/test/lib/world"
)

// wrapping returns a count whose product with a size wraps to a few bytes if size_t has 32 bits; if it has 64, a
// count for which no machine has enough memory.
func wrapping(size uint64) string {
	if world.Narrow() {
		return strconv.FormatUint(1<<32/size+1, 10)
	}
	return "4294967295"
}

// A driver reports an impossible count: the answer may be an error or empty, and the process continues, with the complete answer of the
// other driver.
//
// holds: DEV-001 ALC-034
func TestCountsThatWrap(t *testing.T) {
	t.Parallel()
	const extensions, groups = "vkEnumerateDeviceExtensionProperties", "vkEnumeratePhysicalDeviceGroups"
	w := world.New(t)
	w.Driver("good", "device name=good ext=VK_A:7")
	w.Driver("bad", "device name=bad", "counts "+extensions+" "+wrapping(260))
	h := w.Start()
	h.OK("create_instance")
	devices := h.OK("physical_devices").Ints("devices")
	good := false
	for _, device := range devices {
		a := h.Do("device_extensions", "pd", world.Ref(device), "count", "only")
		good = good || a.Result() == 0 && a.Int("count") == 1
		if a.Result() > 0 || a.Result() == 0 && a.Int("count") > 1 {
			t.Errorf("extensions: %v", a)
		}
	}
	if !good {
		t.Error("the other driver's device has no extension")
	}
	h.Quit()

	w = world.New(t)
	w.Driver("bad", "api 1.1.0", "device name=bad", "counts "+groups+" "+wrapping(144)).API("1.1.0")
	h = w.Start()
	h.OK("create_instance", "api", "1.1.0")
	if a := h.Do("device_groups", "count", "only"); a.Result() >= 0 && a.Int("count") > 1 {
		t.Errorf("groups: %v", a)
	}
	h.Quit()
}

// A program passes a count whose list of pointers cannot exist in a 32-bit process: nothing is copied.
//
// holds: ALC-028
func TestProgramsCountThatWraps(t *testing.T) {
	t.Parallel()
	if !world.Narrow() {
		t.Skip("where size_t has 64 bits, no count of names wraps")
	}
	w := world.New(t)
	w.Driver("acme")
	h := w.Start()
	for _, count := range []string{"layer_count", "ext_count"} {
		if a := h.Do("create_instance", "layer", "VK_LAYER_x", "ext", "VK_KHR_surface", count, "1073741825"); a.Result() != -1 {
			t.Errorf("%s: %v", count, a)
		}
	}
	h.Quit()
}
