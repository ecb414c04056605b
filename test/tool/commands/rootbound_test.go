package commands

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const boundedDriver = `{"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere/lib.so", "api_version": "1.3.0"}}`

// A command that examines another root reads a bounded number of its files, and names the directory and the bound.
func TestRootFilesAreBounded(t *testing.T) {
	t.Parallel()
	root, where := t.TempDir(), "/usr/share/vulkan/icd.d"
	many(t, root+where, boundedDriver, 60000)
	cdi := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(cdi, []byte(`{"cdiVersion": "0.5.0", "kind": "a/b", "devices": [{"name": "c", "containerEdits": {"env": ["A=B"]}}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--root", root}, {"--root", root, "--json"}, {"--root", root, "explain"}, {"--root", root, "explain", "--json"},
		{"--root", root, "doctor"}, {"--root", root, "doctor", "--json"},
		{"--root", root, "list", "drivers"}, {"--root", root, "list", "drivers", "--json"},
		{"--root", root, "explain", "--picture"}, {"--root", root, "list", "variables", "--set"}, {"cdi", "check", root}, {"cdi", "check", root, "--cdi", cdi},
		{"cdi", "verify", cdi, "--root", root}, {"--root", root, "cdi", "generate"}, {"--root", root, "list", "paths"},
		{"--root", root, "explain", "--platform", "macos"},
	} {
		t.Run(strings.ReplaceAll(strings.Join(args, " "), root, "ROOT"), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(filepath.Join(built, "vkloader"), args...)
			out, used := measured(t, cmd)
			if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(out, where) || !strings.Contains(out, "4096 files") {
				t.Errorf("exit code %d, not 3 with %s and the bound:\n%.600s", code, where, out)
			}
			if used > 220 {
				t.Errorf("it took %d MB of memory", used)
			}
		})
	}
}

// ps names a process of which it read only a part of the files.
func TestPsSaysItsBound(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	many(t, d+"/vulkan/icd.d", boundedDriver, 5000)
	pid := sandboxed(t, "XDG_DATA_HOME="+d, "LD_PRELOAD="+filepath.Join(built, "libvulkan.so.1"))
	text, err := exec.Command(filepath.Join(built, "vkloader"), "ps", "--json").Output()
	var said struct {
		Processes []struct {
			PID     int
			Problem string
		}
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, p := range said.Processes {
		if p.PID == pid {
			found = strings.Contains(p.Problem, d+"/vulkan/icd.d") && strings.Contains(p.Problem, "4096 files")
		}
	}
	if err != nil || !found {
		t.Errorf("%v, process %d:\n%.2000s", err, pid, text)
	}
	if text, err = exec.Command(filepath.Join(built, "vkloader"), "ps").Output(); err != nil || !strings.Contains(string(text), "4096 files") {
		t.Errorf("%v:\n%.2000s", err, text)
	}
}
