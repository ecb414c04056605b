package loaders

import (
	"testing"

	"vkloader/internal/decide/binary"
)

// The product in its resources identifies this project's DLL. The version of another DLL comes from its resources, or else
// from its text. Its constants show which variables it reads; without constants, its version does.
func TestDLLs(t *testing.T) {
	t.Parallel()
	const shown = "VK_ICD_FILENAMES\x00VK_INSTANCE_LAYERS\x00"
	for _, c := range []struct {
		name                string
		file                binary.PE
		text                string
		ours                bool
		version, from       string
		disable, allow, set Support // VK_LOADER_LAYERS_DISABLE, VK_LOADER_LAYERS_ALLOW, the settings file
	}{
		{"this project's", binary.PE{Version: "1.4.363.0", Product: "vkloader", Release: "0.9.0"}, "", true, "1.4.363", FromResources, Yes, Yes, Yes},
		{"an old one", binary.PE{Version: "1.2.141.0", Product: "Vulkan Runtime", Release: "1.2.141.0"}, "", false, "1.2.141", FromResources, No, No, No},
		{"by its text", binary.PE{}, "Vulkan Loader Version 1.3.239\x00", false, "1.3.239", FromText, Yes, No, No},
		{"by its constants", binary.PE{Version: "1.3.250.0"}, shown + "VK_LOADER_LAYERS_DISABLE\x00VK_LOADER_LAYERS_ALLOW\x00", false, "1.3.250", FromResources, Yes, Yes, Unknown},
		{"with a path of another form", binary.PE{Version: "1.4.363.0"}, shown, false, "1.4.363", FromResources, No, No, Yes},
		{"without a version", binary.PE{}, "", false, "", "", Unknown, Unknown, Unknown},
	} {
		l := identifyDLL(`C:\game\vulkan-1.dll`, &c.file, []byte(c.text))
		if l.Ours() != c.ours || l.Version != c.version || l.From != c.from {
			t.Errorf("%s: %+v", c.name, l)
		}
		if got := [3]Support{l.Has("VK_LOADER_LAYERS_DISABLE"), l.Has("VK_LOADER_LAYERS_ALLOW"), l.Has(SettingsFile)}; got != [3]Support{c.disable, c.allow, c.set} {
			t.Errorf("%s: has %v", c.name, got)
		}
	}
}
