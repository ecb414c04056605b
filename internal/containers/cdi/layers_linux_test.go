package cdi

import (
	"fmt"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// If layers for both word sizes have one name, each manifest in the container states its word size, so that a loader does not
// take the one whose library it cannot open.
func TestLayerForBothSizes(t *testing.T) {
	t.Parallel()
	manifest := `text {"file_format_version":"1.1.0","layer":{"name":"VK_LAYER_checks","type":"GLOBAL","library_path":"libchecks.so",` +
		`"api_version":"1.3.0","implementation_version":"1","description":"checks"}}`
	const narrow = "usr/lib/i386-linux-gnu/"
	files := map[string]string{
		narrow + "libc.so.6":      "class=32 machine=i386 soname=libc.so.6 defines=GLIBC_2.17",
		narrow + "libvulkan.so.1": "class=32 machine=i386 soname=libvulkan.so.1",
		"usr/bin/vulkaninfo":      "soname=x",
	}
	for _, kind := range []struct{ name, words string }{{"x86_64", ""}, {"i386", "class=32 machine=i386 "}} {
		files[strings.TrimPrefix(filesPlace, "/")+kind.name+"/libchecks.so"] = kind.words + "soname=libchecks.so needed=libc.so.6"
		files[strings.TrimPrefix(layersPlace, "/")+kind.name+"/"+explicitLayers+"/checks.json"] = manifest
		files[strings.TrimPrefix(manifestsPlace, "/")+kind.name+"/none"] = "text "
	}
	m := image(t, files)
	a := Arrange(m, Situation{})
	for size, name := range map[int]string{64: "host-checks.json", 32: "host-i386-checks.json"} {
		at := "/etc/vulkan/" + explicitLayers + "/" + name
		text := ""
		for _, i := range a.Put {
			if i.Path == at {
				text = string(i.Text)
			}
		}
		if want := fmt.Sprintf(`"library_arch": "%d"`, size); !strings.Contains(text, want) {
			t.Errorf("%s does not say %s: %s %+v", at, want, text, a.Drivers)
		}
	}
	into := t.TempDir()
	tree.Libraries(t, into, files)
	for _, i := range a.Put {
		tree.Libraries(t, into, map[string]string{i.Path: "text " + string(i.Text)})
	}
	for _, i := range a.Own {
		tree.Libraries(t, into, map[string]string{i.Path: "text " + string(i.Text)})
	}
	for size, kind := range map[int]string{64: "x86_64", 32: "i386"} {
		layers, err := machineLayers(&machine.Source{Machine: machine.Machine{Root: into}}, kind)
		if err != nil || len(layers) != 1 || layers[0].Library != opensPlace+kind+"/libchecks.so" {
			t.Errorf("programs of %d bits get %d layers: %v", size, len(layers), err)
		}
	}
}
