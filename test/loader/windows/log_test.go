package windows

import (
	"strings"
	"testing"
)

// holds: WIN-090
//
// TestRegistryLines checks the DLL's lines about the manifests of the registry.
func TestRegistryLines(t *testing.T) {
	for _, size := range sizes {
		implicitLayer(t, size, "first", windowsPath(t, size, `layers\VkLayer_drawstats.dll`))
		text := run(t, size, []string{"VK_LOADER_DEBUG=all"}, "compute.exe", "BUILDvulkan-1.dll", "10")
		for _, want := range []string{
			`Located json file "C:\windows\system32\winevulkan.json" from registry "HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\Drivers"`,
			`Located json file "C:\first.json" from registry "HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\ImplicitLayers"`,
			`Located json file "` + windowsPath(t, size, `layers\VkLayer_drawstats.json`) + `" from registry "HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\ExplicitLayers"`,
		} {
			if !strings.Contains(text, want+"\n") {
				t.Errorf("%s: no %s in\n%s", size, want, text)
			}
		}
	}
}
