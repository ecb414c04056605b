package macos

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	files "vkloader/test/lib/tree"
	"vkloader/test/lib/world"
)

// install.sh installs library, link and tool, replaces no file, and removes only files that are those of the archive.
func TestInstallScript(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join(world.Top(), "packaging/macos/install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	archive, root := t.TempDir(), t.TempDir()
	files.Lay(t, archive, map[string]string{"install.sh": string(script), "libvulkan.1.dylib": "library", "vkloader": "tool"})
	runs := func(fails bool, arguments ...string) {
		t.Helper()
		cmd := exec.Command("sh", append([]string{filepath.Join(archive, "install.sh")}, arguments...)...)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "DESTDIR=" + root}
		if out, err := cmd.CombinedOutput(); (err != nil) != fails {
			t.Fatalf("%v: %v\n%s", arguments, err, out)
		}
	}
	all := []string{"usr/local/bin/vkloader", "usr/local/lib/libvulkan.1.dylib", "usr/local/lib/libvulkan.dylib"}
	expect := func(want ...string) {
		t.Helper()
		var got []string
		for _, name := range all {
			if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("there is %v, want %v", got, want)
		}
	}
	runs(false)
	expect(all...)
	runs(true)
	files.Lay(t, root, map[string]string{all[0]: "a newer tool"})
	runs(true, "remove")
	expect(all...)
	files.Lay(t, root, map[string]string{all[0]: "tool"})
	runs(false, "remove")
	expect()
	files.Lay(t, root, map[string]string{all[0]: "another program"})
	runs(true)
	expect(all[0])
	runs(true, "no-such")
}
