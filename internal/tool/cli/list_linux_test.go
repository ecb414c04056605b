package cli

import (
	"bytes"
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/core/search"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/test/lib/inmemory"
)

// list shows the drivers and layers in use and out of use, with the reasons, on a machine made of files.
func TestListReasons(t *testing.T) {
	tree := &inmemory.Tree{
		Vars: map[string]string{"HOME": "/h", "VK_LOADER_DRIVERS_DISABLE": "off*", "VK_INSTANCE_LAYERS": "VK_LAYER_none"},
		Files: map[string]string{
			"/usr/share/vulkan/icd.d/good.json":   `{"file_format_version":"1.0.0","ICD":{"library_path":"libg.so","api_version":"1.3.0"}}`,
			"/usr/share/vulkan/icd.d/off.json":    `{"file_format_version":"1.0.0","ICD":{"library_path":"libo.so","api_version":"1.3.0"}}`,
			"/usr/share/vulkan/icd.d/broken.json": `{"file_format_version":`,
			"/usr/share/vulkan/explicit_layer.d/a.json": `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_a","type":"GLOBAL",` +
				`"library_path":"liba.so","api_version":"1.3.0","implementation_version":"1","description":"A"}}`,
		},
	}
	f := &found{}
	if err := f.decide(decide.ForeignHost(search.Linux(), tree, &machine.Machine{}), ""); err != nil {
		t.Fatal(err)
	}
	drivers := map[string]discover.ListEntry{}
	for _, row := range f.of(explain.Drivers).Found {
		drivers[search.BaseName(row.Path)] = row
	}
	for name, want := range map[string]struct {
		in   bool
		code string
	}{
		"good.json": {true, "driver-used"}, "off.json": {false, "driver-disabled"}, "broken.json": {false, "file-syntax"},
	} {
		if got := drivers[name]; got.In != want.in || string(got.Code) != want.code || got.Why == "" || got.Statement == "" {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if len(drivers) != 3 {
		t.Errorf("drivers: %+v", drivers)
	}

	var out bytes.Buffer
	printFound(&invocation{out: &out}, f.of(explain.Layers))
	for _, want := range []string{"not used  VK_LAYER_a ", "--        VK_LAYER_none ",
		"There are problems. To fix them: vkloader doctor"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "broken.json") {
		t.Errorf("a driver's manifest among the layers:\n%s", &out)
	}
}
