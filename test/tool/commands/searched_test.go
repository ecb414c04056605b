package commands

import (
	"path/filepath"
	"strings"
	"testing"
)

// A loader searches the directories that are compiled into its own file, not the ones of this tool's library, in every command: a driver in
// another loader's directory is not found.
func TestEachLoaderHasItsDirectories(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		texts      string // the loader's
		found, not string // the drivers
	}{
		"a distribution's":       {"/etc", "system", "local nix"},
		"one below /usr/local":   {"/usr/local/etc,/etc,/usr/local/share:/usr/share", "local system", "nix"},
		"one of NixOS":           {"/etc,/usr/share,/run/opengl-driver/share,/etc/xdg", "nix system", "local"},
		"one whose file is mute": {"", "local system", "nix"}, // taken for one built like the tool
	} {
		root := t.TempDir()
		loader := []string{"soname=libvulkan.so.1", "exports=vkCreateInstance", "texts=" + strings.Trim("VK_ICD_FILENAMES,VK_INSTANCE_LAYERS,"+c.texts, ",")}
		if err := put(filepath.Join(root, "usr/lib/x86_64-linux-gnu/libvulkan.so.1"), ofWords(loader...)); err != nil {
			t.Fatal(err)
		}
		for driver, directory := range map[string]string{"system": "etc", "local": "usr/local/etc", "nix": "run/opengl-driver/share"} {
			library := "/opt/" + driver + ".so"
			manifest := `{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": "` + library + `"}}`
			for path, data := range map[string][]byte{library: ofWords("soname=lib"+driver+".so", "exports=vk_icdGetInstanceProcAddr"), filepath.Join(directory, "vulkan/icd.d", driver+".json"): []byte(manifest)} {
				if err := put(filepath.Join(root, path), data); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, command := range []string{"--json", "list drivers", "list paths", "explain", "doctor --json"} {
			out, _ := execute(t, append([]string{"--root", root}, strings.Fields(command)...)...)
			word := func(driver string) string {
				if command == "list paths" {
					return map[string]string{"system": " /etc/vulkan/icd.d", "local": "/usr/local/etc/vulkan/icd.d", "nix": "/run/opengl-driver/share/vulkan/icd.d"}[driver]
				}
				return driver + ".json"
			}
			for _, driver := range strings.Fields(c.found) {
				if !strings.Contains(out, word(driver)) {
					t.Errorf("%s, %s: no %s in\n%s", name, command, word(driver), out)
				}
			}
			for _, driver := range strings.Fields(c.not) {
				if strings.Contains(out, word(driver)) {
					t.Errorf("%s, %s: %s in\n%s", name, command, word(driver), out)
				}
			}
		}
	}
}
