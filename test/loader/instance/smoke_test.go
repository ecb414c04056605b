package instance

import (
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// holds: INS-027 DRV-067 DEV-024 DEV-039 DEV-049 DEV-050 PHY-008 PHY-014 PHY-023 PHY-084 DRV-080
func TestWholeLife(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one").API("1.0.0").Script("ext VK_KHR_surface 25")
	w.Driver("two", "device name=a type=cpu", "device name=b type=integrated ext=VK_KHR_swapchain:70").API("1.0.0")
	h := w.Start()
	h.OK("create_instance", "ext", "VK_KHR_surface")
	devices := h.OK("physical_devices").Ints("devices")
	var names []string
	for _, d := range devices {
		names = append(names, h.Do("properties", "pd", world.Ref(d)).Text("name"))
	}
	if want := []string{"a", "b", "one"}; !slices.Equal(names, want) {
		t.Fatalf("devices are %v, want %v: the last driver first", names, want)
	}
	h.OK("create_device", "pd", world.Ref(devices[1]), "ext", "VK_KHR_swapchain")
	if h.Do("get_queue").Int("same_word") != 1 {
		t.Error("queue and device have different first words")
	}
	if h.OK("command_buffers", "count", "2").Int("same_word") != 1 {
		t.Error("command buffer and device have different first words")
	}
	h.Do("call", "name", "vkCmdDraw", "arg", "c1", "arg", "3", "arg", "1", "arg", "5", "arg", "6")
	h.Do("destroy_device")
	h.Do("destroy_instance")
	h.Quit()
	draw := w.Log().Fn("vkCmdDraw")
	if len(draw) != 1 || draw[0].Text("who") != "two" || !slices.Equal(draw[0].Strings("args")[:5], []string{"command_buffer:2", "3", "1", "5", "6"}) {
		t.Errorf("the draw arrived as %v", draw)
	}
	for _, event := range w.Log() {
		for _, key := range []string{"instance", "physical_device", "device"} {
			if v := event.Text(key); len(v) > 4 && (v[:4] == "fore" || v[:4] == "dead") {
				t.Errorf("%s got %s as %s", event.Text("fn"), v, key)
			}
		}
	}
}
