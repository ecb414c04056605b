package discovery

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// The hardware policy of the settings file: the kernel's devices decide which drivers are opened,
// at every call (docs/tool.md, policy).
func TestHardwarePolicy(t *testing.T) {
	t.Parallel()
	w := loud(t)
	for _, name := range []string{"libvulkan_radeon", "libGLX_nvidia", "libvulkan_lvp"} {
		w.Driver(name)
	}
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	w.Write("system/sys/class/drm/version", "") // the kernel's list, without a device
	s := start(t, w)
	created := func(policy string) string {
		settingsObject(w, `{"vkloader_driver_hardware":"`+policy+`"}`)
		w.ForgetLog()
		if r := s.h.Do("create_instance").Result(); r != success {
			t.Fatal(policy, r)
		}
		s.h.Do("destroy_instance")
		return strings.Join(w.Log().Fn("vkCreateInstance").Who(), " ")
	}
	const all = "libvulkan_radeon libGLX_nvidia libvulkan_lvp"
	same(t, "without a device", created("present"), "libvulkan_lvp")
	same(t, "without a policy", created("any"), all)
	device(w, "renderD128", "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:73BF\n", "suspended\n")
	device(w, "card0-HDMI-A-1", "PCI_ID=10DE:2684\n", "active\n") // a connector, no device
	same(t, "with a device of AMD", created("present"), "libvulkan_radeon libvulkan_lvp")
	same(t, "which sleeps", created("awake"), "libvulkan_lvp")
	s.lines().has(t, "INFO | DRIVER", `Driver "libvulkan_radeon.json" ignored because the AMD device is asleep (hardware policy of `+settingsFile+")")
	w.Write("system/dev/nvidiactl", "")
	same(t, "with NVIDIA's node", created("awake"), "libGLX_nvidia libvulkan_lvp")
	device(w, "renderD129", "PCI_ID=1002:73BF\n"+strings.Repeat("x", 2000), "active")
	same(t, "with two devices of AMD", created("awake"), all)
	s.end()
}

// device creates a render node as the kernel shows it in /sys.
func device(w *world.World, node, uevent, power string) {
	w.Write("system/sys/class/drm/"+node+"/device/uevent", uevent)
	w.Write("system/sys/class/drm/"+node+"/device/power/runtime_status", power)
}
