package main

import (
	"fmt"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/wire"
)

// scenarios are installations with n objects of a kind.
var scenarios = []struct {
	name string
	make func(w *world, n int)
}{
	{"drivers", func(w *world, n int) {
		for i := range n {
			w.driver(i)
		}
	}},
	{"drivers-of-settings", func(w *world, n int) {
		w.Files[settingsPath] = `{"file_format_version":"1.0.0","settings":{"additional_drivers":[` + joined(n, ",", func(i int) string {
			w.driver(i)
			return fmt.Sprintf(`{"path":"%s/d%06d.json"}`, driverDirectory, i)
		}) + `]}}`
	}},
	{"drivers-broken", func(w *world, n int) {
		for i := range n {
			w.Directories[driverDirectory] = append(w.Directories[driverDirectory], fmt.Sprintf("gone%d.json", i))
			w.put(driverDirectory, fmt.Sprintf("broken%d.json", i), `{"ICD":`)
		}
	}},
	{"driver-files", func(w *world, n int) { // PATH-10
		w.Vars["VK_DRIVER_FILES"] = joined(2*n, ":", func(i int) string {
			w.driver(i % n)
			return fmt.Sprintf("%s/d%06d.json", driverDirectory, i%n)
		})
	}},
	{"directories", func(w *world, n int) { // PATH-10
		w.Vars["VK_LAYER_PATH"] = joined(n, ":", func(i int) string {
			directory := fmt.Sprintf("/directory%06d", i)
			w.put(directory, "l.json", layerText(name(i), library))
			return directory
		})
	}},
	{"explicit-layers", func(w *world, n int) { w.many(explicitDirectory, n) }},
	{"implicit-layers", func(w *world, n int) { w.many(implicitDirectory, n) }},
	{"same-name", func(w *world, n int) { // LAY-104
		for i := range n {
			w.put(implicitDirectory, fmt.Sprintf("%d.json", i), layerText(name(0), library))
		}
	}},
	{"pairs", func(w *world, n int) { // LAY-104
		for i := range 2 * n {
			w.put(implicitDirectory, fmt.Sprintf("%d.json", i), layerText(name(i%n), library))
		}
	}},
	{"one-file", func(w *world, n int) {
		w.put(explicitDirectory, "all.json", `{"file_format_version":"1.2.0","layers":[`+
			joined(n, ",\n", func(i int) string { return layerObject(name(i), library) })+`]}`)
	}},
	{"named-by-program", func(w *world, n int) {
		w.many(explicitDirectory, n)
		for i := range n {
			w.layers = append(w.layers, wire.S(name(n-1-i)))
		}
	}},
	{"named-by-variable", func(w *world, n int) {
		w.many(explicitDirectory, n)
		w.Vars["VK_INSTANCE_LAYERS"] = joined(n, ":", func(i int) string { return name(n - 1 - i) })
	}},
	{"implicit-and-named", func(w *world, n int) { // LAY-146
		w.many(implicitDirectory, n)
		w.Vars["VK_INSTANCE_LAYERS"] = joined(n, ":", func(i int) string { return "x" + name(n-1-i) + "x" })
	}},
	{"named-and-missing", func(w *world, n int) {
		w.Vars["VK_INSTANCE_LAYERS"] = joined(n, ":", name)
	}},
	{"enabled-by-filter", func(w *world, n int) {
		w.many(explicitDirectory, n)
		w.Vars["VK_LOADER_LAYERS_ENABLE"] = "x,y,z,*LAYER*"
		w.Vars["VK_LOADER_LAYERS_DISABLE"] = "*9"
	}},
	{"blacklist", func(w *world, n int) { // LAY-213
		w.many(explicitDirectory, n)
		w.put(implicitDirectory, "override.json", layerText("VK_LAYER_LUNARG_override",
			`,"component_layers":[],"blacklisted_layers":[`+joined(n, ",", quoted)+`]`))
	}},
	{"app-keys", func(w *world, n int) {
		w.put(implicitDirectory, "override.json", layerText("VK_LAYER_LUNARG_override",
			`,"component_layers":[],"app_keys":[`+joined(n, ",", quoted)+`]`))
	}},
	{"overrides", func(w *world, n int) {
		for i := range n {
			w.put(implicitDirectory, fmt.Sprintf("%d.json", i), layerText("VK_LAYER_LUNARG_override", `,"component_layers":[]`))
		}
	}},
	{"override-paths", func(w *world, n int) {
		w.put(implicitDirectory, "override.json", layerText("VK_LAYER_LUNARG_override", `,"component_layers":[],"override_paths":[`+
			joined(n, ",", func(i int) string {
				directory := fmt.Sprintf("/directory%06d", i)
				w.put(directory, "l.json", layerText(name(i), library))
				return `"` + directory + `"`
			})+`]`))
	}},
	{"components", func(w *world, n int) {
		w.many(explicitDirectory, n)
		w.put(explicitDirectory, "meta.json", layerText("VK_LAYER_meta", `,"component_layers":[`+joined(n, ",", quoted)+`]`))
		w.layers = []wire.Str{wire.S("VK_LAYER_meta")}
	}},
	{"components-with-extensions", func(w *world, n int) {
		for i := range n {
			w.put(explicitDirectory, fmt.Sprintf("%d.json", i), layerText(name(i), library+
				fmt.Sprintf(`,"instance_extensions":[{"name":"VK_i_%d","spec_version":"1"}],"device_extensions":[{"name":"VK_d_%d","spec_version":"1"}]`, i, i)))
		}
		w.put(explicitDirectory, "meta.json", layerText("VK_LAYER_meta", `,"component_layers":[`+joined(n, ",", quoted)+`]`))
		w.layers = []wire.Str{wire.S("VK_LAYER_meta")}
	}},
	{"metas", func(w *world, n int) {
		w.put(explicitDirectory, "component.json", layerText(name(0), library))
		for i := range n {
			w.put(implicitDirectory, fmt.Sprintf("%d.json", i), layerText(name(i+1), `,"component_layers":["`+name(0)+`"]`))
		}
	}},
	{"extensions-of-a-layer", func(w *world, n int) {
		w.put(implicitDirectory, "l.json", layerText(name(0), library+`,"instance_extensions":[`+
			joined(n, ",", func(i int) string { return fmt.Sprintf(`{"name":"VK_i_%d","spec_version":"1"}`, i) })+`],"device_extensions":[`+
			joined(n, ",", func(i int) string {
				return fmt.Sprintf(`{"name":"VK_d_%d","spec_version":"1","entrypoints":["vkX%d"]}`, i, i)
			})+`]`))
	}},
	{"extensions-listed", func(w *world, n int) {
		w.kind, w.drivers, w.driverExtensions = plan.ExtensionsDrivers, n/10, 10
		w.Vars["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"
		for i := range n {
			w.put(implicitDirectory, fmt.Sprintf("%d.json", i), layerText(name(i), library+
				fmt.Sprintf(`,"instance_extensions":[{"name":"VK_i_%d","spec_version":"1"}]`, i)))
		}
	}},
	{"extensions-enabled", func(w *world, n int) {
		w.kind, w.drivers, w.driverExtensions = plan.InstanceDrivers, 1, n
		w.Vars["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"
		for i := range n {
			w.extensions = append(w.extensions, wire.S(fmt.Sprintf("VK_x_0_%d", i)))
		}
	}},
	{"settings-on", func(w *world, n int) { w.settings(n, "on", ``) }},
	{"settings-auto-merged", func(w *world, n int) {
		w.settings(n, "auto", `,{"control":"unordered_layer_location"}`)
		w.Vars["VK_INSTANCE_LAYERS"] = joined(n, ":", name)
	}},
	{"settings-off", func(w *world, n int) { w.settings(n, "off", `,{"control":"unordered_layer_location"}`) }},
	{"settings-of-programs", func(w *world, n int) {
		w.Files[settingsPath] = `{"file_format_version":"1.0.0","settings_array":[` + joined(n, ",", func(i int) string {
			return fmt.Sprintf(`{"app_keys":["/bin/%d"],"stderr_log":["all"],"layers":[]}`, i)
		}) + `]}`
	}},
	{"settings-devices", func(w *world, n int) {
		const uuid = `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]`
		w.Files[settingsPath] = `{"file_format_version":"1.0.0","settings":{"device_configurations":[` + joined(n, ",", func(i int) string {
			return fmt.Sprintf(`{"deviceUUID":%s,"driverUUID":%s,"driverVersion":%d,"deviceName":"d%d"}`, uuid, uuid, i, i)
		}) + `]}}`
		w.driver(0)
	}},
	{"layer-list", func(w *world, n int) {
		w.kind = plan.Layers
		w.many(implicitDirectory, n)
		w.many(explicitDirectory, n)
	}},
	{"members", func(w *world, n int) { // one manifest with many members, nested values and long texts
		w.put(explicitDirectory, "l.json", layerText(name(0), library+joined(n, "", func(i int) string {
			return fmt.Sprintf(`,"x%d":[[[{"a":"\u00e4\n"}]],1e5]`, i)
		})))
	}},
	{"texts", func(w *world, n int) { // FUZ-023: files filled with one kind of element
		for i, text := range []string{
			strings.Repeat("[", n), "[" + strings.Repeat(`"a",`, n) + "1]", "[" + strings.Repeat("{},\n", n) + "1]",
			`{"file_format_version":"` + strings.Repeat(`\u0041`, n) + `"}`, strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n),
			strings.Repeat(" ", n), "{" + strings.Repeat(`"layer":{},`, n) + `"file_format_version":"1.0.0"}`,
			`{"file_format_version":"1.2.0","layers":[` + strings.Repeat(`{"name":"VK_LAYER_x","type":"INSTANCE"},`, n) + `{}]}`,
		} {
			w.put(explicitDirectory, fmt.Sprintf("%d.json", i), text)
		}
	}},
}

// many writes n different layers to a directory.
func (w *world) many(directory string, n int) {
	for i := range n {
		w.put(directory, fmt.Sprintf("l%06d.json", i), layerText(name(i), library))
	}
}

// settings writes a settings file with n layers, all with one control.
func (w *world) settings(n int, control, more string) {
	w.many(explicitDirectory, n)
	w.Files[settingsPath] = `{"file_format_version":"1.0.0","settings":{"layers":[` + joined(n, ",", func(i int) string {
		return fmt.Sprintf(`{"name":"%s","path":"%s/l%06d.json","control":"%s"}`, name(i), explicitDirectory, i, control)
	}) + more + `]}}`
}
