package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/shell"
)

// With a loader in force that reads no settings file (Debian 12's), the page has no switches, but the reason and the
// variables that the loader obeys. A variable switches the layer as the page says. With this project's loader, the switches work.
func TestPageForALoaderWithoutSettings(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a", "!VK_LAYER_b")
	usual := s.serve().page("/page/program")
	if strings.Contains(usual, "reads no settings file") || strings.Contains(usual, "data-copy=\"way-") {
		t.Errorf("with this project's loader: %s", usual)
	}
	s = newUI(t, "VK_LAYER_a", "!VK_LAYER_b")
	directory := filepath.Join(filepath.Dir(s.home), "loader")
	s.write("loader/libvulkan.so.1.3.239", string(ofWords("soname=libvulkan.so.1", "exports=vkCreateInstance,vkEnumerateInstanceVersion")))
	if err := os.Symlink("libvulkan.so.1.3.239", filepath.Join(directory, "libvulkan.so.1")); err != nil {
		t.Fatal(err)
	}
	for i, variable := range s.env {
		if strings.HasPrefix(variable, "LD_LIBRARY_PATH=") {
			s.env[i] = "LD_LIBRARY_PATH=" + directory
		}
	}
	s.serve()
	text := s.page("/page/program")
	for _, want := range []string{"which reads no settings file", `aria-label="Copy the line that switches VK_LAYER_a off">Copy</button>`,
		`aria-label="Copy the line that switches VK_LAYER_b on">Copy</button>`, "vkloader system use vkloader",
		">export VK_LOADER_LAYERS_DISABLE=VK_LAYER_a</code>", ">export VK_LOADER_LAYERS_ENABLE=VK_LAYER_b</code>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, `value="off:`) || strings.Contains(text, "data-drag") || strings.Contains(text, `disabled aria-describedby`) {
		t.Errorf("a control that has no effect: %s", text)
	}
	if drafted := s.page("/page/program?layer=VK_LAYER_a%253Doff&layer=others"); strings.Contains(drafted, `id="apply"`) || !strings.Contains(drafted, "which reads no settings file") {
		t.Errorf("a draft in the address: %s", drafted)
	}
	for variable, want := range map[string]string{"VK_LOADER_LAYERS_DISABLE=VK_LAYER_a": "", "VK_LOADER_LAYERS_ENABLE=VK_LAYER_b": "VK_LAYER_b VK_LAYER_a"} {
		out := s.tool("--env", variable, "explain")
		chain, _, _ := strings.Cut(out, "Drivers, in the order")
		for _, layer := range []string{"VK_LAYER_a", "VK_LAYER_b"} {
			if strings.Contains(chain, " "+layer+": ") != strings.Contains(want, layer) {
				t.Errorf("%s: %s", shell.Quoted(variable), chain)
			}
		}
	}
}
