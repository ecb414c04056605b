package loaders

import (
	"maps"
	"strings"
	"testing"
)

// The version of a package is found at any position in dpkg's list of packages.
func TestDpkgVersionAnywhere(t *testing.T) {
	t.Parallel()
	const wanted = "Package: libvulkan1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.3.204.1-2\n"
	others := strings.Repeat("Package: other\nVersion: 9\nDepends: libvulkan1\nNote: Package: libvulkan1\n\n", 2000)
	status := map[string]string{"first": wanted + "\n" + others, "last": others + wanted, "alone": wanted,
		"after another architecture": others + strings.Replace(wanted, "amd64", "i386", 1) + "\n" + others + wanted}
	for name, text := range status {
		m := world(t, map[string]string{"var/lib/dpkg/status": "= " + text})
		if got, _ := m.Package("libvulkan1:amd64"); got.Version != "1.3.204.1-2" {
			t.Errorf("%s: %v", name, got)
		}
		if got, _ := m.Package("libvulkan1:arm64"); got.Version != "" {
			t.Errorf("%s: another architecture has %v", name, got)
		}
		if got, _ := m.Package("ulkan1"); got.Version != "" {
			t.Errorf("%s: the end of a name has %v", name, got)
		}
	}
}

// A loader in a package with an unusual name is found, too.
func TestDpkgOwnerByAnotherName(t *testing.T) {
	t.Parallel()
	m := world(t, map[string]string{"var/lib/dpkg/info/libvulkan1:amd64.list": "= /.\n", "var/lib/dpkg/status": "= ",
		"var/lib/dpkg/info/libvulkan1-other:amd64.list": "= " + place + "libvulkan.so.1\n"})
	if found, _ := ownerOf(m, place+"libvulkan.so.1", false); found.Name != "libvulkan1-other" {
		t.Errorf("%+v", found)
	}
}

// A constant ends with a zero byte, and may be the end of another text.
func TestConstants(t *testing.T) {
	t.Parallel()
	data := "VK_A\x00xVK_B\x00VK_C\x01\x00\x00VK_D"
	if got, want := constants([]byte(data), []string{"VK_A", "VK_B", "VK_C", "VK_D", "VK_E"}), map[string]bool{"VK_A": true, "VK_B": true}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
