package tool

import (
	"strings"
	"testing"
	"time"
)

// A layer for which every program waits is named, with the time that it costs and what leaves it out; others are not, and a
// start that no layer delays is no warning.
func TestDoctorNamesTheSlowLayer(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	if d := diagnosed(t, w, 0, "--timeout", "2m"); d.finding("layer-slow") != "" {
		t.Errorf("without one: %+v", d.Findings)
	}
	w.ImplicitLayer("VK_LAYER_slow", "delay vkCreateInstance 6000")
	d := diagnosed(t, w, 0, "--timeout", "2m")
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
	w.Env["DISABLE_VK_LAYER_slow"] = "1"
	begun := time.Now()
	if _, exit := w.Run(time.Minute, program[0], program[1:]...); exit.Signal != 0 || time.Since(begun) > 6*time.Second {
		t.Errorf("the fix: %+v after %s", exit, time.Since(begun))
	}
	if d := diagnosed(t, w, 0, "--timeout", "2m"); d.finding("layer-slow") != "" {
		t.Errorf("with the fix: %+v", d.Findings)
	}
}
