package plan

import (
	"strings"
	"testing"

	"vkloader/internal/core/facts"
)

const (
	amd     = "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:73BF\nPCI_SLOT_NAME=0000:03:00.0\n"
	intel   = "DRIVER=i915\nPCI_CLASS=30000\nPCI_ID=8086:9A49\n"
	nvidia  = "DRIVER=nvidia\nPCI_CLASS=30000\nPCI_ID=10DE:2684\n"
	guest   = "DRIVER=virtio-pci\nPCI_CLASS=38000\nPCI_ID=1AF4:1050\n"
	nouveau = "DRIVER=nouveau\nPCI_CLASS=30000\nPCI_ID=10DE:2684\n"
	nova    = "DRIVER=nova2\nPCI_CLASS=30000\nPCI_ID=10DE:2684\n"
	oldest  = "DRIVER=radeon\nPCI_CLASS=30000\nPCI_ID=1002:6738\n"
	tegra   = "DRIVER=tegra\nOF_NAME=gpu\n"
	pi      = "DRIVER=v3d\nOF_NAME=gpu\nOF_COMPATIBLE_0=brcm,2711-v3d\n"
	notPi   = "DRIVER=bochs-drm\nPCI_ID=1234:1111\n"
	unclear = "DRIVER\nPCI_ID=1002\n"
)

// The hardware policy of the settings (docs/tool.md).
func TestHardwarePolicy(t *testing.T) {
	const all = "amd.json broadcom.json gfxstream.json intel.json lvp.json nouveau.json nvidia.json other.json virtio.json"
	shown := func(devices ...string) facts.Graphics {
		return facts.Graphics{Listed: true, Devices: devices, Power: make([]string, len(devices))}
	}
	power := func(g facts.Graphics, words ...string) facts.Graphics {
		g.Power = words
		return g
	}
	for _, c := range []struct {
		name, policy string
		graphics     facts.Graphics
		nodes        string
		want         string
	}{
		{"off", `"any"`, shown(amd), "/sys/class", all},
		{"no word of the policy", `"there"`, shown(amd), "/sys/class", all},
		{"no text", `5`, shown(amd), "/sys/class", all},
		{"nothing", `"present"`, shown(), "/sys/class", "lvp.json other.json"},
		{"AMD", `"present"`, shown(amd), "/sys/class", "amd.json lvp.json other.json"},
		{"two", `"present"`, shown(intel, nvidia), "/sys/class", "intel.json lvp.json nvidia.json other.json"},
		{"NVIDIA's card with nouveau", `"present"`, shown(nouveau), "/sys/class", "lvp.json nouveau.json other.json"},
		{"NVIDIA's cards with both", `"present"`, shown(nvidia, nouveau), "/sys/class", "lvp.json nouveau.json nvidia.json other.json"},
		{"NVIDIA's card, a kernel driver that is not known", `"present"`, shown(nova), "/sys/class", "lvp.json nouveau.json nvidia.json other.json"},
		{"AMD's card, a kernel driver that is not known", `"present"`, shown(oldest), "/sys/class", "amd.json lvp.json other.json"},
		{"NVIDIA's nodes alone", `"present"`, shown(), "/sys/class /dev/nvidiactl", "lvp.json nvidia.json other.json"},
		{"nodes of a Tegra", `"present"`, shown(), "/sys/class /dev/nvgpu", "lvp.json nvidia.json other.json"},
		{"nouveau and NVIDIA's nodes", `"present"`, shown(nouveau), "/sys/class /dev/nvidiactl", "lvp.json nouveau.json nvidia.json other.json"},
		{"in a virtual machine", `"present"`, shown(guest), "/sys/class", "amd.json gfxstream.json intel.json lvp.json other.json virtio.json"},
		{"on no PCI bus", `"present"`, shown(tegra, pi), "/sys/class", "broadcom.json lvp.json nvidia.json other.json"},
		{"a device that shows pictures alone", `"present"`, shown(notPi), "/sys/class", "lvp.json other.json"},
		{"unclear", `"present"`, shown(unclear, ""), "/sys/class", "lvp.json other.json"},
		{"no such class", `"present"`, facts.Graphics{}, "/sys/class", "lvp.json other.json"},
		{"nothing is shown", `"present"`, facts.Graphics{}, "", all},
		{"sleeps, and may", `"present"`, power(shown(nvidia, intel), "suspended", "active"), "/sys/class",
			"intel.json lvp.json nvidia.json other.json"},
		{"sleeps", `"awake"`, power(shown(nvidia, intel), "suspended", "active"), "/sys/class", "intel.json lvp.json other.json"},
		{"one of two sleeps", `"awake"`, power(shown(amd, amd), "suspended", "active"), "/sys/class", "amd.json lvp.json other.json"},
		{"the other of two sleeps", `"awake"`, power(shown(amd, amd), "active", "suspended"), "/sys/class", "amd.json lvp.json other.json"},
		{"sleeps, with a node", `"awake"`, power(shown(nvidia), "suspended"), "/sys/class /dev/nvidiactl", "lvp.json other.json"},
		{"power is not known", `"awake"`, power(shown(amd)), "/sys/class", "amd.json lvp.json other.json"},
	} {
		w := newWorld().settings(`{"vkloader_driver_hardware":` + c.policy + `}`)
		for name, library := range map[string]string{
			"amd": "libvulkan_radeon.so", "broadcom": "libvulkan_broadcom.so", "gfxstream": "libvulkan_gfxstream.so", "intel": "/usr/lib/libvulkan_intel.so", "lvp": "libvulkan_lvp.so",
			"nouveau": "libvulkan_nouveau.so", "nvidia": "libGLX_nvidia.so.0", "other": "libvulkan_radeon_pro.so", "virtio": "libvulkan_virtio.so",
		} {
			w.library(name, library)
		}
		w.Devices = c.graphics
		for _, node := range strings.Fields(c.nodes) {
			w.Files[node] = ""
		}
		a := w.ask(t, Instance, Name{})
		expect(t, c.name, drivers(a), c.want)
		if out := strings.Count(logText(a), "(hardware policy of "); out != len(strings.Fields(all))-len(strings.Fields(c.want)) {
			t.Errorf("%s: %d lines about drivers that are left out:\n%s", c.name, out, logText(a))
		}
	}
}

