package cdi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// A volume of the container belongs to the host: the hook creates no file and no directory there, and reports that. It makes all other
// changes.
func TestIntoVolume(t *testing.T) {
	t.Parallel()
	root, host := t.TempDir(), t.TempDir()
	volume := filepath.Join(root, "etc/vulkan")
	if err := os.MkdirAll(volume, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(host, volume, "", unix.MS_BIND, ""); err != nil {
		t.Skip("no mounts here: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(volume, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	a := &Arrangement{Put: []FileToWrite{{Path: "/usr/lib/libx.so", Target: "/run/vkloader/libx.so"},
		{Path: icdPlace + "host-a.json", Text: []byte("text")}}}
	err := a.Into(root, false)
	if err == nil || !strings.Contains(err.Error(), "/etc/vulkan/icd.d") || !strings.Contains(err.Error(), "volume") {
		t.Errorf("it says %v", err)
	}
	if entries, err := os.ReadDir(host); err != nil || len(entries) != 0 {
		t.Errorf("on the volume: %v, %v", entries, err)
	}
	if target, err := os.Readlink(filepath.Join(root, "usr/lib/libx.so")); err != nil || target != "/run/vkloader/libx.so" {
		t.Errorf("%s, %v", target, err)
	}
}

// A manifest of more than 16 MB is not read.
func TestReadLargeManifest(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	name := filepath.Join(root, manifestsPlace+"x86_64/large.json")
	tree.Libraries(t, root, map[string]string{manifestsPlace + "x86_64/large.json": icd("liba.so")})
	b := &box{machine: &machine.Machine{Root: root}, name: "x86_64"}
	if _, _, err := b.read("large.json"); err != nil {
		t.Error(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Repeat(" ", 17<<20)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.read("large.json"); err == nil || !strings.Contains(err.Error(), "16 MB") {
		t.Errorf("17 MB: %v", err)
	}
}
