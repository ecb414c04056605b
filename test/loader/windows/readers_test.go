package windows

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// architecture has Go's name for each word size.
var architecture = map[string]string{"x64": "amd64", "x86": "386"}

// The library's readers in the probe and the tool's readers return the same about a running system.
func TestReadersOfTheLibrary(t *testing.T) {
	for _, size := range sizes {
		dir, _ := root(t)
		program := filepath.Join(dir, "root/prefix/drive_c/readers.exe")
		build := exec.Command("go", "test", "-c", "-o", program, "vkloader/internal/decide/probe")
		build.Env = append(os.Environ(), "GOOS=windows", "GOARCH="+architecture[size], "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		cmd, output := wine(t, windowsPath(t, size, `test\with.exe`), "VKLOADER_TEST_PROBE="+windowsPath(t, size, `libexec\probe.exe`),
			`C:\readers.exe`, "-test.v", "-test.run", "TestReadersAgree")
		err := cmd.Run()
		if out, errOut := output(); err != nil || !strings.Contains(out, "--- PASS: TestReadersAgree") {
			t.Errorf("%s: %v\n%s%s", size, err, out, errOut)
		}
	}
}

// The tool asks its probe; if the probe answers nothing, nothing is found. Without a probe, the tool reads the system
// itself.
func TestToolAsksTheLibrary(t *testing.T) {
	for _, size := range sizes {
		dir, top := root(t)
		at := filepath.Join(dir, "root/prefix/drive_c/alone")
		copied := func(name, as string) {
			t.Helper()
			text, err := os.ReadFile(filepath.Join(dir, top, "build/windows", size, name))
			if err == nil {
				err = os.MkdirAll(filepath.Dir(filepath.Join(at, as)), 0o755)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(at, as), text, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		drivers := func() string {
			cmd, output := wine(t, `C:\alone\vkloader.exe`, "list", "drivers", "--json")
			_ = cmd.Run() // without a driver it reports a problem
			out, errOut := output()
			return out + errOut
		}
		t.Cleanup(func() { os.RemoveAll(at) })
		copied("vkloader.exe", "vkloader.exe")
		if got := drivers(); !strings.Contains(got, "winevulkan.json") {
			t.Errorf("%s: without a probe: %s", size, got)
		}
		copied(`test/with.exe`, "libexec/probe.exe")
		if got := drivers(); strings.Contains(got, "winevulkan.json") || !strings.Contains(got, `"schema"`) {
			t.Errorf("%s: by a probe without answers: %s", size, got)
		}
		copied(`libexec/probe.exe`, "libexec/probe.exe")
		if got := drivers(); !strings.Contains(got, "winevulkan.json") {
			t.Errorf("%s: by the probe: %s", size, got)
		}
	}
}
