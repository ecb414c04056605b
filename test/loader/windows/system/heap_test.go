package system

import (
	"fmt"
	"testing"

	"vkloader/test/lib/world"
)

// Operations that one process repeats do not increase the loader's memory: after a warm-up and after all rounds, it has the same blocks and
// bytes, which the host counts, and the process has no more handles and threads.
func TestHeapStays(t *testing.T) {
	for _, c := range []struct {
		name     string
		instance bool // an instance lives during all rounds
		lines    []string
	}{
		{"extensions and layers", false, []string{"instance_extensions", "instance_layers", "instance_version"}},
		{"instances", false, []string{"create_instance as=x api=1.1.0 ext=VK_KHR_surface", "physical_devices instance=x", "device_groups instance=x", "destroy_instance name=x"}},
		{"devices", true, []string{"enumerate_first instance=i as=pd", "create_device pd=pd ext=VK_KHR_swapchain", "get_queue", "command_buffers", "destroy_device"}},
		{"surfaces and messengers", true, []string{"create_messenger", "submit_message text=hello", "destroy_messenger", "create_surface type=win32", "destroy_surface"}},
		{"names", true, []string{"gipa instance=i name=vkCmdDraw", "gipa instance=i name=vkNobodyKnows", "enumerate_first instance=i as=pd", "device_extensions pd=pd"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !world.Windows() {
				t.Skip("test/loader/memory has it for other systems")
			}
			t.Parallel()
			w := world.New(t)
			f := w.Driver("a", "device name=a ext=VK_KHR_swapchain:70").API("1.1.0")
			for _, extension := range []string{"VK_KHR_surface", "VK_KHR_win32_surface", "VK_EXT_debug_utils"} {
				f.Script("ext " + extension + " 1")
			}
			w.ImplicitLayer("VK_LAYER_it")
			h := w.Start()
			if c.instance {
				h.OK("create_instance", "api", "1.1.0", "ext", "VK_KHR_surface", "ext", "VK_KHR_win32_surface", "ext", "VK_EXT_debug_utils")
			}
			script := []string{"as", "round"}
			for _, line := range c.lines {
				script = append(script, "line", line)
			}
			h.Do("script", script...)
			held := func() string {
				if a := h.Do("run", "script", "round", "times", "20"); a.Int("bad") != 0 {
					t.Fatalf("%v", a)
				}
				blocks, state := h.Do("malloc_fail"), h.Do("state")
				return fmt.Sprintf("%d blocks, %d bytes, %d handles, %d threads", blocks.Int("live"), h.Do("heap").Int("used"), state.Int("descriptors"), state.Int("threads"))
			}
			held()
			if before, after := held(), held(); before != after {
				t.Errorf("it had %s, and has %s", before, after)
			}
			if c.instance {
				h.Do("destroy_instance")
			}
			h.Quit()
		})
	}
}
