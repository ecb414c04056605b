package elevated

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/variables"
	"vkloader/test/lib/world"
)

const (
	layerNotPresent    = -6
	incompatibleDriver = -9
	settingsFile       = "vulkan/loader_settings.d/vk_loader_settings.json"
)

// furnish installs files into a world, and adds files that only variables name.
func furnish(w *world.World) {
	const icd, implicit, explicit = "/usr/share/vulkan/icd.d", "/usr/share/vulkan/implicit_layer.d", "/usr/share/vulkan/explicit_layer.d"
	w.Driver("installed", "api 1.3.0", "ext VK_ACME_unknown", // sorted by vendor and device, a is before b
		"device name=b type=discrete vendor=2 device=0x20 api=1.3.0 driver_id=5",
		"device name=a type=discrete vendor=1 device=0x10 api=1.3.0 driver_id=6").Set("api_version", "1.3.0").MoveManifest(w.SystemPath(icd))
	w.ImplicitLayer("VK_LAYER_i").MoveManifest(w.SystemPath(implicit))
	w.ImplicitLayer("VK_LAYER_o").Set("enable_environment", map[string]any{"ENABLE_O": "on"}).MoveManifest(w.SystemPath(implicit))
	w.ExplicitLayer("VK_LAYER_e").MoveManifest(w.SystemPath(explicit))

	w.Driver("named").MoveManifest("named/named.json")
	w.ExplicitLayer("VK_LAYER_named").MoveManifest("named/explicit")
	w.ImplicitLayer("VK_LAYER_by_path").MoveManifest("named/implicit")
	w.Driver("base").MoveManifest("base/vulkan/icd.d/base.json")
	w.ImplicitLayer("VK_LAYER_base").MoveManifest("base/vulkan/implicit_layer.d")
	w.Write("settings/"+settingsFile, `{"file_format_version":"1.0.0","settings":{"layers":[]}}`)
	os.Mkdir(w.Path("user"), 0o755)
	os.Symlink(w.Path("base"), w.Path("user/.config"))
}

// setting is a variable with a value that changes the visible drivers, layers or messages unless the variable is
// ignored.
type setting struct {
	name    string
	value   string
	ignored bool              // elevated processes ignore it (GEN-5); otherwise GEN-6
	with    map[string]string // variables that are always set
	reload  bool              // it is read when the library is loaded
}

func settings(w *world.World) []setting {
	drivers, base := w.Path("named/named.json"), w.Path("base")
	return []setting{
		{name: "VK_DRIVER_FILES", value: drivers, ignored: true},
		{name: "VK_ICD_FILENAMES", value: drivers, ignored: true},
		{name: "VK_ADD_DRIVER_FILES", value: drivers, ignored: true},
		{name: "VK_LAYER_PATH", value: w.Path("named/explicit"), ignored: true},
		{name: "VK_ADD_LAYER_PATH", value: w.Path("named/explicit"), ignored: true},
		{name: "VK_IMPLICIT_LAYER_PATH", value: w.Path("named/implicit"), ignored: true},
		{name: "VK_ADD_IMPLICIT_LAYER_PATH", value: w.Path("named/implicit"), ignored: true},
		{name: "VK_LOADER_DRIVERS_SELECT", value: "x*", ignored: true},
		{name: "VK_LOADER_DRIVERS_DISABLE", value: "inst*", ignored: true},
		{name: "VK_LOADER_LAYERS_ENABLE", value: "*_e", ignored: true},
		{name: "VK_LOADER_LAYERS_DISABLE", value: "*_i", ignored: true},
		{name: "VK_LOADER_LAYERS_ALLOW", value: "*_i", ignored: true, with: map[string]string{"VK_LOADER_LAYERS_DISABLE": "~all~"}},
		{name: "VK_LOADER_DEVICE_ID_FILTER", value: "0x10", ignored: true},
		{name: "VK_LOADER_VENDOR_ID_FILTER", value: "2", ignored: true},
		{name: "VK_LOADER_DRIVER_ID_FILTER", value: "5", ignored: true},
		{name: "HOME", value: w.Path("user"), ignored: true},
		{name: "XDG_CONFIG_HOME", value: base, ignored: true},
		{name: "XDG_CONFIG_HOME", value: w.Path("settings"), ignored: true},
		{name: "XDG_DATA_HOME", value: w.Path("settings"), ignored: true},
		{name: "XDG_CONFIG_DIRS", value: base, ignored: true},
		{name: "XDG_DATA_HOME", value: base, ignored: true},
		{name: "XDG_DATA_DIRS", value: base, ignored: true},
		{name: "VK_INSTANCE_LAYERS", value: "VK_LAYER_e"},
		{name: "VK_LOADER_DEVICE_SELECT", value: "2:20"},
		{name: "VK_LOADER_DISABLE_SELECT", value: "1"},
		{name: "VK_LOADER_DISABLE_INST_EXT_FILTER", value: "1"},
		{name: "VK_LOADER_DEBUG", value: "info", reload: true},
		{name: world.Disable("VK_LAYER_i"), value: ""},
		{name: "ENABLE_O", value: "on"},
		// last, because layers stay open
		{name: "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING", value: "1", reload: true},
	}
}

