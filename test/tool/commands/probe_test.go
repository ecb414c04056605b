package commands

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// A probe finds a layer that crashes when a program presents, also without a display. The suggested fix keeps the layer out of all programs.
func TestProbePresents(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.Env["DISPLAY"] = world.Unset
	w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueuePresentKHR", "die vkQueuePresentKHR")
	tool := filepath.Join(built, "vkloader")
	out, exit := w.Run(2*time.Minute, tool, "doctor", "--probe", "--timeout", "40s")
	for _, want := range []string{"problem layer-crashes: VK_LAYER_bad\n", "killed by SIGABRT while presenting (headless)", "ok       null_icd.json"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	_, exit = w.Run(4*time.Minute, tool, "doctor", "--probe", "--fix", "--yes", "--timeout", "40s")
	if !strings.Contains(exit.Stderr, "as with: vkloader settings set --layer VK_LAYER_bad=off --until-changed\n") {
		t.Errorf("--fix says %s", exit.Stderr)
	}
	if out, _ := w.Run(time.Minute, tool, "explain"); strings.Contains(out, "VK_LAYER_bad: implicit") || !strings.Contains(out, "VK_LAYER_one: implicit") {
		t.Errorf("excluded:\n%s", out)
	}
	if out, exit := w.Run(time.Minute, tool, "settings", "clear"); exit.Code != 0 {
		t.Errorf("clear: %d, %s%s", exit.Code, out, exit.Stderr)
	}
	if out, _ := w.Run(time.Minute, tool, "explain"); !strings.Contains(out, "VK_LAYER_bad: implicit") {
		t.Errorf("cleared:\n%s", out)
	}
	if left, _ := filepath.Glob(w.Path("home/.config/vulkan/loader_settings.d/*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The tool's child process ends with the tool, however that ends, even if a driver hangs in the child.
func TestProbeEndsWithTheTool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		signal  syscall.Signal
	}{{"list devices --details", syscall.SIGINT}, {"list devices --details", syscall.SIGKILL}, {"check", syscall.SIGTERM}} {
		s, w := c.signal, world.New(t)
		w.Driver("stuck", "device name=stuck", "delay vkEnumeratePhysicalDevices 3600000")
		cmd := exec.Command(filepath.Join(built, "vkloader"), append(strings.Fields(c.command), "--timeout", "10m")...)
		cmd.Env = w.Environment()
		heeded(s)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pid := 0
		until(t, "the driver is asked", func() bool {
			seen := w.Log().Fn("vkCreateInstance")
			if len(seen) > 0 {
				pid = int(seen[0].Int("pid"))
			}
			return pid > 0
		})
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got := cmd.ProcessState.Sys().(syscall.WaitStatus); got.Signal() != s {
			t.Errorf("%s ended with %v, not by %v", c.command, cmd.ProcessState, s)
		}
		until(t, "the child ends with "+s.String(), func() bool {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(data), ") Z ")
		})
	}
}

// heeded restores a signal that this process ignores, for the programs that it starts: a shell's background program ignores SIGINT.
// Programs inherit an ignored signal, and get the default for a handled one.
func heeded(s syscall.Signal) {
	if signal.Ignored(s) {
		signal.Notify(make(chan os.Signal, 1), s)
	}
}

// until waits at most a minute for a condition.
func until(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for begun := time.Now(); !yes(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("a minute has passed, and not: %s", what)
		}
	}
}
