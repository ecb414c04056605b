package windows

import (
	"strconv"
	"strings"
	"testing"
)

// differing has parts of the output of explain for a process.
type differing struct {
	PID int
	In  []struct{ Name string }
	Out []struct{ Name, Why string }

	Differs []struct{ Kind, Name, What string }
}

func (d *differing) has(layer string) (in bool) {
	for _, one := range d.In {
		in = in || one.Name == layer
	}
	return in
}

// doctored has parts of the output of doctor for a process.
type doctored struct {
	PID      int
	Loader   struct{ File, Release string }
	Findings []struct{ Code, Subject string }
}

func (d *doctored) has(code, subject string) (has bool) {
	for _, f := range d.Findings {
		has = has || f.Code == code && f.Subject == subject
	}
	return has
}

// presenting starts a program that presents until the end of the test, and returns its process number when it has loaded the layer or,
// without one, its driver.
func presenting(t *testing.T, size, layer string, variables ...string) int {
	t.Helper()
	words := append([]string{windowsPath(t, size, `test\with.exe`)}, variables...)
	program, output := wine(t, append(words, windowsPath(t, size, `test\present.exe`), "win32", "100000", "--library", windowsPath(t, size, "vulkan-1.dll"))...)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = program.Wait()
	}()
	for pid := 0; ; {
		select {
		case <-ended:
			out, errOut := output()
			t.Fatalf("%s: it ended\n%s%s", size, out, errOut)
		default:
		}
		list := asked[struct {
			Processes []struct {
				PID             int
				Name            string
				Drivers, Layers []struct{ Name string }
			}
		}](t, size, 0, "ps").Processes
		for _, p := range list {
			if p.Name == "present.exe" && len(p.Drivers) == 1 && (layer == "" || len(p.Layers) == 1 && p.Layers[0].Name == layer) {
				pid = p.PID
			}
		}
		if pid != 0 {
			t.Cleanup(func() {
				cmd, _ := wine(t, "taskkill", "/f", "/pid", strconv.Itoa(pid))
				_ = cmd.Run()
				<-ended
			})
			return pid
		}
	}
}

// The variables of the process count, not the tool's. Files that the process has loaded and would not load now are
// reported.
func TestExplainProcess(t *testing.T) {
	for _, size := range sizes {
		t.Run(size, func(t *testing.T) {
			implicitLayer(t, size, "first", windowsPath(t, size, `layers\VkLayer_drawstats.dll`))
			t.Run("its variables", func(t *testing.T) {
				pid := strconv.Itoa(presenting(t, size, "", "DISABLE_first=1"))
				if own := asked[differing](t, size, 0, "explain"); !own.has("VK_LAYER_first") {
					t.Errorf("without the process: %+v", own)
				}
				d := asked[differing](t, size, 0, "explain", "--pid", pid)
				if strconv.Itoa(d.PID) != pid || d.has("VK_LAYER_first") || len(d.Differs) != 0 {
					t.Errorf("of the process: %+v", d)
				}
			})
			t.Run("its libraries", func(t *testing.T) {
				pid := strconv.Itoa(presenting(t, size, "VK_LAYER_first"))
				if d := asked[differing](t, size, 0, "explain", "--pid", pid); !d.has("VK_LAYER_first") || len(d.Differs) != 0 {
					t.Errorf("as it is: %+v", d)
				}
				d := asked[differing](t, size, 0, "explain", "--pid", pid, "--env", "DISABLE_first=1")
				if len(d.Differs) != 1 || d.Differs[0].Kind != "layer" || d.Differs[0].Name != "VK_LAYER_first" ||
					!strings.HasPrefix(d.Differs[0].What, "it is loaded, but a new process would not load it: ") {
					t.Errorf("with another variable: %+v", d)
				}
			})
			t.Run("its loader", func(t *testing.T) {
				pid := presenting(t, size, "VK_LAYER_first")
				r := asked[doctored](t, size, 0, "doctor", "--pid", strconv.Itoa(pid), "--env", "DISABLE_first=1")
				if r.PID != pid || r.Loader.File != windowsPath(t, size, "vulkan-1.dll") || r.Loader.Release == "" || !r.has("process-differs", "VK_LAYER_first") {
					t.Errorf("with another variable: %+v", r)
				}
				if r := asked[doctored](t, size, 0, "doctor", "--pid", strconv.Itoa(pid)); r.has("process-differs", "VK_LAYER_first") {
					t.Errorf("as it is: %+v", r)
				}
			})
			if _, errOut := tool(t, size, 2, "doctor", "--pid", "3", "--fix"); !strings.Contains(errOut, "--pid") {
				t.Errorf("with --fix: %s", errOut)
			}
			if _, errOut := tool(t, size, 3, "explain", "--pid", "3"); !strings.Contains(errOut, "process 3 does not exist") {
				t.Errorf("of none: %s", errOut)
			}
		})
	}
}