// look returns the drivers, layers and log lines of a program.
func look(h *world.Host) string {
	before := len(h.Stderr())
	layers, extensions := h.OK("instance_layers").Strings("layers"), h.OK("instance_extensions").Strings("extensions")
	result := h.Do("create_instance", "api", "1.1.0").Result()
	var names, active []string
	if result == 0 {
		devices := h.OK("physical_devices").Ints("devices")
		for _, d := range devices {
			names = append(names, h.Do("properties", "pd", world.Ref(d)).Text("name"))
		}
		if len(devices) > 0 {
			active = h.OK("device_layers", "pd", world.Ref(devices[0])).Strings("layers")
		}
		h.Do("destroy_instance")
	}
	slices.Sort(layers) // the order of a directory is unspecified
	kept := len(h.Do("maps", "match", "/VK_LAYER_i.so").Strings("maps")) > 0
	return fmt.Sprintln("layers", layers, "extensions", extensions, "result", result, "devices", names, "active", active,
		"kept", kept, "said", len(h.Stderr()) > before)
}

// Each variable alone changes something in an ordinary process, and in an elevated process only if it is one of GEN-6. Without any of
// them, both see the same.
//
// holds: GEN-5 GEN-6 SET-5
func TestVariables(t *testing.T) {
	t.Parallel()
	for _, k := range append([]kind{ordinary}, elevations...) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			furnish(w)
			h := start(t, w, k)
			h.Do("open", "path", w.Loader)
			plain := look(h)
			if !strings.Contains(plain, "result 0 devices [a b] active [VK_LAYER_i] kept false said false") {
				t.Fatal(plain)
			}
			seen := map[string]bool{}
			for _, s := range settings(w) {
				seen[s.name] = true
				for name, value := range s.with {
					h.Do("setenv", "name", name, "value", value)
				}
				reload := func() {
					if s.reload {
						h.Do("close")
						h.Do("open", "path", w.Loader)
					}
				}
				reload()
				before := look(h)
				h.Do("setenv", "name", s.name, "value", s.value)
				reload()
				after := look(h)
				for _, name := range append(slices.Collect(maps.Keys(s.with)), s.name) {
					h.Do("unsetenv", "name", name)
				}
				reload()
				if k.secure && s.ignored && (before != plain || after != plain) {
					t.Errorf("%s=%s is honoured:\n%s\nwithout it\n%s", s.name, s.value, after, plain)
				}
				if !(k.secure && s.ignored) && after == before {
					t.Errorf("%s=%s changes nothing:\n%s", s.name, s.value, after)
				}
			}
			variables.Each(func(v variables.ID) {
				if !seen[v.Name()] && v.Reader() != variables.Asking { // TestService tests those
					t.Errorf("%s is not tried", v.Name())
				}
			})
			if again := strings.Replace(look(h), "kept true", "kept false", 1); again != plain {
				t.Errorf("without variables, at the end\n%s\nat the beginning\n%s", again, plain)
			}
			h.Quit()
		})
	}
}

