package world

import (
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Host, fakes and interposer work on the distribution's loader.
func TestFrameOnSystemLoader(t *testing.T) {
	t.Parallel()
	w := NewSystem(t)
	w.Driver("one").API("1.1.0").Script("ext VK_KHR_surface 25")
	w.Driver("two", "device name=a type=cpu", "device name=b type=integrated ext=VK_KHR_swapchain:70").API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0", "ext", "VK_KHR_surface")
	devices := h.OK("physical_devices").Ints("devices")
	if len(devices) != 3 {
		t.Fatalf("%d devices, want 3", len(devices))
	}
	var names []string
	for _, d := range devices {
		names = append(names, h.Do("properties", "pd", Ref(d)).Text("name"))
	}
	if !slices.Equal(names, []string{"one", "b", "a"}) {
		t.Errorf("devices are %v", names)
	}
	h.OK("create_device", "pd", Ref(devices[1]), "ext", "VK_KHR_swapchain")
	if h.Do("get_queue").Int("same_word") != 1 {
		t.Error("queue and device have different first words")
	}
	h.OK("command_buffers", "count", "2")
	h.Do("call", "name", "vkCmdDraw", "arg", "c1", "arg", "3", "arg", "1")
	h.Do("destroy_device")
	h.Do("destroy_instance")
	h.Quit()
	draw := w.Log().Fn("vkCmdDraw")
	if len(draw) != 1 || draw[0].Strings("args")[0] != "command_buffer:2" || draw[0].Text("who") != "two" {
		t.Errorf("the draw arrived as %v", draw)
	}
	if made := w.Log().Fn("vkCreateInstance"); len(made) != 2 || made[0].Object("app").Int("api") != 1<<22|1<<12 {
		t.Errorf("instances: %v", made)
	}
}

func TestDeathIsSeen(t *testing.T) {
	t.Parallel()
	w := NewSystem(t)
	w.Driver("one")
	w.Env["VK_LOADER_DEBUG"] = "error" // otherwise this loader prints nothing, or in another form
	h := w.Start()
	h.OK("create_instance")
	exit := h.Dies("call", "name", "vkEnumeratePhysicalDevices", "arg", "garbage", "arg", "out", "arg", "null")
	if exit.Signal != syscall.SIGABRT {
		t.Errorf("died of %v, code %d", exit.Signal, exit.Code)
	}
	if !strings.Contains(exit.Stderr, "Invalid instance") {
		t.Errorf("standard error is %q", exit.Stderr)
	}
}
