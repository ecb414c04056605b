package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// A change of the settings says which drivers and layers programs get with it, and warns if it takes the last device.
func TestSettingsTellTheirEffect(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_DRIVER_FILES"] = world.Unset
	w.Env["HOME"] = w.Path("home")
	w.ImplicitLayer("VK_LAYER_fine")
	good := w.DriverKind("driver", "good", "device name=good type=discrete")
	icds := w.Path("home/.local/share/vulkan/icd.d")
	for name, library := range map[string]string{"good.json": good.Library, "absent.json": "/nowhere/libvulkan_radeon.so"} {
		w.Write(filepath.Join("home/.local/share/vulkan/icd.d", name), `{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":"`+library+`"}}`)
	}
	w.Env["VK_DRIVER_FILES"] = icds
	const lost = "warning: with these settings, programs get no device"
	for _, c := range []struct {
		words []string
		says  []string
		lacks string
	}{
		{[]string{"set", "--driver", "absent.json", "--dry-run"}, []string{"programs get the driver absent.json", lost}, "no layer"},
		{[]string{"set", "--driver", "absent.json"}, []string{"programs get the driver absent.json", lost}, "no layer"},
		{[]string{"clear"}, nil, lost},
		{[]string{"set", "--driver", "good.json"}, []string{"programs get the driver good.json"}, lost},
		{[]string{"set", "--layer", "VK_LAYER_fine=off"}, []string{"programs get no layer"}, "driver"},
		{[]string{"set", "--layer", "VK_LAYER_fine=on"}, []string{"programs get the layer VK_LAYER_fine"}, "driver "},
		{[]string{"clear"}, nil, lost},
		{[]string{"set", "--layer", "VK_LAYER_fine=off", "--until-changed"}, []string{"programs get no layer"}, lost},
		{[]string{"set", "--driver", "good.json=off", "--until-changed"}, []string{"programs get the driver absent.json", lost}, "no layer"},
	} {
		_, exit := w.Run(time.Minute, tool, append([]string{"settings"}, c.words...)...)
		for _, want := range c.says {
			if !strings.Contains(exit.Stderr, want) {
				t.Errorf("settings %s does not say %q: %s", c.words, want, exit.Stderr)
			}
		}
		if strings.Contains(exit.Stderr, "these settings, programs get "+c.lacks) || strings.Contains(exit.Stderr, c.lacks) && c.lacks == lost || exit.Code != 0 {
			t.Errorf("settings %s: exit code %d, or it says %q: %s", c.words, exit.Code, c.lacks, exit.Stderr)
		}
	}
}

// A first word that names a driver or layer gets the answer of explain. Other words are unknown commands.
func TestFirstWords(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "text"), []byte("a text"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := world.New(t)
	w.Write("icd.d/lvp_icd.json", `{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":"/usr/lib/libvulkan_lvp.so"}}`)
	w.Env["VK_DRIVER_FILES"] = w.Path("icd.d")
	for word, want := range map[string]string{"lvp": "lvp_icd.json", "zzzzzz": `unknown command "zzzzzz"`, root + "/text": "unknown command", root + "/none": "unknown command"} {
		if out, exit := w.Run(time.Minute, tool, word); !strings.Contains(out+exit.Stderr, want) {
			t.Errorf("%s: exit code %d, no %s: %s%s", word, exit.Code, want, out, exit.Stderr)
		}
	}
}
