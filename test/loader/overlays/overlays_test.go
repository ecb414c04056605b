package overlays

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

const directory = "/usr/share/vulkan/implicit_layer.d/"

// layer is an implicit layer of a package.
type layer struct {
	name, manifest, library string
	enable                  []string // variables that activate it
	disable                 string   // its own disable variable
	says                    string   // a text of the layer's own output when it works; empty: none
}

var layers = []layer{
	{"VK_LAYER_MANGOHUD_overlay", "MangoHud.json", "libMangoHud.so",
		[]string{"MANGOHUD=1"}, "DISABLE_MANGOHUD", "[MANGOHUD]"},
	{"VK_LAYER_VKBASALT_post_processing", "vkBasalt.json", "libvkbasalt.so",
		[]string{"ENABLE_VKBASALT=1", "VKBASALT_LOG_LEVEL=debug"}, "DISABLE_VKBASALT", "vkBasalt debug: "},
	{"VK_LAYER_MESA_device_select", "VkLayer_MESA_device_select.json", "libVkLayer_MESA_device_select.so",
		nil, "NODEVICE_SELECT", ""},
}

// Since Debian 13, the names of MangoHud's manifest and layer have a processor.
func init() {
	for i := range layers {
		l := &layers[i]
		if newer := strings.Replace(l.manifest, ".json", ".x86_64.json", 1); exists(directory + newer) {
			l.name, l.manifest = l.name+"_x86_64", newer
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// cube draws the given number of frames and returns which of the layers' libraries were loaded.
func cube(t *testing.T, s *machine.Stage, frames int) (map[string]bool, machine.Outcome) {
	t.Helper()
	l := machine.Ours(t)
	o := s.RunTraced(l, "vkcube", "--c", fmt.Sprint(frames))
	o.WantExit(t, 0)
	if !o.HasLibrary(l.Directory + "/libvulkan.so.1") {
		t.Errorf("%s: it was not on this loader", o.Command)
	}
	if !strings.Contains(o.Out+o.Err, "llvmpipe") {
		t.Errorf("%s: it did not draw with lavapipe:\n%s", o.Command, o.Out)
	}
	had := map[string]bool{}
	for _, layer := range layers {
		had[layer.name] = o.HasLibrary(layer.library)
	}
	return had, o
}

// settings writes a settings file for the stage with an entry for the layer, and the place of all other layers.
func settings(t *testing.T, s *machine.Stage, l layer, control string) {
	t.Helper()
	path := filepath.Join(s.Dir, "home", ".local", "share", "vulkan", "loader_settings.d", "vk_loader_settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{ "file_format_version": "1.0.0", "settings": { "layers": [
		{ "name": %q, "path": %q, "treat_as_implicit_manifest": true, "control": %q },
		{ "control": "unordered_layer_location" } ] } }`, l.name, directory+l.manifest, control)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// stage creates a stage with a display, lavapipe, and the variables that activate the layer.
func stage(t *testing.T, l layer) *machine.Stage {
	t.Helper()
	machine.Need(t, directory+l.manifest)
	return machine.New(t).OnLavapipe().WithX().With(l.enable...)
}

// want checks that only the given layer was loaded, of those that a variable must activate, and device-select unless
// it is disabled.
func want(t *testing.T, o machine.Outcome, had map[string]bool, on layer, is bool) {
	t.Helper()
	for _, l := range layers {
		expected := len(l.enable) == 0
		if l.name == on.name {
			expected = is
		}
		if had[l.name] != expected {
			t.Errorf("%s: %s was there: %t, want %t", o.Command, l.name, had[l.name], expected)
		}
	}
	if talks := on.says != "" && strings.Contains(o.Out+o.Err, on.says); on.says != "" && talks != is {
		t.Errorf("%s: %s spoke for itself: %t, want %t\n%s", o.Command, on.name, talks, is, machine.Tail(o.Err))
	}
}

// TestOverlays checks that real layers are loaded and draw, and that each way to switch a layer off affects only that
// layer.
//
// holds: LAY-114 LAY-125 LAY-126 LAY-127 LAY-128 SET-47
func TestOverlays(t *testing.T) {
	t.Parallel()
	for _, l := range layers {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			s := stage(t, l)
			for _, c := range []struct {
				about string
				with  []string
				entry string // control of the layer in a settings file
				is    bool
			}{
				{"on", nil, "", true},
				{"its own variable", []string{l.disable + "=1"}, "", false},
				{"VK_LOADER_LAYERS_DISABLE", []string{"VK_LOADER_LAYERS_DISABLE=" + l.name}, "", false},
				{"VK_LOADER_LAYERS_DISABLE with a glob", []string{"VK_LOADER_LAYERS_DISABLE=*" + l.name[9:14] + "*"}, "", false},
				{"settings file: on", nil, "on", true},
				{"settings file: off", nil, "off", false},
			} {
				t.Run(c.about, func(t *testing.T) {
					frames := 5
					if c.is {
						frames = 60
					}
					if c.entry != "" {
						settings(t, s, l, c.entry)
					}
					had, o := cube(t, s.With(c.with...), frames)
					want(t, o, had, l, c.is)
				})
			}
		})
	}
}

// TestOverlaysWaitToBeAsked checks that an overlay is not loaded without the variable that activates it.
//
// holds: LAY-126
func TestOverlaysWaitToBeAsked(t *testing.T) {
	t.Parallel()
	had, o := cube(t, machine.New(t).OnLavapipe().WithX(), 5)
	for _, l := range layers {
		if had[l.name] != (len(l.enable) == 0) {
			t.Errorf("%s: %s was there: %t", o.Command, l.name, had[l.name])
		}
	}
}

// TestOverlaysTogether runs all of them in one chain, with validation below, and none with "~implicit~".
//
// holds: ENV-46
func TestOverlaysTogether(t *testing.T) {
	t.Parallel()
	const validation = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
	machine.Need(t, validation)
	s := machine.New(t).OnLavapipe().WithX()
	for _, l := range layers {
		machine.Need(t, directory+l.manifest)
		s = s.With(l.enable...)
	}
	had, o := cube(t, s.With("VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation"), 60)
	for _, l := range layers {
		if !had[l.name] || !strings.Contains(o.Out+o.Err, l.says) {
			t.Errorf("%s: %s was there: %t\n%s", o.Command, l.name, had[l.name], machine.Tail(o.Err))
		}
	}
	if !o.HasLibrary("libVkLayer_khronos_validation.so") {
		t.Errorf("%s: the validation layer was not there", o.Command)
	}
	had, o = cube(t, s.With("VK_LOADER_LAYERS_DISABLE=~implicit~"), 5)
	for _, l := range layers {
		if had[l.name] {
			t.Errorf("%s: %s was there although implicit layers are disabled", o.Command, l.name)
		}
	}
}
