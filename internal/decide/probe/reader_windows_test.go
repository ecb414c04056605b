package probe

import (
	"os"
	"reflect"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
)

// On a running system, the library's readers, in the probe that VKLOADER_TEST_PROBE names, give the same facts as the
// tool's.
func TestReadersAgree(t *testing.T) {
	program := os.Getenv("VKLOADER_TEST_PROBE")
	if program == "" {
		t.Skip("VKLOADER_TEST_PROBE names no probe")
	}
	r := NewReader(program)
	same := func(what string, got any, ok bool, want any) {
		t.Helper()
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the library's reader has %+v, %v, the tool's %+v", what, got, ok, want)
		}
	}
	bits := map[int]string{32: "32", 64: "64"}[machine.OwnClass]
	values := 0
	for _, hive := range []facts.Hive{facts.LocalMachine, facts.CurrentUser} {
		for _, key := range []string{`SOFTWARE\Khronos\Vulkan\Drivers`, `SOFTWARE\Khronos\Vulkan\ImplicitLayers`, `SOFTWARE\Khronos\Vulkan\ExplicitLayers`,
			`SOFTWARE\Khronos\Vulkan\LoaderSettings`, `SOFTWARE\Microsoft\Windows NT\CurrentVersion`, `SOFTWARE\vkloader\none`, `Control Panel\Desktop`, `Environment`} {
			got, ok := r.Registry(hive, key)
			same(key, got, ok, windows.Registry(hive, key, bits))
			values += len(got.Values)
		}
	}
	if values < 10 {
		t.Errorf("%d values were compared", values)
	}
	for _, name := range []string{"VulkanDriverName", "VulkanDriverNameWow", "VulkanImplicitLayers", "VulkanExplicitLayers"} {
		a, ok := r.Adapters(name)
		same("adapters "+name, a, ok, windows.Adapters(name))
		d, ok := r.Devices(name)
		same("devices "+name, d, ok, windows.Devices(name))
	}
	for _, family := range []string{"Microsoft.D3DMappingLayers_8wekyb3d8bbwe", "none"} {
		p, ok := r.Packages(family)
		same("packages "+family, p, ok, windows.Packages(family))
	}
	d, ok := r.DXGI()
	same("DXGI", d, ok, windows.DXGI())
	p, ok := r.Process()
	same("process", p, ok, windows.Own())
}
