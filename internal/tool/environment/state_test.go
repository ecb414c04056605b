package environment

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/explain"
	"vkloader/test/lib/inmemory"
	"vkloader/test/lib/tree"
)

// Each variable has the expected state: unset, in force, without effect, or replaced by another one.
func TestVariableStates(t *testing.T) {
	const (
		uuid    = `[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]`
		devices = `{"file_format_version":"1.0.0","settings":{"device_configurations":[{"deviceUUID":` + uuid + `,"driverUUID":` + uuid + `,"driverVersion":1}]}}`
		layers  = `{"file_format_version":"1.0.0","settings":{"stderr_log":["all"],"layers":[]}}`
		places  = "/h/.config/vulkan//loader_settings.d/vk_loader_settings.json"
		over    = `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_LUNARG_override","type":"GLOBAL","component_layers":[],"override_paths":["/o"],` +
			`"api_version":"1.3.0","implementation_version":"1","description":"D","disable_environment":{"NO_OVERRIDE":"1"}}}`
	)
	for _, c := range []struct {
		set      string // space-separated NAME=VALUE
		settings string
		override bool
		elevated bool
		want     string // space-separated NAME:state
	}{
		{"VK_DRIVER_FILES=/x VK_ADD_DRIVER_FILES=/y VK_ICD_FILENAMES=/z", "", false, false,
			"VK_DRIVER_FILES:in force,VK_ADD_DRIVER_FILES:ignored,VK_ICD_FILENAMES:ignored,HOME:in force,VK_LAYER_PATH:unset"},
		{"VK_DRIVER_FILES= VK_LOADER_DRIVERS_SELECT= VK_LAYER_PATH= VK_ADD_LAYER_PATH=/x", "", false, false,
			"VK_DRIVER_FILES:in force,VK_LOADER_DRIVERS_SELECT:no effect,VK_LAYER_PATH:in force,VK_ADD_LAYER_PATH:ignored"},
		{"VK_DRIVER_FILES=/x VK_LOADER_DRIVERS_DISABLE=a VK_INSTANCE_LAYERS=a VK_LOADER_DEBUG=all HOME=/h", "", false, true,
			"VK_DRIVER_FILES:ignored,VK_LOADER_DRIVERS_DISABLE:ignored,VK_INSTANCE_LAYERS:in force,VK_LOADER_DEBUG:in force,HOME:ignored"},
		{"VK_DRIVER_FILES=/x VK_ICD_FILENAMES=/x VK_ADD_DRIVER_FILES=/x VK_LOADER_DRIVERS_SELECT=* VK_LOADER_DRIVERS_DISABLE=a VK_LAYER_PATH=/l " +
			"VK_LOADER_DEVICE_SELECT=1:2 VK_LOADER_DEVICE_ID_FILTER=1", devices, false, false,
			"VK_DRIVER_FILES:ignored,VK_ICD_FILENAMES:ignored,VK_ADD_DRIVER_FILES:ignored,VK_LOADER_DRIVERS_SELECT:ignored,VK_LOADER_DRIVERS_DISABLE:ignored," +
				"VK_LAYER_PATH:in force,VK_LOADER_DEVICE_SELECT:ignored,VK_LOADER_DEVICE_ID_FILTER:in force"},
		{"VK_LAYER_PATH=/l VK_ADD_LAYER_PATH=/l VK_IMPLICIT_LAYER_PATH=/l VK_ADD_IMPLICIT_LAYER_PATH=/l VK_LOADER_DEBUG=all VK_DRIVER_FILES=/x",
			layers, false, false, "VK_LAYER_PATH:ignored,VK_ADD_LAYER_PATH:ignored,VK_IMPLICIT_LAYER_PATH:ignored,VK_ADD_IMPLICIT_LAYER_PATH:ignored," +
				"VK_LOADER_DEBUG:ignored,VK_DRIVER_FILES:in force"},
		{"VK_LAYER_PATH=/l VK_ADD_LAYER_PATH=/l", "", true, false, "VK_LAYER_PATH:ignored,VK_ADD_LAYER_PATH:ignored"},
		{"VK_ADD_LAYER_PATH=/l", "", true, false, "VK_ADD_LAYER_PATH:ignored"},
		{"VK_ADD_LAYER_PATH=/l NO_OVERRIDE=", "", true, false, "VK_ADD_LAYER_PATH:in force,NO_OVERRIDE:in force"},
		{"XDG_CONFIG_HOME=/c XDG_DATA_HOME=/d", "", false, false, "HOME:ignored,XDG_CONFIG_HOME:in force"},
		{"XDG_CONFIG_HOME=/c XDG_DATA_HOME=", "", false, false, "HOME:in force,XDG_DATA_HOME:no effect"},
		{"VK_LOADER_DEVICE_SELECT=1:2 VK_LOADER_DISABLE_SELECT=1", "", false, false,
			"VK_LOADER_DEVICE_SELECT:ignored,VK_LOADER_DISABLE_SELECT:in force"},
		{"VK_LOADER_DEVICE_SELECT=1:2 VK_LOADER_DISABLE_SELECT=1x", "", false, false,
			"VK_LOADER_DEVICE_SELECT:ignored,VK_LOADER_DISABLE_SELECT:in force"},
		{"VK_LOADER_DEVICE_SELECT=1:2 VK_LOADER_DISABLE_SELECT=yes", "", false, false,
			"VK_LOADER_DEVICE_SELECT:in force,VK_LOADER_DISABLE_SELECT:faulty"},
		{"NO_I=", "", false, false, "NO_I:in force,NO_O:unset,YES_O:unset"},
		{"NO_I= VK_INSTANCE_LAYERS=VK_LAYER_i YES_O=off", "", false, false, "NO_I:ignored,YES_O:no effect"},
		{"YES_O=on", "", false, false, "YES_O:in force"},
		{"YES_O=on NO_O=1", "", false, false, "YES_O:ignored,NO_O:in force"},
		{"VK_LOADER_DRIVER_SELECT=a VK_LAYER_SETTINGS_PATH=/s", "", false, false, "VK_LOADER_DRIVER_SELECT:unknown,VK_LAYER_SETTINGS_PATH:"},
	} {
		tree := mixed()
		for _, word := range strings.Fields(c.set) {
			name, value, _ := strings.Cut(word, "=")
			tree.Vars[name] = value
		}
		if c.settings != "" {
			tree.Files[places] = c.settings
		}
		if c.override {
			tree.Files["/usr/share/vulkan/implicit_layer.d/override.json"] = over
		}
		tree.Elevated = c.elevated
		answer, err := explain.Decide(tree)
		if err != nil {
			t.Fatal(err)
		}
		tree.Elevated = false // the tool itself is not elevated
		rows := All(answer, tree, strings.Fields(c.set), c.elevated)
		for _, want := range strings.Split(c.want, ",") {
			name, state, _ := strings.Cut(want, ":")
			at := slices.IndexFunc(rows, func(v Variable) bool { return v.Name == name })
			got := ""
			if at >= 0 {
				got = rows[at].State
				if (rows[at].Why == "") != (state == Unset || state == InForce) {
					t.Errorf("%s: %s is %s, because %q", c.set, name, state, rows[at].Why)
				}
			}
			if got != state {
				t.Errorf("%s: %s is %q, want %q", c.set, name, got, state)
			}
		}
	}
}

// mixed returns a tree with layers and drivers of each kind.
func mixed() *inmemory.Tree {
	return &inmemory.Tree{Vars: map[string]string{"HOME": "/h", "NO_D": ""}, Files: tree.Mixed()}
}
