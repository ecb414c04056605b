package guest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// other runs a program of another language with a library that uses the loader.
func other(t *testing.T, loader string, env map[string]string, words ...string) {
	t.Helper()
	manifest := filepath.Join(world.Build(), "drivers/null_icd.json")
	empty := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.WaitDelay = time.Second
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a timeout also ends its children
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + empty, "LC_ALL=C.UTF-8", "GUEST_LOADER=" + loader,
		"VK_DRIVER_FILES=" + manifest, "VK_ICD_FILENAMES=" + manifest, "VK_LAYER_PATH=" + empty, "VK_IMPLICIT_LAYER_PATH=" + empty}
	for k, v := range env {
		command.Env = append(command.Env, k+"="+v)
	}
	text, err := command.CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "fine") {
		t.Errorf("%s: %v\n%s", words[0], err, text)
	}
}

func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("no %s", program)
	}
	return path
}

// holds: G-12
func TestG12Hosts(t *testing.T) {
	plain(t) // their runtimes conflict with a sanitizer's
	library := compile(t, "hosted.so", "-shared", "-fPIC", "-Wl,-z,nodelete", "library/hosted.c")
	at := map[string]string{"GUEST_HOSTED": "1"} // uses the loader while the library is loaded
	directory, err := filepath.Abs("host")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("Go", func(t *testing.T) {
		root := t.TempDir()
		copyFile(t, filepath.Join(directory, "main.go.txt"), filepath.Join(root, "main.go"))
		if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module host\n\ngo 1.24\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		build := exec.Command("go", "build", "-o", "host", ".")
		build.Dir = root
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		other(t, world.Library(), nil, filepath.Join(root, "host"), library)
		other(t, world.Library(), map[string]string{"GODEBUG": "cgocheck=1", "GOMAXPROCS": "3"}, filepath.Join(root, "host"), library)
	})
	t.Run("Java", func(t *testing.T) {
		java := need(t, "java")
		need(t, "javac")
		other(t, world.Library(), at, java, "-Xmx256m", "-Xcheck:jni", filepath.Join(directory, "Host.java"), library)
	})
	t.Run("Python", func(t *testing.T) {
		other(t, world.Library(), nil, need(t, "python3"), filepath.Join(directory, "host.py"), library)
	})
	t.Run("Python's pool", func(t *testing.T) {
		python := need(t, "python3")
		pool := filepath.Join(directory, "pool.py")
		other(t, world.Library(), nil, python, pool, library, "busy")
		other(t, world.Library(), nil, python, pool, library)
	})
	t.Run("Node", func(t *testing.T) {
		other(t, world.Library(), at, need(t, "node"), filepath.Join(directory, "host.js"), library)
	})
}
