package programs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/machine"
)

// Each file that "make install" installs is in one of Debian's packages and in one of the RPMs: their builds fail if a file is in none.
func TestPackagesTakeEveryFile(t *testing.T) {
	t.Parallel()
	const own = "usr/lib/x86_64-linux-gnu/vkloader"
	root := t.TempDir()
	install := exec.Command(filepath.Join(machine.Repository(t), "tools/install.sh"))
	install.Env = append(os.Environ(), "BUILD="+machine.Built(t), "BITS=64", "VERSION="+libraryVersion(t), "DESTDIR="+root, "PREFIX=/usr",
		"LIBDIR=/"+own, "BINDIR=/usr/bin", "INCLUDEDIR=/usr/include", "LIBEXECDIR=/usr/libexec", "DATADIR=/usr/share")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("tools/install.sh: %v\n%s", err, out)
	}
	var debian, rpm []string
	for _, list := range glob(t, filepath.Join(machine.Repository(t), "debian/*.install")) {
		for _, line := range strings.Split(read(t, list), "\n") {
			if source, _, _ := strings.Cut(strings.TrimSpace(line), " "); source != "" && !strings.HasPrefix(source, "#") {
				debian = append(debian, strings.ReplaceAll(source, "${DEB_HOST_MULTIARCH}", "x86_64-linux-gnu"))
			}
		}
	}
	macros := strings.NewReplacer("%{own}", "/"+own, "%{_bindir}", "/usr/bin", "%{_libexecdir}", "/usr/libexec", "%{_mandir}", "/usr/share/man",
		"%{_datadir}", "/usr/share", "%{_prefix}", "/usr")
	_, files, _ := strings.Cut(read(t, filepath.Join(machine.Repository(t), "packaging/rpm/vkloader.spec")), "\n%files")
	for _, line := range strings.Split(macros.Replace(files), "\n") {
		if strings.HasPrefix(line, "/") {
			rpm = append(rpm, line[1:])
		}
	}
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file := strings.TrimPrefix(path, root+"/")
		for kind, patterns := range map[string][]string{"debian/*.install": debian, "the spec file": rpm} {
			if !named(file, patterns) {
				t.Errorf("%s is not in %s", file, kind)
			}
		}
		return nil
	})
}

// named reports whether a pattern is the file, or a directory that contains it.
func named(file string, patterns []string) bool {
	for ; file != "."; file = filepath.Dir(file) {
		for _, pattern := range patterns {
			if yes, err := filepath.Match(pattern, file); yes && err == nil {
				return true
			}
		}
	}
	return false
}

// The scripts of the packages refresh the CDI files when another package changes a driver, and remove them with the tool, not
// when it is upgraded.
func TestPackagesFollowDrivers(t *testing.T) {
	t.Parallel()
	repository := machine.Repository(t)
	directory := t.TempDir()
	// the command fails, which must not prevent the installation of a package
	tool := "#!/bin/sh\necho \"$@\" >> " + directory + "/called\nexit 1\n"
	for name, text := range map[string]string{"vkloader": tool, "deb-systemd-helper": "#!/bin/sh\n", "deb-systemd-invoke": "#!/bin/sh\n"} {
		if err := binary.WriteProgram(filepath.Join(directory, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ script, argument, want string }{
		{"debian/vkloader.postinst", "configure", "cdi refresh"},
		{"debian/vkloader.postinst", "triggered", "cdi refresh"},
		{"debian/vkloader.postinst", "abort-upgrade", ""},
		{"debian/vkloader.prerm", "remove", "cdi refresh --remove"},
		{"debian/vkloader.prerm", "upgrade", ""},
		{"packaging/alpine/vkloader.trigger", "/usr/lib", "cdi refresh"},
		{"packaging/alpine/vkloader.pre-deinstall", "0.9.0", "cdi refresh --remove"},
	} {
		called := filepath.Join(directory, "called")
		if err := os.WriteFile(called, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		run := exec.Command("/bin/sh", filepath.Join(repository, c.script), c.argument)
		run.Env = []string{"PATH=" + directory + ":" + os.Getenv("PATH")}
		if out, err := run.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s %s: %v\n%s", c.script, c.argument, err, out)
		}
		if got := strings.TrimSpace(read(t, called)); got != c.want {
			t.Errorf("%s %s runs vkloader %q, want %q", c.script, c.argument, got, c.want)
		}
	}
	triggers := read(t, filepath.Join(repository, "debian/vkloader.triggers"))
	for _, want := range []string{"interest-noawait /usr/share/vulkan\n", "interest-noawait /etc/vulkan\n", "interest-noawait ldconfig\n"} {
		if !strings.Contains(triggers, want) {
			t.Errorf("debian/vkloader.triggers has no %q", want)
		}
	}
}
