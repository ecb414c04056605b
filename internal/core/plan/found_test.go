package plan

import (
	"strings"
	"testing"

	"vkloader/internal/core/manifest"
)

// foundOf returns the diagnostics about a subject: code, path and text, one a line.
func foundOf(a *Answer, subject string) string {
	var out []string
	for _, f := range a.Diagnostics {
		if f.Subject == subject {
			out = append(out, strings.Join([]string{f.Code.String(), f.Path, f.What}, "|"))
		}
	}
	return strings.Join(out, "\n")
}

// TestWhatFindingsAreAbout checks that every finding has a subject.
func TestWhatFindingsAreAbout(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		subject string
		kind    Kind
		layer   Name
		want    string // how the one line begins
		world   func() *world
	}{
		{"apiVersion", Instance, Name{}, "app-version||VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of 1 which is not permitted.",
			func() *world { w := newWorld(); w.app.API = 1; return w }},
		{"apiVersion", Instance, Name{}, "app-version||vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is 1 instead of",
			func() *world { w := newWorld(); w.app.API = 1<<29 | 1<<22; return w }},
		{"ppEnabledLayerNames", Instance, Name{}, "name-malformed||ppEnabledLayerNames contains string",
			func() *world { return newWorld().wants("\x01") }},
		{"ppEnabledLayerNames", Instance, Name{}, "layer-missing||ppEnabledLayerNames is NULL but",
			func() *world {
				w := newWorld()
				w.app.LayerCount, w.app.LayersNull = 1, true
				return w
			}},
		{"ppEnabledExtensionNames", InstanceDrivers, Name{}, "name-malformed||Instance ppEnabledExten",
			func() *world { return newWorld().enables("\x01") }},
		{"ppEnabledExtensionNames", InstanceDrivers, Name{}, "extension-unknown||Instance ppEnabledExten",
			func() *world {
				w := newWorld()
				w.app.ExtensionCount, w.app.ExtensionsNull = 1, true
				return w
			}},
		{"pLayerName", Extensions, Name{long, true}, "name-malformed||vkEnumerateInstanceExtensionProperties:  pLayerName is too l",
			newWorld},
		{"VK_ADD_DRIVER_FILES", Instance, Name{}, "variable-ignored||VK_ADD_DRIVER_FILES is set, but has no effect because of VK_DRIVER_FILES",
			func() *world {
				w := newWorld()
				w.Vars["VK_DRIVER_FILES"], w.Vars["VK_ADD_DRIVER_FILES"] = "/nowhere.json", "/a"
				return w
			}},
		{"VK_ADD_LAYER_PATH", Instance, Name{}, "variable-ignored||VK_ADD_LAYER_PATH is set, but has no effect because of VK_LAYER_PATH",
			func() *world {
				w := newWorld()
				w.Vars["VK_LAYER_PATH"], w.Vars["VK_ADD_LAYER_PATH"] = "/nowhere", "/a"
				return w
			}},
		{"VK_LAYER_PATH", Instance, Name{}, "variable-ignored||VK_LAYER_PATH is set, but has no effect because of the layers of " + settingsPath,
			func() *world { w := newWorld().settings(layers()); w.Vars["VK_LAYER_PATH"] = "/a"; return w }},
		{"VK_ADD_IMPLICIT_LAYER_PATH", Instance, Name{}, "variable-ignored||VK_ADD_IMPLICIT_LAYER_PATH is set, but has no effect because of the layers of " + settingsPath,
			func() *world {
				w := newWorld().settings(layers())
				w.Vars["VK_ADD_IMPLICIT_LAYER_PATH"] = "/a"
				return w
			}},
		{"VK_DRIVER_FILES", Instance, Name{}, "variable-ignored||VK_DRIVER_FILES is set, but has no effect because of the device configurations of " + settingsPath,
			func() *world {
				w := newWorld().settings(`{"device_configurations":[]}`)
				w.Vars["VK_DRIVER_FILES"] = "/a"
				return w
			}},
		{"VK_LOADER_DRIVERS_DISABLE", Instance, Name{}, "variable-ignored||VK_LOADER_DRIVERS_DISABLE is set, but has no effect because of the device configurations of " + settingsPath,
			func() *world {
				w := newWorld().settings(`{"device_configurations":[]}`)
				w.Vars["VK_LOADER_DRIVERS_DISABLE"] = "*"
				return w
			}},
		{"VK_ADD_LAYER_PATH", Instance, Name{}, "variable-ignored||VK_ADD_LAYER_PATH is set, but has no effect because of the override_paths of " + implicitDirectory + "o.json",
			func() *world {
				w := newWorld().implicitMeta("o.json", manifest.OverrideName, "", `,"override_paths":["/p"]`)
				w.Vars["VK_ADD_LAYER_PATH"] = "/a"
				return w
			}},
		{"override_paths", Instance, Name{}, "location-missing|/p|no such directory",
			func() *world {
				return newWorld().implicitMeta("o.json", manifest.OverrideName, "", `,"override_paths":["/p"]`)
			}},
		{"E", Layers, Name{}, "layer-listed|" + explicitDirectory + "e.json|listed", func() *world { return newWorld().explicit("e.json", "E", "") }},
		{"E", Instance, Name{}, "layer-active|" + explicitDirectory + "e.json|enabled by the settings file",
			func() *world {
				return newWorld().explicit("e.json", "E", "").settings(layers(entry("on", "E", explicitDirectory+"e.json", "")))
			}},
		{"e.json", InstanceDrivers, Name{}, "driver-used|/e.json|named by the settings file, library /lib.so",
			func() *world {
				w := newWorld().settings(`{"additional_drivers":[{"path":"/e.json"}]}`)
				w.Files["/e.json"] = `{"file_format_version":"1.0.0","ICD":{"library_path":"/lib.so","api_version":"1.1"}}`
				return w
			}},
		{"VK_LAYER_PATH", Instance, Name{}, "location-missing|/nowhere|no such directory",
			func() *world { w := newWorld(); w.Vars["VK_LAYER_PATH"] = "/nowhere"; return w }},
		{"x.json", InstanceDrivers, Name{}, "driver-used|/usr/share/vulkan/icd.d/x.json|found in a default directory, library libx.json.so",
			func() *world { return newWorld().driver("x.json", "") }},
		{driverDirectory + "x.json", Instance, Name{}, "driver-portability|/usr/share/vulkan/icd.d/x.json|a portability driver, and the program does not enumerate them",
			func() *world { return newWorld().driver("x.json", `,"is_portability_driver":true`) }},
		{settingsPath, Instance, Name{}, "settings-used|/usr/local/etc/vulkan//loader_settings.d/vk_loader_settings.json|in force",
			func() *world { return newWorld().settings(layers()) }},
	} {
		w := c.world()
		if len(w.drivers) == 0 {
			w.drivers = []Driver{{Usable: true}}
		}
		a := w.ask(t, c.kind, c.layer)
		if got := foundOf(a, c.subject); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %s\nwant %s", c.subject, got, c.want)
		}
	}
}
