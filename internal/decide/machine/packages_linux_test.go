package machine

import (
	"compress/gzip"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
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

// Only a place that its packages install readable for every user counts as readable.
func TestInstalledReadable(t *testing.T) {
	t.Parallel()
	zipped := func(text string) string {
		var packed strings.Builder
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		return packed.String()
	}
	dpkg := map[string]string{"var/lib/dpkg/info/x.list": "/usr/share/vulkan/icd.d\n/usr/share/vulkan/icd.d/a.json\n/usr/share/vulkan/icd.d/b.json\n" +
		"/lib/y/libz.so.1\n/usr/share/app/key.json\n/opt/app/key.json\n/etc/ssl/private\n/usr/lib/app/key.json\n",
		"var/lib/dpkg/statoverride": "root root 0640 /usr/share/vulkan/icd.d/b.json\n", "usr/lib/y/libz.so.1": "", "lib": "-> usr/lib"}
	apk := map[string]string{"lib/apk/db/installed": "P:x\nF:d\nR:a.json\nR:b.json\na:0:0:600\nZ:x\nF:e\nM:0:0:700\nR:c.json\na:0:0:755\n\n" +
		"P:y\nF:d\nM:0:0:755\nR:d.json\nF:two\nR:e.json\n\nP:z\nF:two\nR:e.json\na:0:0:400\n"}
	pacman := map[string]string{"var/lib/pacman/local/x-1-1/files": "%FILES%\nd/\nd/a.json\nd/b.json\ne/\n",
		"var/lib/pacman/local/x-1-1/mtree": zipped("#mtree\n/set type=file uid=0 gid=0 mode=644\n./d time=1 mode=755 type=dir\n./d/a.json size=1\n" +
			"./d/b.json mode=600 size=1\n/set mode=700\n./e type=dir\n"),
		"var/lib/pacman/local/y-1-1/files": "%FILES%\nf.json\n", "var/lib/pacman/local/y-1-1/mtree": "damaged"}
	for _, c := range []struct {
		files              map[string]string
		readable, closed   []string
		directory, private string
	}{
		{dpkg, []string{"/usr/share/vulkan/icd.d/a.json", "/usr/lib/y/libz.so.1"}, []string{"/usr/share/vulkan/icd.d/b.json", "/usr/share/app/key.json",
			"/opt/app/key.json", "/usr/lib/app/key.json", "/usr/share/vulkan/icd.d/none.json"}, "/usr/share/vulkan/icd.d", "/etc/ssl/private"},
		{apk, []string{"/d/a.json", "/e/c.json", "/d/d.json"}, []string{"/d/b.json", "/two/e.json", "/none"}, "/d", "/e"},
		{pacman, []string{"/d/a.json"}, []string{"/d/b.json", "/f.json", "/none"}, "/d", "/e"},
		{map[string]string{"d/a.json": "{}"}, nil, []string{"/d/a.json"}, "", "/d"},
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
		if c.directory != "" && !m.InstalledReadable(c.directory, true) || m.InstalledReadable(c.private, true) {
			t.Errorf("%s, or %s", c.directory, c.private)
		}
	}
	program := filepath.Join(t.TempDir(), "rpm")
	const script = "#!/bin/sh\nprintf '40755 /d\\n100644 /d/a.json\\n100600 /d/a.json\\n100600 /d/b.json\\n'\n"
	if err := binary.WriteProgram(program, []byte(script)); err != nil {
		t.Fatal(err)
	}
	if got := rpmModes(t.Context(), program, "/d/a.json"); !slices.Equal(got, []fs.FileMode{0o644, 0o600}) {
		t.Errorf("%v", got)
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
