package macos

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	files "vkloader/test/lib/tree"
	"vkloader/test/lib/world"
)

// TestInstallScript checks that install.sh installs library, link and tool, replaces no file, and removes only files
// of the archive.
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
	for _, name := range all[:2] { // even if the archive was unpacked without permissions
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode() != 0o755 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
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

// The archive has the library, the tool and the script with their permissions, the page and the license without any, which the umask
// limits. The same files give the same bytes.
func TestArchive(t *testing.T) {
	t.Parallel()
	built(t, "vkloader")
	var sums []string
	for range 2 {
		directory := t.TempDir()
		out, err := exec.Command(filepath.Join(world.Top(), "tools/dist-macos.sh"), "1", directory).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		archive, err := zip.OpenReader(filepath.Join(directory, "vkloader-1-macos.zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		sum := ""
		for _, f := range archive.File {
			sum += fmt.Sprintf("%s %v %v %x\n", f.Name, f.Mode(), f.Modified, f.CRC32)
		}
		sums = append(sums, sum)
	}
	if sums[0] != sums[1] {
		t.Errorf("%s\n%s", sums[0], sums[1])
	}
	for _, part := range []string{"LICENSE.txt -rw-rw-rw-", "README.md -rw-rw-rw-", "install.sh -rwxr-xr-x", "libvulkan.1.dylib -rwxr-xr-x", "vkloader -rwxr-xr-x"} {
		if !strings.Contains(sums[0], "vkloader-1-macos/"+part) {
			t.Errorf("no %s in\n%s", part, sums[0])
		}
	}
}
