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

// The tool asks its probe. Without a probe, and with one that cannot run or gives no answer, it reads the system itself, and says
// so in the second case.
func TestToolAsksTheLibrary(t *testing.T) {
	for _, size := range sizes {
		dir, top := root(t)
		at := filepath.Join(dir, "root/prefix/drive_c/alone")
		write := func(name string, text []byte) {
			t.Helper()
			err := os.MkdirAll(filepath.Dir(filepath.Join(at, name)), 0o755)
			if err == nil {
				err = os.WriteFile(filepath.Join(at, name), text, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		built := func(name string) []byte {
			t.Helper()
			text, err := os.ReadFile(filepath.Join(dir, top, "build/windows", size, name))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		drivers := func() string {
			cmd, output := wine(t, `C:\alone\vkloader.exe`, "list", "drivers", "--json")
			_ = cmd.Run() // without a driver it reports a problem
			out, errOut := output()
			return out + errOut
		}
		t.Cleanup(func() { os.RemoveAll(at) })
		write("vkloader.exe", built("vkloader.exe"))
		const warning = `the probe C:\alone\libexec\probe.exe cannot run`
		if got := drivers(); !strings.Contains(got, "winevulkan.json") || strings.Contains(got, warning) {
			t.Errorf("%s: without a probe: %s", size, got)
		}
		probe := built(`libexec/probe.exe`)
		for name, text := range map[string][]byte{"cut off": probe[:len(probe)/3], "empty": {}, "text": []byte("no program"), "another program": built(`test/with.exe`)} {
			write("libexec/probe.exe", text)
			if got := drivers(); !strings.Contains(got, "winevulkan.json") || strings.Count(got, warning) != 1 {
				t.Errorf("%s: %s: %s", size, name, got)
			}
		}
		write("libexec/probe.exe", probe)
		if got := drivers(); !strings.Contains(got, "winevulkan.json") || strings.Contains(got, warning) {
			t.Errorf("%s: by the probe: %s", size, got)
		}
	}
}
