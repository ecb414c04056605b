package drivers

import (
	"fmt"
	"testing"

	"vkloader/test/lib/world"
)

// A driver with an impossible number of instance extensions is left out of the list and of instances; the others count (DEV-001). The
// largest possible number is accepted.
//
// holds: INS-017
func TestTooManyInstanceExtensions(t *testing.T) {
	t.Parallel()
	for _, claimed := range []uint32{1<<32 - 1, 1 << 31, 16_519_105, 65_537} {
		t.Run(fmt.Sprint(claimed), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("good", "device name=good", "ext VK_KHR_surface 1")
			bad := w.Driver("bad", "device name=bad", "ext VK_KHR_wayland_surface 1", fmt.Sprint("counts vkEnumerateInstanceExtensionProperties ", claimed))
			h := w.Start()
			same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), append([]string{"VK_KHR_surface"}, ownExtensions...))
			h.OK("create_instance")
			same(t, "devices", deviceNames(h, "i"), []string{"good"})
			h.Do("destroy_instance")
			says(t, h.Quit(), fmt.Sprintf("[ERROR|DRIVER] vkEnumerateInstanceExtensionProperties: ICD %s claims to have %d extensions, which cannot be true: more than 65536. It is left out.", bad.Library, claimed))
		})
	}
	w := loud(t)
	w.Driver("many", "device name=many", "ext VK_KHR_surface 1", "counts vkEnumerateInstanceExtensionProperties 65536")
	h := w.Start()
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), append([]string{"VK_KHR_surface"}, ownExtensions...))
	h.OK("create_instance")
	same(t, "devices", deviceNames(h, "i"), []string{"many"})
	quietAbout(t, h.Quit(), "cannot be true")

	w = loud(t)
	w.Driver("bad", "device name=bad", "counts vkEnumerateInstanceExtensionProperties 4294967295")
	l := live(t, w)
	if l.result == success {
		t.Error("an instance without a driver")
	}
}

// An impossible number of devices or device groups: the driver has none in that answer.
//
// holds: PHY-052
func TestTooManyDevices(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"vkEnumeratePhysicalDevices", "vkEnumeratePhysicalDeviceGroups"} {
		for claimed, left := range map[uint32]bool{1<<32 - 1: true, 1 << 31: true, 4097: true, 4096: false} {
			t.Run(fmt.Sprint(command, claimed), func(t *testing.T) {
				t.Parallel()
				w := loud(t)
				w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
				w.Driver("good", "device name=good").API("1.1.0")
				bad := w.Driver("bad", "device name=bad", fmt.Sprintf("counts %s %d", command, claimed)).API("1.1.0")
				h := w.Start()
				h.OK("create_instance", "api", "1.1.0")
				want, said := "good", "devices"
				if !left {
					want = "bad good"
				}
				list := h.OK("physical_devices")
				names := ""
				for _, d := range list.Ints("devices") {
					names += " " + h.Do("properties", "pd", world.Ref(d)).Text("name")
				}
				groups := len(h.OK("device_groups").Objects("groups"))
				wanted := 2
				if left {
					wanted = 1
				}
				if command == "vkEnumeratePhysicalDevices" {
					same(t, "devices", []string{names}, []string{" " + want})
				} else {
					same(t, "devices", []string{names}, []string{" bad good"})
					said = "device groups"
				}
				if groups != wanted {
					t.Errorf("%d groups, want %d", groups, wanted)
				}
				h.Do("destroy_instance")
				line := fmt.Sprintf("[ERROR|DRIVER] %s: ICD %s claims to have %d %s, which cannot be true: more than 4096. It is left out.", command, bad.Library, claimed, said)
				if exit := h.Quit(); left {
					says(t, exit, line)
				} else {
					quietAbout(t, exit, "cannot be true")
				}
			})
		}
	}
}

// An impossible number of device extensions: the device has only those of layers.
//
// holds: DEV-003
func TestTooManyDeviceExtensions(t *testing.T) {
	t.Parallel()
	for claimed, left := range map[uint32]bool{1<<32 - 1: true, 1 << 31: true, 16_519_105: true, 65_537: true, 65_536: false} {
		t.Run(fmt.Sprint(claimed), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			bad := w.Driver("bad", "device name=bad ext=VK_KHR_swapchain", fmt.Sprint("counts vkEnumerateDeviceExtensionProperties ", claimed))
			w.ImplicitLayer("VK_LAYER_it").Set("device_extensions", []any{map[string]any{"name": "VK_XX_layer", "spec_version": "1", "entrypoints": []string{}}})
			h := w.Start()
			h.OK("create_instance")
			pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
			want := []string{"VK_XX_layer"}
			if !left {
				want = []string{"VK_KHR_swapchain", "VK_XX_layer"}
			}
			same(t, "extensions", h.OK("device_extensions", "pd", pd).Strings("extensions"), want)
			h.OK("create_device", "pd", pd)
			h.Do("destroy_device")
			result := h.Do("create_device", "pd", pd, "ext", "VK_KHR_swapchain").Result()
			if (result == success) == left {
				t.Errorf("with an extension: %d", result)
			}
			if !left {
				h.Do("destroy_device")
			}
			h.Do("destroy_instance")
			line := fmt.Sprintf("[ERROR|DRIVER] vkEnumerateDeviceExtensionProperties: ICD %s claims to have %d extensions, which cannot be true: more than 65536. It is left out.", bad.Library, claimed)
			if exit := h.Quit(); left {
				says(t, exit, line)
			} else {
				quietAbout(t, exit, "cannot be true")
			}
		})
	}
}
