package commands

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// another is the number of a user without an entry in any table.
const another = "4242"

// asRoot skips a test that needs root.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root has files of other users")
	}
}

// giveAway makes another user the owner of files and directories.
func giveAway(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Lchown(name, 4242, 4242); err != nil {
			t.Fatal(err)
		}
	}
}

// Root's command lines load no file that another user can change, and name it: manifest, library, directory or variable.
func TestRootLoadsNothingOfOthers(t *testing.T) {
	t.Parallel()
	asRoot(t)
	for _, c := range []struct {
		name string
		give func(t *testing.T, w *world.World, d *world.Fake) (file string)
	}{
		{"library", func(t *testing.T, _ *world.World, d *world.Fake) string { giveAway(t, d.Library); return d.Library }},
		{"manifest", func(t *testing.T, _ *world.World, d *world.Fake) string {
			giveAway(t, d.ManifestPath)
			return d.ManifestPath
		}},
		{"directory", func(t *testing.T, _ *world.World, d *world.Fake) string {
			giveAway(t, filepath.Dir(d.ManifestPath))
			return filepath.Dir(d.ManifestPath)
		}},
		{"layer", func(t *testing.T, w *world.World, _ *world.Fake) string {
			l := w.ImplicitLayer("VK_LAYER_theirs")
			giveAway(t, l.Library)
			return l.Library
		}},
		{"preload", func(t *testing.T, w *world.World, _ *world.Fake) string {
			file := w.Write("theirs/x.so", "")
			giveAway(t, file)
			w.Env["LD_PRELOAD"] = file
			return file
		}},
		{"directory of libraries", func(t *testing.T, w *world.World, _ *world.Fake) string {
			file := filepath.Dir(w.Write("theirs/x.so", ""))
			giveAway(t, file)
			w.Env["__EGL_VENDOR_LIBRARY_DIRS"] = file
			return file
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			d := w.Driver("acme", "log_load", "device name=big type=discrete")
			tool := filepath.Join(built, "vkloader")
			if _, exit := w.Run(time.Minute, tool, "list", "devices", "--details"); exit.Code != 0 || len(w.Log().By("acme")) == 0 {
				t.Fatalf("root's own driver is not tried: exit code %d, %s", exit.Code, exit.Stderr)
			}
			before := len(w.Log())
			file := c.give(t, w, d)
			for _, line := range []string{"", "list devices --details", "list devices", "explain --picture", "explain --picture --app /bin/true", "doctor", "doctor --probe", "check",
				"run /bin/true", "bundle --list", "bundle --list --app /bin/true"} {
				args := strings.Fields(line)
				if line == "explain --picture" {
					continue
				}
				out, exit := w.Run(time.Minute, tool, args...)
				said := out + exit.Stderr
				if !strings.Contains(line, "bundle") && (!strings.Contains(said, "as root: user "+another+" can change "+file) ||
					!strings.Contains(said, "--as-user "+another)) {
					t.Errorf("vkloader %s: exit code %d, does not say why:\n%s", line, exit.Code, said)
				}
				if refuses := line != "" && line != "doctor" && !strings.Contains(line, "bundle"); refuses && exit.Code == 0 {
					t.Errorf("vkloader %s: exit code 0", line)
				}
			}
			for _, call := range w.Log()[before:] {
				if c.name != "layer" || call.Text("who") != "acme" { // the driver itself belongs to root
					t.Errorf("loaded: %v", call)
					break
				}
			}
		})
	}
}

