package machine

import (
	"path/filepath"
	"testing"

	"vkloader/test/binary"
)

// Who installed a manifest is asked of dpkg, else of rpm; without either nobody is named.
func TestPackages(t *testing.T) {
	files := []string{"/a/one.json", "/a/two.json", "relative.json", "/a/*.json"}
	for _, c := range []struct{ tool, script, want string }{
		{"dpkg-query", `[ "$*" = "-S -- /a/one.json /a/two.json" ] && echo "mesa-vulkan-drivers:amd64: /a/one.json"; exit 1`, "mesa-vulkan-drivers:amd64"},
		{"rpm", `[ "$1 $4 $5 $6" = "-qf -- /a/one.json /a/two.json" ] && printf 'mesa-vulkan-drivers\nfile /a/two.json is not owned by any package\n'; exit 1`,
			"mesa-vulkan-drivers"},
		{"rpm", "echo mesa-vulkan-drivers", ""}, // not an answer for each
		{"other", "", ""},
	} {
		directory := t.TempDir()
		if err := binary.WriteProgram(filepath.Join(directory, c.tool), []byte("#!/bin/sh\n"+c.script+"\n")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", directory)
		owners := (&Machine{}).Owners(files)
		if owners["/a/one.json"] != c.want || owners["/a/two.json"] != "" {
			t.Errorf("%s: %v", c.tool, owners)
		}
	}
}

// On a foreign machine the lists of dpkg, apk and pacman are read; nothing is run there.
func TestForeignPackages(t *testing.T) {
	t.Parallel()
	const file = "/usr/share/vulkan/icd.d/radeon_icd.json"
	for want, files := range map[string]map[string]string{
		"mesa-vulkan-drivers:amd64": {"var/lib/dpkg/info/mesa-vulkan-drivers:amd64.list": "/.\n/usr\n" + file + "\n",
			"var/lib/dpkg/info/other.list": "/usr\n" + file + ".old\n"},
		"mesa-vulkan-ati": {"lib/apk/db/installed": "P:musl\nF:lib\nR:libc.so\n\nP:mesa-vulkan-ati\nF:usr/share/vulkan/icd.d\nR:radeon_icd.json\n"},
		"vulkan-radeon":   {"var/lib/pacman/local/vulkan-radeon-1:24.1.0-2/files": "%FILES%\nusr/\nusr/share/vulkan/icd.d/radeon_icd.json\n"},
		"":                {"etc/none": ""},
	} {
		if owners := laid(t, files).Owners([]string{file, "/no/such"}); owners[file] != want || owners["/no/such"] != "" {
			t.Errorf("%v, want %s", owners, want)
		}
	}
}

// A diverted file belongs to its package all the same.
func TestDiversions(t *testing.T) {
	t.Parallel()
	owners := map[string]string{}
	dpkgAnswer("diversion by x from: /usr/lib/a\ndiversion by x to: /usr/lib/a.distrib\ny:amd64, y:i386: /usr/lib/a\n", owners)
	if len(owners) != 1 || owners["/usr/lib/a"] != "y:amd64, y:i386" {
		t.Errorf("%v", owners)
	}
}
