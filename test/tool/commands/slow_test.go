package commands

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// doctor names a layer that delays every program, with the delay and the variable that disables it. It names no other layer. A start
// without a delay is no warning.
func TestDoctorNamesTheSlowLayer(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	if d := diagnosed(t, w, 0, "--timeout", "2m"); d.finding("layer-slow") != "" {
		t.Errorf("without one: %+v", d.Findings)
	}
	w.ImplicitLayer("VK_LAYER_slow", "delay vkCreateInstance 6000")
	d := diagnosed(t, w, 0, "--timeout", "2m")
	created := func() int { return len(w.Log().By("VK_LAYER_slow").Fn("vkCreateInstance")) }
	if created() == 0 {
		t.Error("the layer was in no program's chain")
	}
	slow := 0
	for _, f := range d.Findings {
		if f.Code != "layer-slow" {
			continue
		}
		if slow++; f.Severity != "warning" || f.Subject != "VK_LAYER_slow" || f.Do != "To start faster: export DISABLE_VK_LAYER_slow=1" {
			t.Errorf("%+v", f)
		}
	}
	if slow != 1 || !strings.HasSuffix(d.Verdict, "; 1 warning") || !d.Works {
		t.Errorf("%d: %q", slow, d.Verdict)
	}
	set := w.Path("home/.config/environment.d/90-vkloader.conf")
	out, exit := tried(w, "doctor", "--fix", "--yes", "--timeout", "2m")
	if text, err := os.ReadFile(set); err != nil || string(text) != "DISABLE_VK_LAYER_slow=1\n" || !strings.Contains(out, "1 step done") {
		t.Errorf("%v: %q\n%s%s", err, text, out, exit.Stderr)
	}
	if _, exit := tried(w, "doctor", "--undo"); exit.Code != 0 {
		t.Errorf("undo: %+v", exit)
	}
	if _, err := os.Stat(set); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("undone: %v", err)
	}
	w.Env["DISABLE_VK_LAYER_slow"] = "1"
	w.ForgetLog()
	if _, exit := w.Run(time.Minute, program[0], program[1:]...); exit.Signal != 0 || created() != 0 {
		t.Errorf("the fix: %+v\n%s", exit, w.Log())
	}
	if d := diagnosed(t, w, 0, "--timeout", "2m"); d.finding("layer-slow") != "" {
		t.Errorf("with the fix: %+v", d.Findings)
	}
}

// doctor names a driver that takes far longer than the others, with its time and a fix that excludes it. It does not name a slightly slower
// driver.
func TestDoctorNamesTheSlowDriver(t *testing.T) {
	t.Parallel()
	for delay, want := range map[string]bool{"delay vkCreateInstance 300": false, "delay vkCreateInstance 6000": true} {
		w, _ := computing(t)
		w.Driver("tardy", "device name=tardy", delay)
		w.Env["VK_DRIVER_FILES"] = w.Path("drivers/tardy.json") + ":" + filepath.Join(built, "drivers/null_icd.json")
		d := diagnosed(t, w, 0, "--timeout", "2m")
		got := d.finding("driver-slow")
		if is := strings.HasPrefix(got, "warning tardy.json: a short program took "); is != want || !want && got != "" {
			t.Errorf("%s: %q %+v", delay, got, d.Probes)
		}
		for _, f := range d.Findings {
			if f.Code == "driver-slow" && f.Do != "For a program that does not need the device: env VK_LOADER_DRIVERS_DISABLE=tardy.json PROGRAM" {
				t.Errorf("%q", f.Do)
			}
		}
	}
}
