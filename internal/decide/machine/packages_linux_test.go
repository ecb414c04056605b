package machine

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/binary"
)

// Owners asks rpm for the package of a manifest. An answer with fewer lines than files names no package.
func TestPackages(t *testing.T) {
	t.Parallel()
	files := []string{"/a/one.json", "/a/two.json"}
	for _, c := range []struct{ script, want string }{
		{`[ "$1 $4 $5 $6" = "-qf -- /a/one.json /a/two.json" ] && printf 'mesa-vulkan-drivers\nfile /a/two.json is not owned by any package\n'; exit 1`,
			"mesa-vulkan-drivers"},
		{"echo mesa-vulkan-drivers", ""},
	} {
		program := filepath.Join(t.TempDir(), "rpm")
		if err := binary.WriteProgram(program, []byte("#!/bin/sh\n"+c.script+"\n")); err != nil {
			t.Fatal(err)
		}
		owners := map[string]string{}
		rpmOwners(t.Context(), program, files, owners)
		if owners["/a/one.json"] != c.want || owners["/a/two.json"] != "" {
			t.Errorf("%s: %v", c.script, owners)
		}
	}
}

// A file of packages for two word sizes gets their common name. Other files get their own packages.
func TestRPMOwnersOfSharedFiles(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "rpm")
	const script = `#!/bin/sh
shift 4 # -qf --queryformat FORMAT --
for file; do
	case $file in
	/shared.json) printf 'mesa\nmesa\n' ;;
	/both.json) printf 'left\nright\n' ;;
	/one.json) echo vulkan-loader ;;
	*) echo "file $file is not owned by any package" ;;
	esac
done
`
	if err := binary.WriteProgram(program, []byte(script)); err != nil {
		t.Fatal(err)
	}
	owners := map[string]string{}
	rpmOwners(t.Context(), program, []string{"/shared.json", "/one.json", "/nobody.json", "/both.json"}, owners)
	want := map[string]string{"/shared.json": "mesa", "/one.json": "vulkan-loader", "/both.json": "left, right"}
	if !maps.Equal(owners, want) {
		t.Errorf("%v, want %v", owners, want)
	}
}

// rpm does not get this process's variables, because it runs commands from the macro file in HOME.
func TestRPMVariables(t *testing.T) {
	directory := t.TempDir()
	for _, name := range []string{"HOME", "PATH", "XDG_CONFIG_HOME", "RPM_CONFIGDIR", "LD_LIBRARY_PATH"} {
		t.Setenv(name, directory)
	}
	program := filepath.Join(directory, "rpm")
	if err := binary.WriteProgram(program, []byte("#!/bin/sh\n/usr/bin/env\n")); err != nil {
		t.Fatal(err)
	}
	got, err := askRPM(t.Context(), program)
	if err != nil || strings.Contains(string(got), directory) {
		t.Errorf("%s, %v", got, err)
	}
}

// On a foreign machine, Owners reads the lists of dpkg, apk and pacman, and starts no program.
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

// Only a place that packages install readable for every user counts as readable.
func TestInstalledReadable(t *testing.T) {
	t.Parallel()
	const icd = "/usr/share/vulkan/icd.d/"
	dpkg := map[string]string{"var/lib/dpkg/info/x.list": icd + "a.json\n" + icd + "b.json\n" +
		"/usr/share/vulkan/icd.d\n/usr/share/vulkan\n/usr/lib\n/etc/vulkan\n/usr/lib/cups\n" +
		"/lib/y/libz.so.1\n/usr/share/app/key.json\n/opt/app/key.json\n/etc/ssl/private\n/usr/lib/app/key.json\n",
		"var/lib/dpkg/statoverride": "root root 0640 " + icd + "b.json\nroot root 0700 /etc/vulkan\n",
		"usr/lib/y/libz.so.1":       "", "lib": "-> usr/lib"}
	apk := map[string]string{"lib/apk/db/installed": "P:x\nF:usr/share/vulkan/icd.d\nR:a.json\nF:e\nR:c.json\n"}
	pacman := map[string]string{"var/lib/pacman/local/x-1-1/files": "%FILES%\nusr/share/vulkan/icd.d/\nusr/share/vulkan/icd.d/a.json\nf.json\n"}
	for _, c := range []struct {
		files            map[string]string
		readable, closed []string
	}{
		{dpkg, []string{icd + "a.json", "/usr/lib/y/libz.so.1"}, []string{icd + "b.json", "/usr/share/app/key.json",
			"/opt/app/key.json", "/usr/lib/app/key.json", icd + "none.json"}},
		{apk, []string{icd + "a.json"}, []string{"/e/c.json", "/none"}},
		{pacman, []string{icd + "a.json"}, []string{"/f.json", icd + "none.json"}},
		{map[string]string{icd[1:] + "a.json": "{}"}, nil, []string{icd + "a.json"}},
	} {
		m := laid(t, c.files)
		for _, file := range c.readable {
			if !m.InstalledReadable(file, false) {
				t.Errorf("%s is not readable", file)
			}
		}
		for _, file := range c.closed {
			if m.InstalledReadable(file, false) {
				t.Errorf("%s is readable", file)
			}
		}
	}
	m := laid(t, dpkg)
	for directory, want := range map[string]bool{"/usr/share/vulkan/icd.d": true, "/usr/share/vulkan": true, "/usr/lib": true,
		"/usr/lib/x86_64-linux-gnu": false, "/usr/lib/cups": false, "/etc/ssl/private": false, "/etc/vulkan": false} {
		if m.InstalledReadable(directory, true) != want {
			t.Errorf("%s: not %v", directory, want)
		}
	}
	if !laid(t, pacman).InstalledReadable("/usr/share/vulkan/icd.d", true) {
		t.Error("the directory of a package of pacman")
	}
}

// A file of one package for two architectures gets both owners.
func TestTwoArchitectures(t *testing.T) {
	t.Parallel()
	m := laid(t, map[string]string{"var/lib/dpkg/info/y:amd64.list": "/usr/share/a\n", "var/lib/dpkg/info/y:i386.list": "/usr/share/a\n/usr/share/b"})
	owners := m.Owners([]string{"/usr/share/a", "/usr/share/b", "/usr/share"})
	if len(owners) != 2 || owners["/usr/share/a"] != "y:amd64, y:i386" || owners["/usr/share/b"] != "y:i386" {
		t.Errorf("%v", owners)
	}
}
