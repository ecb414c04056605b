package machine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vkloader/internal/machines"
	"vkloader/test/lib/tree"
)

// Package reads the lists of each package manager. A removed package whose configuration remains is not installed. If a
// package is installed for several architectures, the result is that of this machine's.
func TestPackage(t *testing.T) {
	t.Parallel()
	own, _ := machines.Own()
	for name, c := range map[string]struct {
		files   map[string]string
		version string
		has     []string
	}{
		"dpkg": {map[string]string{"var/lib/dpkg/status": "Package: drivers\nStatus: install ok installed\nArchitecture: ia64\nVersion: 1\n\n" +
			"Package: drivers\nStatus: install ok installed\nArchitecture: " + own.Target + "\nMulti-Arch: same\nVersion: 22.3.6-1\n\n" +
			"Package: drivers\nStatus: install ok installed\nArchitecture: hppa\nVersion: 22.3.5-1\n\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\n",
			"var/lib/dpkg/info/drivers:" + own.Target + ".list": "/.\n/usr/lib/libd.so\n", "var/lib/dpkg/info/drivers:hppa.list": "/usr/lib32/libd.so\n"}, "22.3.6-1", []string{"/.", "/usr/lib/libd.so"}},
		"apk": {map[string]string{"lib/apk/db/installed": "P:drivers-extra\nV:1\nF:usr\nR:x\n\nP:drivers\nV:24.0-r1\nF:usr/lib\nR:libd.so\nR:libe.so\n"},
			"24.0-r1", []string{"/usr/lib/libd.so", "/usr/lib/libe.so"}},
		"pacman": {map[string]string{"var/lib/pacman/local/drivers-extra-1-1/files": "%FILES%\nusr/x\n",
			"var/lib/pacman/local/drivers-1:24.0.1-2/files": "%FILES%\nusr/\nusr/lib/libd.so\n"}, "1:24.0.1-2", []string{"/usr/lib/libd.so"}},
		"XBPS": {map[string]string{"var/db/xbps/.drivers-files.plist": "<array>\n\t<string>/usr/lib/libd.so</string>\n</array>\n"}, "", []string{"/usr/lib/libd.so"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for name, content := range c.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m := &Machine{Root: root}
			got, is := m.Package("drivers")
			if !is || got.Name != "drivers" || got.Version != c.version || !slices.Equal(got.Files, c.has) {
				t.Errorf("%+v, %v", got, is)
			}
			for _, name := range []string{"gone", "driver", "", "a/b"} {
				if got, is := m.Package(name); is {
					t.Errorf("%s: %+v", name, got)
				}
			}
		})
	}
}

// Portage's packages have a category. One of Debian may be of another architecture than the machine's.
func TestPackagesWithMoreThanAName(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	tree.Lay(t, root, map[string]string{"var/db/pkg/media-libs/mesa-25.0.1/CONTENTS": "dir /usr/lib64\nobj /usr/lib64/libd.so 0 1\n", "var/db/pkg/media-libs/mesa-progs-9.0/CONTENTS": "",
		"var/lib/dpkg/status":                    "Package: libd\nStatus: install ok installed\nArchitecture: i386\nVersion: 2\n",
		"var/lib/pacman/local/overlay-1-1/files": "%FILES%\n", "var/lib/pacman/local/overlay-1-1/desc": "%VALIDATION%\nnone\n\n"})
	m := &Machine{Root: root}
	if p, is := m.Package("media-libs/mesa"); !is || p.Version != "25.0.1" || !slices.Equal(p.Files, []string{"/usr/lib64/libd.so"}) {
		t.Errorf("%+v, %v", p, is)
	}
	if p, is := m.Package("overlay"); !is || !p.Local {
		t.Errorf("%+v, %v", p, is)
	}
	for name, want := range map[string]bool{"libd": true, "libd:i386": true, "libd:amd64": false, "media-libs/me": false} {
		if p, is := m.Package(name); is != want {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// The lists of another package manager on the machine say nothing about the system's own packages.
func TestListsOfOneManager(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	tree.Lay(t, root, map[string]string{"var/lib/apt/lists/a_Packages": "Package: mesa-vulkan-drivers\n", "var/lib/apt/lists/a_Contents-amd64": ""})
	m := &Machine{Root: root}
	for of, want := range map[string]bool{"debian": true, "arch": false, "alpine": false, "": false} {
		if offered, known := m.Lists(of).Offers("mesa-vulkan-drivers"); known != want || len(offered) == 1 != want {
			t.Errorf("%q: %v, %v", of, offered, known)
		}
	}
}
