package survey

import (
	"encoding/json"
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/decide/drivers"
)

// laptop returns an Intel chip with two drivers, an NVIDIA card with two, and lavapipe. A second card is first on the bus.
func laptop() ([]discover.Device, []*drivers.GPU) {
	uuid := func(c string) string { return strings.Repeat(c, 32) }
	return []discover.Device{
			{Index: 0, Name: "RTX (NVK)", Type: discrete, VendorID: 0x10de, DeviceID: 0x2684, PCI: "0000:02:00.0", DriverID: mesaNVK, DeviceUUID: uuid("a")},
			{Index: 1, Name: "RTX", Type: discrete, VendorID: 0x10de, DeviceID: 0x2684, PCI: "0000:02:00.0", DriverID: nvidiaProprietary, DeviceUUID: uuid("a")},
			{Index: 2, Name: "RTX 2", Type: discrete, VendorID: 0x10de, DeviceID: 0x2684, PCI: "0000:01:00.0", DriverID: nvidiaProprietary, DeviceUUID: uuid("b")},
			{Index: 3, Name: "llvmpipe", Type: 4, VendorID: 0x10005, DeviceUUID: uuid("c")},
			{Index: 4, Name: "Xe", Type: integrated, VendorID: 0x8086, DeviceID: 0x9a49, DriverID: mesaANV, DeviceUUID: uuid("d")},
		}, []*drivers.GPU{
			{Name: "0000:00:02.0", Vendor: "0x8086", Device: "0x9a49", Kernel: "i915", Cards: []string{"card1", "renderD128"}},
			{Name: "0000:01:00.0", Vendor: "0x10de", Device: "0x2684", Kernel: "nvidia", Cards: []string{"card2", "renderD129"}},
			{Name: "0000:02:00.0", Vendor: "0x10de", Device: "0x2684", Kernel: "nvidia", Cards: []string{"card0", "renderD130"}},
		}
}

// A device has several names, and absent names are omitted.
func TestDeviceNames(t *testing.T) {
	t.Parallel()
	rows := NamesOf(laptop())
	for i, want := range []string{
		`{"index":0,"name":"RTX (NVK)","pci":"0000:02:00.0","kernel_driver":"nvidia","card":"/dev/dri/card0","render":"/dev/dri/renderD130","ggml_raw":0,"opengl":"nvidia","vaapi":"nvidia"}`,
		`{"index":1,"name":"RTX","pci":"0000:02:00.0","kernel_driver":"nvidia","card":"/dev/dri/card0","render":"/dev/dri/renderD130","ggml_raw":1,"ggml_compact":0,"cuda_uuid":"GPU-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa","cuda_index":1,"opengl":"nvidia","vaapi":"nvidia"}`,
		`{"index":2,"name":"RTX 2","pci":"0000:01:00.0","kernel_driver":"nvidia","card":"/dev/dri/card2","render":"/dev/dri/renderD129","ggml_raw":2,"ggml_compact":1,"cuda_uuid":"GPU-bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb","cuda_index":0,"opengl":"nvidia","vaapi":"nvidia"}`,
		`{"index":3,"name":"llvmpipe","ggml_raw":3}`,
		`{"index":4,"name":"Xe","pci":"0000:00:02.0","kernel_driver":"i915","card":"/dev/dri/card1","render":"/dev/dri/renderD128","ggml_raw":4,"ggml_compact":2,"opengl":"iris","vaapi":"iHD"}`,
	} {
		if got, err := json.Marshal(rows[i]); err != nil || string(got) != want {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
	}
	alone := NamesOf([]discover.Device{{Name: "llvmpipe", Type: 4}}, nil)
	if alone[0].GGMLCompact == nil || *alone[0].GGMLCompact != 0 {
		t.Errorf("a device of the processor alone: %+v", alone[0])
	}
}

// Windows has no programs that use DRI_PRIME or Mesa's layer.
func TestVariableKinds(t *testing.T) {
	t.Parallel()
	if got := strings.Join(VariableKinds(false), " "); got != "ggml cuda dri mesa" {
		t.Errorf("Linux: %s", got)
	}
	if got := strings.Join(VariableKinds(true), " "); got != "ggml cuda" {
		t.Errorf("Windows: %s", got)
	}
}

// The variables select exactly one device, or there is an error.
func TestDeviceVariables(t *testing.T) {
	t.Parallel()
	rows := NamesOf(laptop())
	for _, c := range []struct {
		kind string
		at   int
		want string
	}{
		{GGML, 4, "GGML_VK_VISIBLE_DEVICES=4"}, {CUDA, 2, "CUDA_VISIBLE_DEVICES=GPU-bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"}, {CUDA, 4, "error: Xe is not a CUDA device"},
		{DRI, 4, "DRI_PRIME=pci-0000_00_02_0!"}, {DRI, 1, "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia __VK_LAYER_NV_optimus=NVIDIA_only"},
		{DRI, 3, "error: llvmpipe has no known PCI address"}, {Mesa, 4, "MESA_VK_DEVICE_SELECT=8086:9a49!"}, {Mesa, 2, "error: RTX 2 is not the only device"},
		{"opencl", 0, `error: "opencl" is not a kind of program`},
	} {
		list, err := DeviceVariables(c.kind, rows, c.at)
		var words []string
		for _, v := range list {
			words = append(words, v.Name+"="+v.Value)
		}
		got := strings.Join(words, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s %d: %s, want %s", c.kind, c.at, got, c.want)
		}
	}
}
