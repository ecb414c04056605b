package cdi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/tool/machine"
)

// What is on a volume of the container is the host's: nothing is written there, no directory either, and it is said.
// Everything else is done.
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
	a := &Arrangement{Links: []Link{{"/usr/lib/libx.so", "/run/vkloader/libx.so"}},
		Manifests: []Text{{icdPlace + "host-a.json", []byte("text")}}}
	err := a.Into(root)
	if err == nil || !strings.Contains(err.Error(), icdPlace+"host-a.json") || !strings.Contains(err.Error(), "volume") {
		t.Errorf("it says %v", err)
	}
	if entries, err := os.ReadDir(host); err != nil || len(entries) != 0 {
		t.Errorf("on the volume: %v, %v", entries, err)
	}
	if target, err := os.Readlink(filepath.Join(root, "usr/lib/libx.so")); err != nil || target != "/run/vkloader/libx.so" {
		t.Errorf("%s, %v", target, err)
	}
}

// A manifest of more than 16 MB is not read to its end.
func TestReadLargeManifest(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	name := filepath.Join(root, "large.json")
	if err := os.WriteFile(name, []byte(`{"ICD":{"library_path":"liba.so"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	m := &machine.Machine{Root: root}
	if _, _, err := read(m, "/large.json", "/run"); err != nil {
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
	if _, _, err := read(m, "/large.json", "/run"); err == nil || !strings.Contains(err.Error(), "16 MB") {
		t.Errorf("17 MB: %v", err)
	}
}
