package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// obstacles create files of all kinds in place of a directory or a regular file of an image.
var obstacles = map[string]func(path string) error{
	"FIFO": func(path string) error { return unix.Mkfifo(path, 0o666) },
	"socket": func(path string) error {
		return unix.Mknod(path, unix.S_IFSOCK|0o666, 0)
	},
	"device": func(path string) error { // /dev/tty, because opening it affects the terminal
		return unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(5, 0)))
	},
	"file": func(path string) error { return os.WriteFile(path, []byte("text"), 0o644) },
	"loop": func(path string) error { return os.Symlink(filepath.Base(path), path) },
}

// writtenPlaces lists the directories of an image to which the hook writes; readPlaces lists other paths that a command reads there.
var (
	writtenPlaces = []string{"/etc/vulkan/icd.d", "/usr/share/glvnd/egl_vendor.d",
		"/usr/share/egl/egl_external_platform.d", "/etc/nvidia/nvidia-application-profiles-rc.d", "/usr/lib/x86_64-linux-gnu/gbm", "/usr/lib/wsl", "/usr/share/drirc.d"}
	readPlaces = []string{"/etc/vulkan/icd.d/own.json", "/usr/share/vulkan/icd.d/own.json", "/etc/vulkan/loader_settings.d/vk_loader_settings.json",
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d/own.conf", "/etc/ld.so.preload", "/etc/passwd", "/etc/os-release", "/usr/lib/os-release",
		"/lib64/ld-linux-x86-64.so.2", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libvulkan.so.1", "/var/lib/dpkg/status",
		"/var/lib/dpkg/arch", "/dev/dri/by-path/own", "/dev/nvidia0", "/etc/cdi/own.json", "/sys/class/drm/renderD128/device/uevent",
		"/usr/share/vulkan/implicit_layer.d/own.json", "/usr/share/vulkan/explicit_layer.d/own.json", "/usr/share/drirc.d/00-mesa-defaults.conf",
		"/run/vkloader/why.json", "/run/vkloader/manifests/x86_64/own.json", "/run/vkloader/open/x86_64", "/run/vkloader/links/x86_64"}
)

// prefixes lists the paths and all of their parent directories.
func prefixes(paths ...string) (list []string) {
	for _, path := range paths {
		for ; path != "/"; path = filepath.Dir(path) {
			if !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	slices.Sort(list)
	return list
}

// obstruct creates an obstacle at a path of an image.
func obstruct(t *testing.T, image, place, kind string) {
	t.Helper()
	path := filepath.Join(image, place)
	_ = os.MkdirAll(filepath.Dir(path), 0o755) // another obstacle may be there
	if err := errors.Join(os.RemoveAll(path), obstacles[kind](path)); errors.Is(err, unix.EPERM) {
		t.Skipf("no %s can be made here: %v", kind, err)
	} else if err != nil && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP) {
		t.Fatal(err)
	}
}

// ends runs a program in a separate mount namespace and returns its output. A program that waits for an obstacle fails the test after a
// time that is long enough for a busy machine.
func ends(t *testing.T, input string, words ...string) string {
	t.Helper()
	within, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(within, words[0], words[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Setsid: true}
	cmd.Stdin = strings.NewReader(input)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); within.Err() != nil {
		t.Errorf("%q does not end: %v\n%s", words, err, &out)
	}
	return out.String()
}

// imageOf returns a container of a new image, and the command lines of its hook and of each command that examines an image.
func imageOf(t *testing.T, host string, file string) (image, state string, hook []string, commands [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := newContainer(t, specOf(t, text), host, bare(t), "0000:01:00.0")
	tool := filepath.Join(built, "vkloader")
	return c.root, `{"ociVersion":"1.0.2","bundle":"` + c.bundle + `"}`, c.hook, [][]string{
		{tool, "--root", c.root, "cdi", "why", "--host", host}, {tool, "--root", c.root, "cdi", "verify", "--host", host, file},
		{tool, "cdi", "check", "--host", host, "--cdi", file, c.root}, {tool, "cdi", "check", c.root},
		{tool, "--root", c.root, "cdi", "list"}, {tool, "--root", c.root, "cdi", "generate"},
		{tool, "--root", c.root, "doctor"}, {tool, "--root", c.root, "list", "drivers"}, {tool, "--root", c.root, "explain"}}
}

// named reports whether the hook names an obstacle, or a directory that a link to itself makes unreachable. Without the image's libraries
// the hook writes nothing, and says so for each driver.
func named(said, place string) bool {
	return strings.Contains(said, place+": not a directory") || strings.Contains(said, place+": too many levels of symbolic links") || strings.Contains(said, "the image's dynamic linker searches no directory") ||
		slices.ContainsFunc(writtenPlaces, func(w string) bool {
			return (w == place || strings.HasPrefix(w, place+"/")) && strings.Contains(said, w+": too many levels of symbolic links")
		})
}

// The hook and each command end in an image with a FIFO, a socket, a device, a file or a link to itself at a path that they read or write.
// The hook names the directory to which it could not write.
func TestImageObstacles(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root makes devices and mount namespaces")
	}
	host := machineAt(t, "cdi-host")
	file := filepath.Join(t.TempDir(), "a.json")
	(&container{t: t}).write(filepath.Join(host, "usr/share/drirc.d/00-mesa-defaults.conf"), []byte("<driconf/>"))
	text, err := json.Marshal(generated(t, host))
	if err = errors.Join(err, os.WriteFile(file, text, 0o644)); err != nil {
		t.Fatal(err)
	}
	type row struct {
		kind   string
		places []string
	}
	rows := []row{}
	for kind := range obstacles { // all places of one depth at once
		for depth := 1; depth <= 6; depth++ {
			places := slices.DeleteFunc(prefixes(append(readPlaces, writtenPlaces...)...), func(p string) bool { return strings.Count(p, "/") != depth })
			rows = append(rows, row{kind, places})
		}
	}
	for _, kind := range []string{"FIFO", "loop"} {
		for _, place := range append(prefixes(writtenPlaces...), "/dev/dri/by-path") {
			rows = append(rows, row{kind, []string{place}})
		}
	}
	for _, place := range prefixes(readPlaces...) {
		if !slices.Contains(prefixes(writtenPlaces...), place) {
			rows = append(rows, row{"FIFO", []string{place}})
		}
	}
	for _, r := range rows {
		image, state, hook, commands := imageOf(t, host, file)
		for _, place := range r.places {
			obstruct(t, image, place, r.kind)
		}
		said := ends(t, state, hook...)
		if place := r.places[0]; len(r.places) == 1 && (slices.Contains(prefixes(writtenPlaces...), place) || place == "/dev/dri/by-path") && !named(said, place) {
			t.Errorf("%s at %s: the hook says %q", r.kind, place, said)
		}
		if len(r.places) > 1 || r.kind == "FIFO" {
			if len(r.places) == 1 {
				commands = commands[:3]
			}
			for _, words := range commands {
				ends(t, "", words...)
			}
		}
	}
}
