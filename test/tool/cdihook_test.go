package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"

	specs "tags.cncf.io/container-device-interface/specs-go"
)

// container is a container that a runtime is making: an image's file system with what a CDI file mounts.
type container struct {
	t      *testing.T
	root   string
	bundle string
	hook   []string // the words that the runtime starts
}

// machineAt builds a machine of testdata and gives its root.
func machineAt(t *testing.T, name string) string {
	t.Helper()
	archive, err := filepath.Abs("testdata/machines/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), name)
	if _, err := build(archive, root); err != nil {
		t.Fatal(err)
	}
	return root
}

// bare is an image with a C library and a loader, and without drivers.
func bare(t *testing.T) string {
	t.Helper()
	image := machineAt(t, "two-gpus")
	own, err := filepath.Glob(image + "/usr/lib/x86_64-linux-gnu/libvulkan_*")
	for _, name := range append(own, image+"/usr/share/vulkan", image+"/dev", image+"/sys") {
		err = errors.Join(err, os.RemoveAll(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// generated writes a CDI file for a machine, by the built tool.
func generated(t *testing.T, host string, words ...string) *specs.Spec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.json")
	words = append([]string{"--root", host, "cdi", "generate", "--hook", filepath.Join(built, "vkloader"), "-o", file}, words...)
	if out, err := exec.Command(filepath.Join(built, "vkloader"), words...).CombinedOutput(); err != nil {
		t.Fatalf("cdi generate: %v\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	spec := &specs.Spec{}
	if err = errors.Join(err, json.Unmarshal(text, spec)); err != nil {
		t.Fatal(err)
	}
	return spec
}

// newContainer makes a container of an image, with all mounts of a file.
func newContainer(t *testing.T, spec *specs.Spec, host, image string) *container {
	t.Helper()
	c := &container{t: t, root: image, bundle: t.TempDir()}
	edits := []specs.ContainerEdits{spec.ContainerEdits}
	for _, d := range spec.Devices {
		edits = append(edits, d.ContainerEdits)
	}
	for _, e := range edits {
		for _, m := range e.Mounts {
			if m.Type != "tmpfs" {
				c.copy(filepath.Join(host, m.HostPath), filepath.Join(image, m.ContainerPath))
			}
		}
		for _, n := range e.DeviceNodes {
			c.write(filepath.Join(image, n.Path), nil)
		}
		for _, h := range e.Hooks {
			c.hook = append([]string{h.Path}, h.Args[1:]...)
		}
	}
	c.write(filepath.Join(c.bundle, "config.json"), []byte(`{"root":{"path":"`+image+`"}}`))
	return c
}

func (c *container) write(name string, text []byte) {
	c.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o644)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *container) copy(from, to string) {
	c.t.Helper()
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			c.t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(from)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(to, text)
}

// start runs the hook as a runtime does, in a mount namespace of its own, and then a script of the shell in that namespace.
func (c *container) start(script string) (out, messages string) {
	c.t.Helper()
	words := append([]string{"-c", `"$@" < "$0/state" && cd "$0/root" && ` + script, c.bundle}, c.hook...)
	c.write(filepath.Join(c.bundle, "state"), []byte(`{"ociVersion":"1.0.2","bundle":"`+c.bundle+`"}`))
	if err := os.Symlink(c.root, filepath.Join(c.bundle, "root")); err != nil && !errors.Is(err, fs.ErrExist) {
		c.t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", words...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		c.t.Fatalf("%v\n%s%s", err, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

// left is what lies in the container's own file system of the host: what an image made of it would have.
func (c *container) left() (list []string) {
	c.t.Helper()
	err := filepath.WalkDir(c.root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest := strings.TrimPrefix(name, c.root)
		if rest == "/run/vkloader" {
			return fs.SkipDir
		}
		target, _ := os.Readlink(name)
		if strings.HasPrefix(e.Name(), "host-") || strings.Contains(target, "vkloader") || e.Name() == "10-vkloader.conf" {
			list = append(list, rest)
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	sort.Strings(list)
	return list
}

// why asks the tool why, from outside of the container.
func (c *container) why(code int) string {
	c.t.Helper()
	out, err := exec.Command(filepath.Join(built, "vkloader"), "--root", c.root, "cdi", "why").CombinedOutput()
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	}
	if got != code {
		c.t.Errorf("why ends with %d, want %d:\n%s", got, code, out)
	}
	return string(out)
}

// A container that becomes an image leaves nothing of the host in it: no manifest, no link. In the container they are there,
// beside what the image has in these directories itself.
func TestCommitLeavesNothing(t *testing.T) {
	t.Parallel()
	host, image := machineAt(t, "two-gpus"), bare(t)
	c := newContainer(t, generated(t, host), host, image)
	c.write(filepath.Join(image, "etc/vulkan/icd.d/own.json"), []byte("own"))
	c.write(filepath.Join(image, "etc/vulkan/icd.d/kept/text"), []byte("kept"))
	if err := os.Symlink("own.json", filepath.Join(image, "etc/vulkan/icd.d/link.json")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a container may be started again, with a new file system below /run/vkloader
		for _, name := range []string{"cover", "links", "open", "why.json"} {
			if err := os.RemoveAll(filepath.Join(image, "run/vkloader", name)); err != nil {
				t.Fatal(err)
			}
		}
		out, messages := c.start(`cd etc/vulkan/icd.d && ls && cat own.json kept/text link.json && echo changed > own.json`)
		want := "host-intel_icd.x86_64.json\nhost-lvp_icd.x86_64.json\nhost-radeon_icd.x86_64.json\nkept\nlink.json\nown.json\n"
		if !strings.HasPrefix(out, want) || messages != "" {
			t.Errorf("%q, %s", out, messages)
		}
		if left := c.left(); len(left) > 0 {
			t.Errorf("in the image: %q", left)
		}
	}
	if text, err := os.ReadFile(filepath.Join(image, "etc/vulkan/icd.d/own.json")); err != nil || string(text) != "changed\n" {
		t.Errorf("what is written to a file of the image is lost: %q %v", text, err)
	}
}

// What the hook refuses is said on standard error, and kept for why, with the versions and what to do.
func TestWhyInContainer(t *testing.T) {
	t.Parallel()
	host, image := machineAt(t, "two-gpus"), machineAt(t, "container-old-glibc")
	if text := (&container{t: t, root: image}).why(1); !strings.Contains(text, "no device of a CDI file of vkloader was given") {
		t.Error(text)
	}
	c := newContainer(t, generated(t, host), host, image)
	if text := c.why(1); !strings.Contains(text, "the host's tool did not run when this container was made") || !strings.Contains(text, "vkloader cdi refresh") {
		t.Error(text)
	}
	for _, name := range []string{"libvulkan_radeon.so", "libvulkan_lvp.so", "libvulkan_intel.so"} { // built for a newer system
		library, err := os.ReadFile(filepath.Join(image, "usr/lib/x86_64-linux-gnu/libvulkan_intel.so"))
		if err != nil {
			t.Fatal(err)
		}
		c.write(filepath.Join(image, "run/vkloader/files/x86_64", name), library)
	}
	_, messages := c.start("true")
	const reason = "wants GLIBC_2.38 of the image's /usr/lib/x86_64-linux-gnu/libc.so.6, which has versions up to GLIBC_2.31"
	if strings.Count(messages, reason) != 3 {
		t.Error(messages)
	}
	text := c.why(1)
	for _, want := range []string{"warning: lvp_icd.x86_64.json: the driver is not added: libvulkan_lvp.so " + reason, "no driver works in the image", "To do"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q:\n%s", want, text)
		}
	}
}

// With the hook gone, a container starts without drivers: the shell that the runtime starts says so.
func TestHookIsGone(t *testing.T) {
	t.Parallel()
	host, image := machineAt(t, "two-gpus"), bare(t)
	for _, name := range []string{"bin/sh", "usr/bin/vkloader"} {
		(&container{t: t}).write(filepath.Join(host, name), nil)
	}
	c := newContainer(t, generated(t, host, "--hook", "/no/such/vkloader"), host, image)
	out, messages := c.start("echo started")
	if out != "started\n" || !strings.Contains(messages, "/no/such/vkloader is gone") {
		t.Errorf("%s, %s", out, messages)
	}
	if text := c.why(1); !strings.Contains(text, "did not run") {
		t.Error(text)
	}
}