// With all ignored variables at once, the log does not mention them, the fixed directories are searched, a settings file of the
// system has full effect, and a program gets the errors of the statements.
//
// holds: GEN-7 GEN-8 GEN-9 GEN-10 GEN-11 PATH-14 SET-5
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, k := range elevations {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			furnish(w)
			w.Env["VK_LOADER_DEBUG"] = "all"
			for _, s := range settings(w) {
				if s.ignored {
					w.Env[s.name] = s.value
				}
			}
			h := start(t, w, k)
			h.Do("open", "path", w.Loader)
			h.OK("create_instance", "api", "1.1.0")
			if active := h.OK("device_layers", "pd", first(h)).Strings("layers"); !slices.Equal(active, []string{"VK_LAYER_i"}) {
				t.Errorf("active: %v", active)
			}
			h.Do("destroy_instance")
			if r := h.Do("create_instance", "layer", "VK_LAYER_named").Result(); r != layerNotPresent {
				t.Errorf("a layer that only a variable leads to: %d", r)
			}
			os.Remove(w.SystemPath("/usr/share/vulkan/icd.d/installed.json"))
			if r := h.Do("create_instance").Result(); r != incompatibleDriver {
				t.Errorf("drivers that only variables lead to: %d", r)
			}
			text := h.Stderr()
			parts := []string{w.Path("named"), w.Path("base"), w.Path("user"), w.Path("settings"), "gnor", "non-secure", "inst*"}
			for _, s := range settings(w) {
				if s.ignored {
					parts = append(parts, s.name)
				}
			}
			for _, part := range parts {
				if strings.Contains(text, part) {
					t.Errorf("%s is in the log:\n%s", part, text)
				}
			}
			for kind, suffix := range map[string]string{"driver": "icd.d", "implicit layer": "implicit_layer.d", "explicit layer": "explicit_layer.d"} {
				want := "In following locations:\n"
				for _, base := range []string{"/etc/xdg", "/usr/local/etc", "/etc", "/usr/local/share", "/usr/share"} {
					want += "      " + base + "/vulkan/" + suffix + "\n"
				}
				bare := strings.Join(h.Messages(), "\n")
				if !strings.Contains(bare, "Searching for "+kind+" manifest files\n   "+want) {
					t.Errorf("%s manifests are not looked for as they should:\n%s", kind, bare)
				}
			}
			if !slices.Contains(h.Messages(), "vkCreateInstance: Found no drivers!") {
				t.Error("nothing is said of the drivers")
			}

			// The system's settings file may name any path.
			w.Write("system/usr/local/etc/"+settingsFile, fmt.Sprintf(`{"file_format_version":"1.0.0","settings":{"layers":[{"name":"VK_LAYER_named","path":"%s",`+
				`"control":"on"}],"additional_drivers":[{"path":"%s"}]}}`, w.Path("named/explicit/VK_LAYER_named.json"), w.Path("named/named.json")))
			h.OK("create_instance")
			if active := h.OK("device_layers", "pd", first(h)).Strings("layers"); !slices.Equal(active, []string{"VK_LAYER_named"}) {
				t.Errorf("with settings: %v", active)
			}
			h.Do("destroy_instance")
			h.Quit()
		})
	}
}

func first(h *world.Host) string { return world.Ref(h.OK("physical_devices").Ints("devices")[0]) }

// Libraries with the loader's names in places that the user chooses are not opened: the loader is one file. A forked child of an
// elevated process can use the loader.
//
// holds: G-4 G-13
func TestOneFileOfElevated(t *testing.T) {
	t.Parallel()
	for _, k := range append([]kind{ordinary}, elevations...) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			furnish(w)
			trap, err := os.ReadFile(w.Driver("trap").Library)
			if err != nil {
				t.Fatal(err)
			}
			place := w.Write("work/"+filepath.Base(w.Loader), string(trap))
			w.Write(place+".script", "log "+world.Encode(w.Path("log"))+"\nname trap\nlog_load\n")
			h := start(t, w, k, "LD_LIBRARY_PATH="+filepath.Dir(place), "HOME="+w.Path("user"), "LD_PRELOAD="+place)
			h.Do("open", "path", w.Loader)
			h.OK("create_instance")
			h.Do("script", "as", "s", "line", "create_instance as=j", "line", "physical_devices instance=j", "line", "destroy_instance name=j")
			child := h.Do("fork", "script", "s")
			if child.Int("exit") != 0 || child.Int("signal") != 0 || child.Int("late") != 0 {
				t.Errorf("the child: %v", child)
			}
			h.Do("destroy_instance")
			h.Quit()
			if opened := w.Log().By("trap"); (len(opened) > 0) == k.secure { // the trap works with LD_PRELOAD
				t.Errorf("of the user's libraries were opened: %v", opened)
			}
		})
	}
}