func (w *world) library(name, library string) *world {
	w.Files[driverDirectory+name+".json"] = `{"file_format_version":"1.0.1","ICD":{"library_path":"` + library + `","api_version":"1.3.0"}}`
	return w
}

// Where nothing would be left the policy does not hold.
func TestHardwarePolicyLeavesADriver(t *testing.T) {
	w := newWorld().settings(`{"vkloader_driver_hardware":"present"}`).library("amd", "libvulkan_radeon.so").library("intel", "libvulkan_intel.so")
	w.Devices.Listed = true
	a := w.ask(t, Instance, Name{})
	expect(t, "drivers", drivers(a), "amd.json intel.json")
	if text := foundOf(a, "/usr/local/etc/vulkan//loader_settings.d/vk_loader_settings.json"); !strings.Contains(text, "driver-policy") {
		t.Errorf("found %s", text)
	}
	// A driver that a variable leaves out counts as none.
	w.library("lvp", "libvulkan_lvp.so").Vars["VK_LOADER_DRIVERS_DISABLE"] = "lvp*"
	expect(t, "without software", drivers(w.ask(t, Instance, Name{})), "amd.json intel.json")
	delete(w.Vars, "VK_LOADER_DRIVERS_DISABLE")
	a = w.ask(t, Instance, Name{})
	expect(t, "with software", drivers(a), "lvp.json")
	if text := foundOf(a, "amd.json"); !strings.Contains(text, "driver-no-hardware") || !strings.Contains(text, "no AMD device is present") {
		t.Errorf("found %s", text)
	}
	expectLog(t, a, `INFO|DRIVER: Driver "amd.json" ignored because no AMD device is present (hardware policy of `+
		"/usr/local/etc/vulkan//loader_settings.d/vk_loader_settings.json)")
}

// Two drivers for the cards of one maker: the kernel driver of the card decides (docs/tool.md).
func TestHardwarePolicySaysTheKernelDriver(t *testing.T) {
	w := newWorld().settings(`{"vkloader_driver_hardware":"present"}`).library("lvp", "libvulkan_lvp.so").library("nouveau", "libvulkan_nouveau.so").
		library("nvidia", "libGLX_nvidia.so.0")
	w.Devices = facts.Graphics{Listed: true, Devices: []string{nvidia}, Power: []string{""}}
	expectLog(t, w.ask(t, Instance, Name{}), `INFO|DRIVER: Driver "nouveau.json" ignored because the NVIDIA device has the kernel driver nvidia, not nouveau `+
		"(hardware policy of /usr/local/etc/vulkan//loader_settings.d/vk_loader_settings.json)")
	w.Devices.Devices[0] = nouveau
	expectLog(t, w.ask(t, Instance, Name{}), `INFO|DRIVER: Driver "nvidia.json" ignored because the NVIDIA device has the kernel driver nouveau, not nvidia `+
		"(hardware policy of /usr/local/etc/vulkan//loader_settings.d/vk_loader_settings.json)")
}
