package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"

	specs "tags.cncf.io/container-device-interface/specs-go"
)

// container is a new container: an image's file system with the mounts of a CDI file.
type container struct {
	t      *testing.T
	root   string
	bundle string
	hook   []string // the runtime's command line
}

// machineAt builds a machine of testdata and returns its root.
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

// bare returns an image with a C library and a loader, and without drivers.
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

// generated returns a CDI file for a machine, which the built tool writes.
func generated(t *testing.T, host string, words ...string) *specs.Spec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.json")
	words = append([]string{"--root", host, "cdi", "generate", "--hook", filepath.Join(built, "vkloader"), "-o", file}, words...)
	if out, err := exec.Command(filepath.Join(built, "vkloader"), words...).CombinedOutput(); err != nil {
		t.Fatalf("cdi generate: %v\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return specOf(t, text)
}

// specOf parses a CDI file in JSON.
func specOf(t *testing.T, text []byte) *specs.Spec {
	t.Helper()
	spec := &specs.Spec{}
	if err := json.Unmarshal(text, spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// newContainer creates a container of an image with devices of a file, or with all if no name is given.
func newContainer(t *testing.T, spec *specs.Spec, host, image string, devices ...string) *container {
	t.Helper()
	c := &container{t: t, root: image, bundle: t.TempDir()}
	edits := []specs.ContainerEdits{spec.ContainerEdits}
	for _, d := range spec.Devices {
		if len(devices) == 0 || slices.Contains(devices, d.Name) {
			edits = append(edits, d.ContainerEdits)
		}
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
			if len(h.Args) > 1 && h.Args[1] == "cdi" { // without a shell, so the cards are those of the host's files
				c.hook = append([]string{h.Path, "--root", host}, h.Args[1:]...)
			}
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

func (c *container) read(name string) string {
	c.t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
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

// start runs the hook as a runtime does, in a separate mount namespace, and then a shell script in that namespace. The hook writes to
// the runtime's standard error; messages is the standard error of the script, which stands for the container's program.
func (c *container) start(script string) (out, messages string) {
	c.t.Helper()
	words := append([]string{"-c", `cat "$0/state" | "$@" 2> "$0/messages" && cd "$0/root" && ` + script, c.bundle}, c.hook...)
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
	// Root of a user namespace with one user uses no home, because the owner of "/" is unknown there, and the tool says so.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "HOME=") })
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		c.t.Fatalf("%v\n%s%s", err, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

// left lists the files in the container's own file system on the host. An image made from the container would have them.
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

// why runs "cdi why" outside of the container.
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

// An image made from a container has no manifest and no link of the host. The container has them, in addition to the image's own
// files in the same directories.
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

// The hook writes the reason for a refused driver to standard error, and records it for "cdi why", with the versions and the fix.
func TestWhyInContainer(t *testing.T) {
	t.Parallel()
	host, image := machineAt(t, "two-gpus"), machineAt(t, "container-old-glibc")
	if text := (&container{t: t, root: image}).why(1); !strings.Contains(text, "the container was created without a device of vkloader") {
		t.Error(text)
	}
	c := newContainer(t, generated(t, host), host, image)
	if text := c.why(1); !strings.Contains(text, "the host's tool did not run when this container was created") || !strings.Contains(text, "vkloader cdi refresh") {
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
	if own := c.read(filepath.Join(c.bundle, "messages")); own != messages {
		t.Errorf("for the runtime: %s", own)
	}
	const reason = "needs GLIBC_2.38 of the image's /usr/lib/x86_64-linux-gnu/libc.so.6, which has versions up to GLIBC_2.31"
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

// Without the hook's program, a container starts without drivers, and the shell that the runtime starts says so.
func TestHookIsGone(t *testing.T) {
	t.Parallel()
	host, image := machineAt(t, "two-gpus"), bare(t)
	for _, name := range []string{"bin/sh", "usr/bin/vkloader"} {
		(&container{t: t}).write(filepath.Join(host, name), nil)
	}
	c := newContainer(t, generated(t, host, "--hook", "/no/such/vkloader"), host, image)
	out, _ := c.start("echo started")
	messages := c.read(filepath.Join(c.bundle, "messages"))
	if out != "started\n" || !strings.Contains(messages, "/no/such/vkloader is gone") {
		t.Errorf("%s, %s", out, messages)
	}
	if text := c.why(1); !strings.Contains(text, "did not run") {
		t.Error(text)
	}
}

// With one card of several, NVIDIA's EGL gets the card's name, the container has links to its node, and the files that name libraries
// name stubs.
func TestOneCardOfSeveral(t *testing.T) {
	t.Parallel()
	host := machineAt(t, "cdi-host")
	c := newContainer(t, generated(t, host), host, bare(t), "0000:01:00.0")
	out, messages := c.start(`cat etc/nvidia/nvidia-application-profiles-rc.d/10-vkloader.conf &&
		ls dev/dri/by-path && readlink dev/dri/by-path/pci-0000:01:00.0-render &&
		cat usr/share/glvnd/egl_vendor.d/10_nvidia.json usr/share/egl/egl_external_platform.d/15_nvidia_gbm.json |
		grep library_path && readlink usr/lib/x86_64-linux-gnu/gbm/nvidia-drm_gbm.so usr/lib/wsl/drivers && ` + filepath.Join(built, "vkloader") + ` --root . cdi why`)
	for _, want := range []string{`["EGLVisibleDGPUDevices", 0x1]`, "pci-0000:01:00.0-render\n../renderD129\n",
		`"library_path": "/run/vkloader/open/x86_64/libEGL_nvidia.so.0"`,
		`"library_path": "/run/vkloader/open/x86_64/libnvidia-egl-gbm.so.1"`, "\n/run/vkloader/open/x86_64/nvidia-drm_gbm.so\n", "\n/run/vkloader/data/usr/lib/wsl/drivers\n", "added  host-nvidia_icd.json",
		"programs get 4 of them"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q:\n%s%s", want, out, messages)
		}
	}
	if left := c.left(); len(left) > 0 && !slices.Equal(left, []string{"/dev/dri/by-path"}) {
		t.Errorf("in the image: %q", left)
	}
}

// A run-time library of a driver is a stub as well, so that its dependencies are found.
func TestLateLibrariesAreStubs(t *testing.T) {
	t.Parallel()
	host := machineAt(t, "cdi-host")
	c := newContainer(t, generated(t, host), host, bare(t), "0000:01:00.0")
	out, messages := c.start(`cd run/vkloader/links/x86_64 && readlink libEGL.so.1 libGLdispatch.so.0 && tr '\0' '\n' < ../../open/x86_64/libEGL.so.1`)
	for _, want := range []string{"/run/vkloader/open/x86_64/libEGL.so.1\n/run/vkloader/files/x86_64/libGLdispatch.so.0\n",
		"\n/run/vkloader/files/x86_64/libEGL.so.1\n/run/vkloader/links/x86_64\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q:\n%q\n%s", want, out, messages)
		}
	}
}

// With both cards, programs see both.
func TestAllCards(t *testing.T) {
	t.Parallel()
	host := machineAt(t, "cdi-host")
	c := newContainer(t, generated(t, host), host, bare(t), "all")
	if out, _ := c.start(`cat etc/nvidia/nvidia-application-profiles-rc.d/10-vkloader.conf`); !strings.Contains(out, `["EGLVisibleDGPUDevices", 0x3]`) {
		t.Error(out)
	}
}

// The image's Mesa driver takes precedence, unless its release does not know a card of the container.
func TestWhichMesaWins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release, device string
		host            bool
		says            string
	}{
		{"22.2.5", "0000:03:00.0", true, "is added in place of the image's own of Mesa 22.2.5: Radeon (RDNA 3) needs Mesa 22.3"},
		{"22.3.6", "0000:03:00.0", false, "the image has this driver itself"},
		{"22.2.5", "0000:01:00.0", false, "the image has this driver itself"},
		{"25.1.0", "0000:03:00.0", false, "the image has this driver itself"},
	} {
		host, image := machineAt(t, "cdi-host"), bare(t)
		box := newContainer(t, generated(t, host), host, image, c.device)
		library, err := os.ReadFile(filepath.Join(host, "usr/lib/x86_64-linux-gnu/libvulkan_radeon.so"))
		if err != nil {
			t.Fatal(err)
		}
		box.write(filepath.Join(image, "usr/lib/x86_64-linux-gnu/libvulkan_radeon.so"), bytes.ReplaceAll(library, []byte("Mesa 25.0.7"), []byte("Mesa "+c.release)))
		box.write(filepath.Join(image, "usr/share/vulkan/icd.d/radeon.json"), []byte(`{"file_format_version":"1.0.1","ICD":{"library_path":"libvulkan_radeon.so","api_version":"1.3.0"}}`))
		out, _ := box.start("ls etc/vulkan/icd.d usr/share/vulkan/icd.d")
		if strings.Contains(out, "host-radeon_icd.json") != c.host || strings.Contains(out, "\nradeon.json") == c.host {
			t.Errorf("%+v: %s", c, out)
		}
		if text := box.why(0); !strings.Contains(text, c.says) {
			t.Errorf("%+v: %s", c, text)
		}
		if _, err := os.Stat(filepath.Join(image, "usr/share/vulkan/icd.d/radeon.json")); err != nil {
			t.Error(err)
		}
	}
}
