package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/tree"
)

// explain says that a change of a file needs root, if the user may not write there.
func TestExplainOfFilesOfRoot(t *testing.T) {
	t.Parallel()
	asRoot(t)
	directory, err := os.MkdirTemp("", "explain")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	if err := os.Chmod(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	const settings, layer = "/vulkan/loader_settings.d/vk_loader_settings.json", "/vulkan/explicit_layer.d/a.json"
	tree.Lay(t, directory, map[string]string{
		layer: tree.Layer("VK_LAYER_a", ""),
		settings: `{"file_format_version":"1.0.0","settings":{"layers":[{"name":"VK_LAYER_a","path":"` + directory + layer +
			`","control":"off"}]}}`})
	ours := readable(t)
	cmd := exec.Command(filepath.Join(ours, "vkloader"), "explain", "VK_LAYER_a")
	cmd.Env, cmd.Dir = []string{"HOME=/nonexistent", "XDG_CONFIG_HOME=" + directory, "LD_LIBRARY_PATH=" + ours}, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4242, Gid: 4242}}
	out, err := cmd.CombinedOutput()
	if want := "or run as root: rm -- " + directory + settings; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("no %q: %v\n%s", want, err, out)
	}
}
