package doctor

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/test/lib/tree"
)

// refusing is a directory tree with unreadable files and directories.
type refusing struct {
	root   string
	closed []string
}

func (r refusing) refuses(name string, self bool) error {
	for _, c := range r.closed {
		if self && name == c || strings.HasPrefix(name, c+"/") {
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		}
	}
	return nil
}

func (r refusing) at(name string) string { return filepath.Join(r.root, name) }

func (r refusing) Lstat(name string) (fs.FileInfo, error) {
	if err := r.refuses(name, false); err != nil {
		return nil, err
	}
	return os.Lstat(r.at(name))
}

func (r refusing) Readlink(name string) (string, error) { return os.Readlink(r.at(name)) }

func (r refusing) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := r.refuses(name, true); err != nil {
		return nil, err
	}
	return os.ReadDir(r.at(name))
}

func (r refusing) Open(name string) (*os.File, error) {
	if err := r.refuses(name, true); err != nil {
		return nil, err
	}
	return os.Open(r.at(name))
}

// An unreadable file of a package gets a finding with the command that makes it readable, and no advice to install a package.
// Without the package, nobody is told to open it.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		closed string
		cause
	}{
		{"/usr/share/vulkan/icd.d", cause{problems: []string{"directory-unreadable"}, code: "directory-unreadable",
			what: "/usr/share/vulkan/icd.d may not be read, so the drivers in it are not found", do: "Run as root: chmod a+rX /usr/share/vulkan/icd.d"}},
		{"/usr/share/vulkan", cause{problems: []string{"directory-unreadable"}, code: "directory-unreadable", what: "/usr/share/vulkan may not be read",
			do: "chmod a+rX /usr/share/vulkan"}},
		{"/" + icds + "radeon_icd.json", cause{problems: []string{"file-open"}, code: "file-open", what: "radeon_icd.json may not be read",
			do: "Run as root: chmod a+rX /" + icds + "radeon_icd.json"}},
		{"/" + libraries + "libvulkan_radeon.so", cause{problems: []string{"library-unreadable"}, code: "library-unreadable",
			do: "Run as root: chmod a+rX /" + libraries + "libvulkan_radeon.so"}},
	} {
		t.Run(c.closed, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			tree.Lay(t, root, desktop(t))
			examine := func() *Report {
				report, err := Examine(&machine.Source{Machine: machine.Machine{Root: "image", Tree: refusing{root, []string{c.closed}}}}, Options{})
				if err != nil {
					t.Fatal(err)
				}
				return report
			}
			for _, f := range examine().Findings {
				if strings.Contains(f.Do, "chmod") || f.Code.String() == c.code && !strings.Contains(f.Do, "ask the owner of "+c.closed) {
					t.Errorf("without a package: %s", f.Do)
				}
			}
			tree.Lay(t, root, installedPackage("mesa-vulkan-drivers", "22.3.6-1", "/usr/share/vulkan", "/usr/share/vulkan/icd.d",
				"/"+icds+"radeon_icd.json", "/"+libraries+"libvulkan_radeon.so"))
			checkCause(t, examine(), &c.cause)
		})
	}
}