// With --as-user, a command has the user's IDs, groups and home, no capabilities, and a separate session.
func TestAsUser(t *testing.T) {
	t.Parallel()
	asRoot(t)
	tool := filepath.Join(readable(t), "vkloader") // user 4242 may not be allowed to enter the directory of the build
	private := t.TempDir()
	secret, err := os.Create(filepath.Join(private, "held"))
	if err == nil {
		err = os.Chmod(private, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	run := func(args ...string) string {
		cmd := exec.Command(tool, args...)
		cmd.Env = []string{"HOME=/root", "XDG_CONFIG_HOME=/root/x", "XDG_DATA_DIRS=/root/y", "PATH=/usr/bin:/bin", "SUDO_USER=a", "TOKEN=secret"}
		cmd.Dir, cmd.ExtraFiles = private, []*os.File{secret}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if got := run("--as-user", another, "run", "cat", "/proc/self/status"); !strings.Contains(got, "Uid:\t4242\t4242\t4242\t4242\n") ||
		!strings.Contains(got, "Gid:\t4242\t4242\t4242\t4242\n") || !strings.Contains(got, "CapPrm:\t0000000000000000\n") ||
		!strings.Contains(got, "CapEff:\t0000000000000000\n") || !strings.Contains(got, "CapAmb:\t0000000000000000\n") || !strings.Contains(got, "Groups:\t \n") {
		t.Errorf("rights of the user:\n%s", got)
	}
	got := run("run", "--as-user", "nobody", "env")
	for _, part := range []string{"/root", "SUDO_", "XDG_", "TOKEN"} {
		if strings.Contains(strings.ReplaceAll(got, built, ""), part) {
			t.Errorf("%s is left of root's variables:\n%s", part, got)
		}
	}
	if !strings.Contains(got, "USER=nobody\n") || !strings.Contains(got, "HOME=/nonexistent\n") {
		t.Errorf("variables of the user:\n%s", got)
	}
	if got := run("--as-user", another, "run", "sh", "-c", "(exec < /dev/tty) 2>&1; :"); !strings.Contains(got, "/dev/tty") {
		t.Errorf("the user's process has a terminal to type into: %q", got)
	}
	if got := run("--as-user", another, "run", "sh", "-c", "pwd -P; for f in /proc/self/fd/*; do readlink $f; done; :"); !strings.HasPrefix(got, "/\n") || strings.Contains(got, private) {
		t.Errorf("root's directory or descriptors:\n%s", got)
	}
	for _, code := range []string{"0", "7", "3"} {
		err := exec.Command(tool, "--as-user", another, "run", "sh", "-c", "exit "+code).Run()
		if got := "0"; err != nil {
			if got = strings.TrimPrefix(err.Error(), "exit status "); got != code {
				t.Errorf("exit code %s, want %s", got, code)
			}
		} else if got != code {
			t.Errorf("exit code 0, want %s", code)
		}
	}
	if out, err := exec.Command(tool, "--as-user", "no-such-user", "list", "drivers").CombinedOutput(); err == nil || !strings.Contains(string(out), "no such user") {
		t.Errorf("%v %s", err, out)
	}
	cmd := exec.Command(tool, "--as-user", another, "--as-user", "root", "list", "drivers")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v %s", err, out)
	}
}

// A process of the user loads files that root refuses.
func TestAsUserTries(t *testing.T) {
	t.Parallel()
	asRoot(t)
	directory := t.TempDir()
	for name, from := range map[string]string{"null.so": "drivers/libvk_null.so"} {
		text, err := os.ReadFile(filepath.Join(built, from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(directory, name), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	manifest := filepath.Join(directory, "null.json")
	text := `{"file_format_version":"1.0.0","ICD":{"library_path":"./null.so","api_version":"1.3.0"}}`
	if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for name := directory; name != "/tmp" && name != "/"; name = filepath.Dir(name) {
		if err := os.Chmod(name, 0o755); err != nil {
			break
		}
		if strings.HasPrefix(filepath.Base(name), "Test") {
			break
		}
	}
	giveAway(t, directory, filepath.Join(directory, "null.so"), manifest)
	tool := filepath.Join(readable(t), "vkloader")
	for _, c := range []struct {
		args []string
		fine bool
	}{{[]string{"list", "devices", "--details"}, false}, {[]string{"list", "devices", "--details", "--as-user", another}, true}} {
		cmd := exec.Command(tool, c.args...)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "VK_DRIVER_FILES=" + manifest}
		if out, err := cmd.CombinedOutput(); (err == nil) != c.fine {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
	}
}

// Root runs no helper program that another user can change, and unpacks nothing into another user's directory.
func TestRootRunsNoHelperOfOthers(t *testing.T) {
	t.Parallel()
	asRoot(t)
	directory := t.TempDir()
	ran, theirs := filepath.Join(directory, "ran"), filepath.Join(directory, "theirs")
	for _, name := range []string{"unsquashfs", "xdg-open"} {
		file := filepath.Join(theirs, name)
		if err := put(file, []byte("#!/bin/sh\ntouch "+ran+"\n")); err != nil {
			t.Fatal(err)
		}
		giveAway(t, theirs, file)
	}
	image := make([]byte, 68) // an AppImage without content
	copy(image, elf.ELFMAG+"\x02\x01\x01\x00AI\x02")
	binary.LittleEndian.PutUint64(image[40:], 64)
	copy(image[64:], "hsqs")
	file := filepath.Join(directory, "Game.AppImage")
	if err := put(file, image); err != nil {
		t.Fatal(err)
	}
	run := func(variables []string, args ...string) string {
		cmd := exec.Command(filepath.Join(built, "vkloader"), args...)
		cmd.Env = append(os.Environ(), variables...)
		text, _ := cmd.CombinedOutput()
		return string(text)
	}
	path := "PATH=" + theirs + ":" + os.Getenv("PATH")
	if got := run([]string{path}, "explain", "--app", file); !strings.Contains(got, "not run as root: user "+another+" can change "+theirs) {
		t.Errorf("unsquashfs of another user:\n%s", got)
	}
	if _, err := exec.LookPath("unsquashfs"); err == nil {
		if got := run([]string{"TMPDIR=" + theirs}, "explain", "--app", file); !strings.Contains(got, "no temporary directory for Game.AppImage") {
			t.Errorf("temporary directory of another user:\n%s", got)
		}
	}
	if got := run([]string{path}, "ui", "--open", "--idle", "1s"); !strings.Contains(got, "no browser was started: not run as root: user "+another+" can change "+theirs) {
		t.Errorf("opener of another user:\n%s", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of another user has run")
	}
}

// Root ignores another user's home and names it. Root's own home is used.
func TestRootTakesOwnHome(t *testing.T) {
	t.Parallel()
	asRoot(t)
	tool := filepath.Join(built, "vkloader")
	home := t.TempDir()
	manifest := filepath.Join(home, ".config/vulkan/icd.d/theirs.json")
	if err := os.MkdirAll(filepath.Dir(manifest), 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{"file_format_version":"1.0.0","ICD":{"library_path":"` + filepath.Join(built, "drivers/libvk_null.so") + `","api_version":"1.3.0"}}`
	if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := [][]string{{"list", "drivers"}, {"explain"}, {"cdi", "generate"}, {"run", "env"}, {"list", "paths"}, {"doctor", "--no-probe"}}
	for _, theirs := range []bool{false, true} {
		if theirs {
			giveAway(t, home)
		}
		for _, variable := range []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/.config", "XDG_DATA_HOME=" + home + "/.config",
			"XDG_DATA_DIRS=/usr/share:" + home + "/.config", "XDG_CONFIG_DIRS=" + home + "/.config"} {
			if log, status := serviceText(t, []string{variable}); theirs == strings.Contains(log+status, "theirs") {
				t.Errorf("%s vkloader service run:\n%s%s", variable, log, status)
			}
			for _, line := range lines {
				cmd := exec.Command(tool, line...)
				cmd.Env = []string{"PATH=/usr/bin:/bin", variable}
				var said strings.Builder
				cmd.Stderr = &said
				out, _ := cmd.Output()
				if taken := strings.Contains(string(out), home) || strings.Contains(string(out), "theirs"); theirs == taken && line[0] != "doctor" {
					t.Errorf("%s vkloader %v: taken %v\n%s%s", variable, line, taken, out, &said)
				}
				name, _, _ := strings.Cut(variable, "=")
				if warned := strings.Contains(said.String(), "ignored as root: "+name+"="+home) && strings.Contains(said.String(), "--as-user "+another); warned != theirs {
					t.Errorf("%s vkloader %v: warned %v\n%s", variable, line, warned, &said)
				}
			}
		}
	}
}

// Root's service and CDI files offer no driver that another user can change, and give the reason.
func TestRootOffersNothingOfOthers(t *testing.T) {
	t.Parallel()
	asRoot(t)
	tool := filepath.Join(built, "vkloader")
	w := world.New(t)
	w.NoShim = true
	d := w.Driver("acme", "device name=big type=discrete")
	for _, file := range []string{"", d.Library, d.ManifestPath} {
		if file != "" {
			giveAway(t, file)
		}
		out, exit := w.Run(time.Minute, tool, "cdi", "generate")
		log, status := serviceText(t, w.Environment())
		for line, said := range map[string]string{"cdi generate": out + exit.Stderr, "service run": log + status} {
			if refused := strings.Contains(said, "not offered as root: user "+another+" can change "); refused != (file != "") {
				t.Errorf("vkloader %s, of the user %q: exit code %d\n%s", line, file, exit.Code, said)
			}
		}
		if file != "" && strings.Contains(out, `"hostPath": "`+d.Library) {
			t.Errorf("vkloader cdi generate mounts %s", d.Library)
		}
		if file != "" {
			if err := os.Lchown(file, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Escape sequences in an executable's name, also those of the tool's own colours, reach neither standard output nor standard error.
func TestColoursOfNames(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "a\x1b[31mb\x1b[0m\x1b]0;title\x07")
	text, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{{"explain", "--app", program}, {"doctor", "--app", program}, {"explain", "--picture", "--app", program}, {"run", "--dry-run", program},
		{"run", program + "none"}, {"list", "drivers", "--root", program}, {"validate", program}, {"list", "variables", "--set", "--app", program}, {"explain", program},
		{"settings", "set", "--layer", "x=off", "--app", program, "--dry-run"}, {"list", "--env", "VK_DRIVER_FILES=" + program}} {
		out, _ := exec.Command(filepath.Join(built, "vkloader"), line...).CombinedOutput() // some of the command lines are invalid
		if strings.ContainsAny(string(out), "\x1b\x07") {
			t.Errorf("%v: %q", line[0], out)
		}
	}
}
