package wsi

import (
	"encoding/hex"
	"testing"

	"vkloader/test/lib/world"
)

// A driver that writes nothing, here because it fails, supports nothing.
//
// holds: WSI-028
func TestSupportThatIsNotWritten(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface")
	w.Driver("mute", "device name=mute", "offer vkGetPhysicalDeviceSurfaceSupportKHR", "offer vkCreateXcbSurfaceKHR",
		"result vkGetPhysicalDeviceSurfaceSupportKHR -3").API("1.1.0")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["mute"]
	xcb(h, "s")
	h.Do("memory", "as", "answer", "size", "8", "u32@0", "77", "u32@4", "77")
	h.Do("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", pd, "arg", "0", "arg", "s", "arg", "answer")
	want := make([]byte, 8)
	world.Order().PutUint32(want[4:], 77)
	if got := h.Do("peek", "ref", "answer", "size", "8").Text("bytes"); got != hex.EncodeToString(want) {
		t.Errorf("answered %q", got)
	}
	h.Quit()
}
