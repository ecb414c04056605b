package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"vkloader/discover"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/vk"
	"vkloader/internal/tool/doctor"
)

// With 80 columns, no line of the first screen, a table or a finding is longer, and no text is missing.
func TestEightyColumns(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	long := "usr/share/vulkan/icd.d/a_driver_with_quite_a_long_name_as_some_vendors_have_it.x86_64.json"
	path := filepath.Join(root, long)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"file_format_version":"1.0.0","ICD":{"library_path":"/opt/a/directory/of/a/long/name/lib/`+
		`x86_64-linux-gnu/libvulkan_of_a_vendor.so","api_version":"1.3.0"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"doctor", "--full"}, {"list", "drivers"}, {"list", "paths"}, {"list", "variables", "--set"}, {"list", "variables"}} {
		var out, errOut bytes.Buffer
		s := &invocation{out: &out, errOut: &errOut, executable: os.Args[0], environ: []string{"COLUMNS=80"}}
		runLine(s, append(args, "--root", root, "--env", "VK_LOADER_DRIVERS_DISABLE=a_very_long_pattern_that_matches_nothing_at_all*"))
		for _, line := range strings.Split(out.String(), "\n") {
			if utf8.RuneCountInString(line) > 80 && strings.Contains(strings.TrimSpace(line), " ") { // names are not broken
				t.Errorf("%v: %d columns: %s", args, utf8.RuneCountInString(line), line)
			}
		}
		whole := strings.Join(strings.Fields(out.String()), "")
		if len(args) == 0 && (!strings.Contains(whole, "Nodriverworks") || !strings.Contains(whole, "vkloaderdoctor") ||
			strings.Count(out.String(), "\n") > 40) {
			t.Errorf("the first screen:\n%s", &out)
		}
	}
}

// --version prints the release. Only --rules prints rules.
func TestVersionAndRules(t *testing.T) {
	t.Parallel()
	say := func(args ...string) string {
		var out, errOut bytes.Buffer
		runLine(&invocation{out: &out, errOut: &errOut, executable: os.Args[0]}, args)
		return out.String() + errOut.String()
	}
	if got := say("--version"); got != "vkloader "+release+"\n" {
		t.Errorf("%q", got)
	}
	root := t.TempDir()
	manifest := filepath.Join(root, "usr/share/vulkan/icd.d/gone.json")
	if err := os.MkdirAll(filepath.Dir(manifest), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, []byte(`{"file_format_version":"1.0.0","ICD":{"library_path":"/gone.so","api_version":"1.3.0"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if plain, rules := say("doctor", "--root", root), say("doctor", "--root", root, "--rules"); strings.Contains(plain, "DRV-042") ||
		!strings.Contains(rules, "DRV-042") {
		t.Errorf("%s\n%s", plain, rules)
	}
}

// The first screen names devices in programs' order. With two devices that are not on the CPU, it says how to choose a
// discrete one, or another than the first. Two drivers may list one device.
func TestDevicesInProgramsOrder(t *testing.T) {
	t.Parallel()
	intel, nvidia := probe.Device{Index: 0, Name: "Intel Iris Xe", Type: vk.Integrated}, probe.Device{Index: 1, Name: "RTX 3050", Type: vk.Discrete}
	software := probe.Device{Index: 2, Name: "llvmpipe", Type: vk.CPU}
	for _, c := range []struct {
		devices []probe.Device
		names   string
		choice  string
	}{
		{[]probe.Device{intel, nvidia, software}, "0 Intel Iris Xe, 1 RTX 3050, 2 llvmpipe", "vkloader run --device 1 %command%"},
		{[]probe.Device{{Name: "RTX 3050", Type: vk.Discrete}, {Index: 1, Name: "Iris", Type: vk.Integrated}}, "0 RTX 3050, 1 Iris", "--device 0 "},
		{[]probe.Device{{Name: "RTX 3050", Type: vk.Discrete}, nvidia}, "0 RTX 3050, 1 RTX 3050", "--device 1 "},
		{[]probe.Device{intel, software}, "0 Intel Iris Xe, 2 llvmpipe", ""},
		{nil, "", ""},
		{[]probe.Device{intel, {Index: 1, Name: "Iris"}, {Index: 2, Name: "RTX", Type: vk.Discrete}}, "0 Intel Iris Xe, 1 Iris, 2 RTX", "--device 2 "},
		{[]probe.Device{{Name: "A", PCI: "0000:01:00.0"}, {Index: 1, Name: "B", PCI: "0000:01:00.0"}}, "0 A, 1 B", ""},
	} {
		r := &doctor.Report{Devices: c.devices, HasSteam: true}
		if _, names := devicesInOrder(r); strings.Join(names, ", ") != c.names {
			t.Errorf("%q, want %q", names, c.names)
		}
		if got := deviceChoice(r); !strings.Contains(got, c.choice) || (got == "") != (c.choice == "") {
			t.Errorf("%q, want %q", got, c.choice)
		}
		if r.HasSteam = false; strings.Contains(deviceChoice(r), "%command%") {
			t.Errorf("without Steam: %q", deviceChoice(r))
		}
	}
}

// The lasting choice of a device is one that the program's loader or a layer reads. The devices of one card need no
// choice, nor does the first device; variables cannot choose one of two equal devices.
func TestLastingChoiceIsInForce(t *testing.T) {
	t.Parallel()
	old := &loaders.Loader{Version: "1.3.239"}
	layer := doctor.Entry{Name: drivers.MesaLayer, Used: true, Good: true}
	gpu := func(vendor, device string, drivers ...string) doctor.GPU {
		return doctor.GPU{GPU: discover.GPU{Vendor: vendor, Device: device, Drivers: drivers}}
	}
	intelDevice := probe.Device{Name: "Intel", Type: vk.Integrated, VendorID: 0x8086}
	rtx := probe.Device{Name: "RTX", Type: vk.Discrete, VendorID: 0x10de, DeviceID: 0x1f08}
	intel, nvidia := gpu("0x8086", "0x3e92", "/intel.json"), gpu("0x10de", "0x1f08", "/nvidia.json")
	for _, c := range []struct {
		r    doctor.Report
		want string
	}{
		{doctor.Report{Loader: &loaders.Loader{Release: "1"}}, "; for good: vkloader settings set --device nvidia --app PROGRAM"},
		{doctor.Report{Loader: old}, "vkloader run --device nvidia PROGRAM"},
		{doctor.Report{Loader: old, Layers: []doctor.Entry{layer}}, "; for good, in ~/.profile: export MESA_VK_DEVICE_SELECT='10de:1f08!'"},
		{doctor.Report{Loader: old, GPUs: []doctor.GPU{intel, nvidia}}, "; for good, in ~/.profile: export VK_ICD_FILENAMES=/nvidia.json"},
		{doctor.Report{Loader: old, GPUs: []doctor.GPU{intel, nvidia}, Drivers: []doctor.Entry{{Manifest: "/nvidia32.json", Class: 32}}},
			"; for good, in ~/.profile: export VK_ICD_FILENAMES=/nvidia.json:/nvidia32.json"},
		{doctor.Report{Loader: old, GPUs: []doctor.GPU{gpu("0x8086", "0x3e92", "/nvidia.json"), nvidia}}, "vkloader run --device nvidia PROGRAM"},
		{doctor.Report{GPUs: []doctor.GPU{nvidia}}, ""},
		{doctor.Report{Loader: old, Devices: []probe.Device{rtx, intelDevice}}, ""},
		{doctor.Report{Loader: old, Devices: []probe.Device{rtx, rtx}, GPUs: []doctor.GPU{nvidia, nvidia}}, ""},
		{doctor.Report{Devices: []probe.Device{rtx, {Index: 1, Name: "RTX", Type: vk.Discrete, VendorID: 0x10de, DeviceID: 0x1f08}}},
			"RTX: vkloader settings set --device 1 --app PROGRAM"},
	} {
		if c.r.Devices == nil {
			c.r.Devices = []probe.Device{intelDevice, {Index: 1, Name: "RTX", Type: vk.Discrete, VendorID: 0x10de, DeviceID: 0x1f08}}
		}
		if got := deviceChoice(&c.r); !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	same := doctor.Report{Loader: old, Layers: []doctor.Entry{layer}, Devices: []probe.Device{
		{Name: "RX", Type: vk.Discrete, VendorID: 0x1002, DeviceID: 0x744c, PCI: "0000:03:00.0"},
		{Index: 1, Name: "RX", Type: vk.Discrete, VendorID: 0x1002, DeviceID: 0x744c, PCI: "0000:83:00.0"}}}
	if got := deviceChoice(&same); got != "Programs that take the first device get RX. For RX at 0000:83:00.0: vkloader run --device 0000:83:00.0 PROGRAM; "+
		"for good, in ~/.profile: export DRI_PRIME='pci-0000_83_00_0!'" {
		t.Error(got)
	}
}

// The first screen names a search for a culprit only where a driver may have one: without any device, each run fails.
func TestNextStepsSearch(t *testing.T) {
	t.Parallel()
	for result, want := range map[doctor.ProbeResult]bool{doctor.ProbeOK: true, doctor.ProbeCrashes: true, doctor.ProbeFails: false, doctor.ProbeNoDevice: false} {
		steps := nextSteps(&doctor.Report{Drivers: make([]doctor.Entry, 1), Probes: []doctor.Probe{{Result: result}, {Result: doctor.ProbeNoDevice}}}, true)
		if got := strings.Contains(fmt.Sprint(steps), "--find-culprit"); got != want {
			t.Errorf("%s: %v", result, steps)
		}
	}
}
