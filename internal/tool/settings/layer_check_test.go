package settings

import (
	"fmt"
	"testing"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// checkedLayer is a manifest with settings, as of VK_EXT_layer_settings.
const checkedLayer = `{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_ACME_frames", "type": "GLOBAL", "library_path": "/l.so",
	"api_version": "1.3.0", "implementation_version": "1", "description": "d", "instance_extensions": [{"name": "VK_EXT_layer_settings", "spec_version": "2"}],
	"features": {"settings": [{"key": "limit", "type": "INT", "range": {"min": 1}, "default": 2, "env": "ACME_LIMIT"},
		{"key": "mode", "type": "ENUM", "default": "fast", "flags": [{"key": "fast"}, {"key": "slow"}]}]}}}`

// checkedMachine has the layer.
func checkedMachine(t *testing.T, environ ...string) *machine.Source {
	t.Helper()
	root := t.TempDir()
	tree.Lay(t, root, map[string]string{"etc/vulkan/explicit_layer.d/acme.json": checkedLayer})
	return &machine.Source{Machine: machine.Machine{Root: root, Environ: environ}}
}

// CheckLayerFile names the line of each fault by the layer's own keys and values, and how to enable a layer that is off.
func TestCheckLayerFile(t *testing.T) {
	t.Parallel()
	const off = "VK_LAYER_ACME_frames is not on: the setting has no effect unless the program enables the layer"
	for _, c := range []struct {
		text, environ string
		want          []string
	}{
		{"# comment\n\nacme_frames.limit = 3 # more\n", "VK_INSTANCE_LAYERS=VK_LAYER_ACME_frames", nil},
		{"acme_frames.limit = 3\nacme_frames.mode = slow\n", "", []string{"1 note: " + off}},
		{"acme_frames.limit = 0\nacme_frames.mod = slow\nacme_frames.mode = slo\n", "VK_INSTANCE_LAYERS=VK_LAYER_ACME_frames", []string{
			"1 problem: limit=0: it must be at least 1", "2 problem: VK_LAYER_ACME_frames has no setting mod; did you mean mode?",
			"3 problem: mode=slo: slo is not one of its values; did you mean slow?"}},
		{"limit = 3\nacme_frames.limit\n", "", []string{"1 problem: the line is no setting", "2 problem: the line is no setting"}},
		{"acme_frames.limit=3\nacme_frames.limit=4", "VK_INSTANCE_LAYERS=VK_LAYER_ACME_frames", []string{"2 warning: line 1 sets acme_frames.limit, too: the last line counts"}},
		{"acme_frame.limit=3\n", "", []string{"1 problem: no layer has the settings acme_frame; did you mean acme_frames?"}},
		{"khronos_validation.validate_sync = true\n", "", []string{"1 warning: VK_LAYER_KHRONOS_validation is not installed"}},
	} {
		faults, err := CheckLayerFile(checkedMachine(t, c.environ), c.text, "code")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range faults {
			got = append(got, fmt.Sprintf("%d %s: %s", f.Line, f.Severity, f.What))
			if f.Do == "" {
				t.Errorf("no advice for %q", f.What)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// A variable belongs to the layer whose manifest names it, by each form of its name; those of the validation layer are known.
func TestLayersByVariable(t *testing.T) {
	t.Parallel()
	source := checkedMachine(t)
	answer, err := explain.Decide(source)
	if err != nil {
		t.Fatal(err)
	}
	owners := LayersByVariable(&source.Machine, answer.Layers)
	for name, want := range map[string]string{"ACME_LIMIT": "VK_LAYER_ACME_frames", "VK_ACME_FRAMES_LIMIT": "VK_LAYER_ACME_frames",
		"VK_FRAMES_MODE": "VK_LAYER_ACME_frames", "VK_LAYER_MODE": "VK_LAYER_ACME_frames", "VK_LAYER_PRINTF_ONLY_PRESET": ValidationLayer,
		"VK_VALIDATION_VALIDATE_SYNC": ValidationLayer, "VK_LAYER_ENABLES": ValidationLayer, "VK_LAYER_PATH": "", "VK_LAYER_SETTINGS_PATH": "", "VK_ACME_FRAMES_OTHER": ""} {
		if owners[name] != want {
			t.Errorf("%s: %q, want %q", name, owners[name], want)
		}
	}
}

// IsLayerFile knows the file by its name and its first setting, and takes no JSON for one.
func TestIsLayerFile(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{"/a/vk_layer_settings.txt": "", "mine.txt": "# c\nkhronos_validation.enables = x\n"} {
		if !IsLayerFile(file, text) {
			t.Error(file)
		}
	}
	for _, text := range []string{"", "{\"a.b\" = 1}", "{\n}", "a=b", "words"} {
		if IsLayerFile("other.json", text) {
			t.Errorf("%q", text)
		}
	}
}