// The permissions of the user's own file may be intended, so no command opens it.
func TestUnreadableOwn(t *testing.T) {
	t.Parallel()
	const manifest = "home/user/.local/share/vulkan/icd.d/own.json"
	const line = "ask the owner of /" + manifest
	root := t.TempDir()
	tree.Lay(t, root, desktop(t, file(manifest, icd("/"+libraries+"libvulkan_radeon.so", ""))))
	source := &machine.Source{Machine: machine.Machine{Root: "image", Tree: refusing{root, []string{"/" + manifest}}, Environ: []string{"HOME=/home/user"}}}
	report, err := Examine(source, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkCause(t, report, &cause{problems: []string{"file-open"}, code: "file-open", do: line})
	for _, f := range report.Findings {
		if f.Code.String() != "file-open" {
			continue
		}
		if strings.Contains(f.Do, "chmod") {
			t.Errorf("advice %q", f.Do)
		}
	}
}

// A process with another user's HOME lacks nothing: the variable is the fault, and no driver is known to be missing.
func TestForeignHome(t *testing.T) {
	t.Parallel()
	for passwd, want := range map[string]string{"": "Set HOME to a directory of user 1000.",
		"mia:x:1000:1000::/home/mia:/bin/sh\n": "export HOME=/home/mia"} {
		root := t.TempDir()
		tree.Lay(t, root, desktop(t, file("etc/passwd", passwd), file("root/x", "")))
		report, err := Examine(&machine.Source{Machine: machine.Machine{Root: "image", Tree: refusing{root, []string{"/root"}},
			Environ: []string{"HOME=/root"}}}, Options{User: "1000"})
		if err != nil {
			t.Fatal(err)
		}
		f := ofCodes(report)[DirectoryUnreadable]
		if f.Severity != diag.Warning || !strings.HasPrefix(f.What, "HOME is /root, which ") || f.Do != want {
			t.Errorf("%q: %+v", passwd, f)
		}
	}
}

// No advice opens a file or directory that is no driver's, even if a package owns it: a link of a manifest or a library leads to
// it, or a manifest or a variable names it.
func TestPrivateStaysClosed(t *testing.T) {
	t.Parallel()
	secret := "/etc/shadow"
	for _, c := range []struct{ place, text string }{
		{"/etc/shadow", "root:x"}, {"/root/x.so", "\x7fELF"}, {"/root", ""}, {"/etc/ssl/private/key.json", "{}"}, {"/usr/lib/secret", "\x7fELF"},
		{"/usr/share/vulkan/icd.d/link.json", ""}, {"/usr/lib/libtext.so", "text"}, {"/home/other/x.json", "{}"}, {"/var/lib/private/x.so", "\x7fELF"},
		{"/opt/app/credentials.json", "{}"}, {"/usr/share/app/credentials.json", "{}"}, {"/usr/local/lib/x.so", "\x7fELF"}, {"/opt/app", ""},
	} {
		t.Run(c.place, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			at := filepath.Join(root, c.place)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			var err error
			switch {
			case strings.Contains(c.place, "link"):
				err = os.Symlink(secret, at)
			case c.text == "":
				err = os.MkdirAll(at, 0o700)
			default:
				err = os.WriteFile(at, []byte(c.text), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.place != "/usr/lib/libtext.so" { // no package has it
				tree.Lay(t, root, installedPackage("x", "1", c.place, secret))
			}
			h := host{&machine.Machine{Root: root}}
			do := h.opening(c.place)
			if strings.Contains(do.text+string(shell.Join(do.lines, ";")), "chmod") {
				t.Errorf("advice: %s %q", do.text, do.lines)
			}
		})
	}
}

// A settings file of layers, or a file that the loader's settings name, is missing only if its directory can be searched.
func TestUnreadableSettings(t *testing.T) {
	t.Parallel()
	const own, named = "/opt/closed/own.txt", "/opt/closed/driver.json"
	const global = "/etc/vulkan/loader_settings.d/vk_loader_settings.json"
	for _, c := range []struct {
		name, closed, variable, what string
		unset                        bool
	}{
		{"file", own, own, "the variable names " + own + ", which cannot be read: permission denied", false},
		{"directory", "/opt/closed", own, "the variable names " + own + ", which cannot be read: permission denied", false},
		{"file in a named directory", "/opt/closed/vk_layer_settings.txt", "/opt/closed", "/opt/closed/vk_layer_settings.txt, which cannot be read: permission denied", false},
		{"missing", "/none", "/opt/gone.txt", "the variable names /opt/gone.txt, which does not exist", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			tree.Lay(t, root, desktop(t, file(own[1:], "a.b = 1\n"), file("opt/closed/vk_layer_settings.txt", "a.b = 1\n")))
			report, err := Examine(&machine.Source{Machine: machine.Machine{Root: "image", Tree: refusing{root, []string{c.closed}},
				Environ: []string{settingsPath + "=" + c.variable}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkCause(t, report, &cause{problems: []string{"layer-settings"}, code: "layer-settings", what: c.what})
			for _, f := range report.Findings {
				if f.Code == LayerSettings && strings.Contains(f.Do, "unset") != c.unset {
					t.Errorf("advice %q", f.Do)
				}
			}
		})
	}
	root := t.TempDir()
	tree.Lay(t, root, desktop(t, file(global[1:], `{"file_format_version":"1.0.0","settings":{"additional_drivers":[{"path":"`+named+`"}]}}`), file(named[1:], "{}")))
	report, err := Examine(&machine.Source{Machine: machine.Machine{Root: "image", Tree: refusing{root, []string{"/opt/closed"}}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if strings.Contains(f.What, named) && strings.Contains(f.What, "does not exist") {
			t.Errorf("%s: %s", f.Code, f.What)
		}
	}
}

// A variable that names a file or a directory behind a closed directory gets the fix of the permission. The
// place is not called missing. A working driver makes the finding a warning.
func TestVariableBehindClosedDirectory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	tree.Lay(t, root, desktop(t))
	tree.Lay(t, root, map[string]string{"opt/acme/icd.d/acme.json": "= {}"})
	for _, c := range []struct{ variable, severity string }{
		{"VK_DRIVER_FILES=/opt/acme/icd.d/acme.json", "problem"},
		{"VK_DRIVER_FILES=/opt/acme/icd.d/acme.json:/" + icds + "radeon_icd.json", "warning"},
		{"VK_ADD_DRIVER_FILES=/opt/acme/icd.d", "problem"},
		{"VK_ADD_LAYER_PATH=/opt/acme/layers", "problem"},
	} {
		source := &machine.Source{Machine: machine.Machine{Root: "image", Tree: refusing{root, []string{"/opt/acme"}}, Environ: []string{c.variable}}}
		report, err := Examine(source, Options{})
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		for _, f := range report.Findings {
			if strings.Contains(f.What, "does not exist") {
				t.Errorf("%s: %s", c.variable, f.What)
			}
			if f.Code == diag.VariableNothing {
				seen = true
				if !strings.Contains(f.What, ", which this user may not look at") || f.Severity.String() != c.severity {
					t.Errorf("%s: %s %s", c.variable, f.Severity, f.What)
				}
			}
		}
		if !seen {
			t.Errorf("%s: no finding about it: %+v", c.variable, report.Findings)
		}
		for _, p := range explain.Paths(report.Answer, report.source) {
			if strings.HasPrefix(p.Path, "/opt/acme") && p.Note != "this user may not look at it" {
				t.Errorf("%s: list paths says %+v", c.variable, p)
			}
		}
	}
}
