package commands

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// In a container that shares the home directory with the host, a fix of a file in it says that the host's programs read the file,
// too, and "doctor --fix" leaves it. A container with a home directory of its own has no such words.
func TestFilesOfTheHost(t *testing.T) {
	t.Parallel()
	const override, settings, bashrc = "home/mia/.local/share/vulkan/implicit_layer.d/VkLayer_override.json",
		"home/mia/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", "home/mia/.bashrc"
	texts := map[string]string{
		override: `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_LUNARG_override","type":"GLOBAL","api_version":"1.3.0",` +
			`"implementation_version":"1","description":"D","component_layers":["VK_LAYER_gone"],"disable_environment":{"DISABLE_OVERRIDE":"1"}}}`,
		settings: `{"file_format_version":"1.0.0","settings":{"stderr_log":["error"],"layers":[{"name":"VK_LAYER_gone","path":"/gone.json","control":"on"}]}}`,
		bashrc:   "export VK_LOADER_DRIVERS_DISABLE='*'\n",
	}
	const words = "he host's programs read"
	for title, box := range map[string]struct {
		files map[string]string
		env   []string
		ofIt  bool // the home directory is the host's
	}{
		"toolbox":               {map[string]string{"run/.containerenv": "", "run/.toolboxenv": ""}, nil, true},
		"distrobox":             {map[string]string{"run/.containerenv": ""}, []string{"DISTROBOX_ENTER_PATH=/usr/bin/distrobox-enter"}, true},
		"distrobox with a home": {map[string]string{"run/.containerenv": ""}, []string{"DISTROBOX_ENTER_PATH=/usr/bin/distrobox-enter", "DISTROBOX_HOST_HOME=/home/lea"}, false},
		"no container":          {nil, nil, false},
		"flatpak, file of host": {map[string]string{".flatpak-info": "[Application]\nname=org.acme.Game\n"}, nil, true},
	} {
		for file, text := range texts {
			t.Run(title+" "+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				m, err := build("testdata/machines/healthy-64.txtar", root)
				if err != nil {
					t.Fatal(err)
				}
				env := append(slices.Clone(m.env), append(box.env, "HOME=/home/mia")...)
				if file == bashrc {
					env = append(env, "VK_LOADER_DRIVERS_DISABLE=*")
				}
				files := map[string]string{file: text}
				for name, content := range box.files {
					files[name] = content
				}
				loader, err := os.ReadFile(filepath.Join(built, "libvulkan.so.1")) // it reads the settings file
				if err != nil {
					t.Fatal(err)
				}
				files["usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239"] = string(loader)
				for name, content := range files {
					if err := put(filepath.Join(root, name), []byte(content)); err != nil {
						t.Fatal(err)
					}
				}
				options := []string{"--root", root}
				for _, variable := range env {
					options = append(options, "--env", variable)
				}
				out, _ := execute(t, append(options, "doctor", "--full")...)
				if !strings.Contains(out, "/"+file) && !strings.Contains(out, "flatpak override") {
					t.Fatalf("nothing about the file:\n%s", out)
				}
				if strings.Contains(squeezed(out), words) != box.ofIt && !strings.Contains(out, "flatpak override") {
					t.Errorf("it says %q: %v\n%s", words, !box.ofIt, out)
				}
				if !box.ofIt {
					return
				}
				out, _ = execute(t, append(options, "doctor", "--fix", "--yes")...)
				if left, err := os.ReadFile(filepath.Join(root, file)); err != nil || string(left) != text {
					t.Errorf("--fix changed the file of the host: %q, %v\n%s", left, err, out)
				}
			})
		}
	}
}
