package doctor

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/probe"
)

// Each step of a trial changes a copy: the evidence before the step stays as it was.
func TestStepsChangeCopies(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the machine is one with Linux")
	}
	report := examine(t, twoCards(t), Options{})
	e := evidence{Report: *report, alone: report.driversAlone()}
	if len(e.alone) != 2 {
		t.Fatalf("%d drivers", len(e.alone))
	}
	const intel = 1 // the card's place in the list
	device := probe.Device{VendorID: 0x8086, DeviceID: 0x5678}
	e.alone[0].Result, e.alone[0].saw = ProbeOK, &probe.Result{Library: "/usr/lib/libvulkan.so.1", Devices: []probe.Device{device}}
	e.alone[1].Result, e.alone[1].Detail = ProbeCrashes, "killed by SIGSEGV"
	e.alone[0].Millis = 1
	e.GPUs[intel].Drivers = nil
	e.found(GPUNoDriver, e.GPUs[intel].Name, "", sentence("nothing is for it"), nil).device = e.GPUs[intel].Name
	e.Loader = &loaders.Loader{File: e.alone[0].saw.Library}
	e.found(LoaderIgnores, "VK_LAYER_PATH", "", unread{name: "VK_LAYER_PATH", loader: e.Loader}, nil)
	e.alone[0].saw.Version = 1<<22 | 3<<12
	steps := []struct {
		name string
		take func(evidence) evidence
		grew func(before, after evidence) bool
	}{
		{"through", func(e evidence) evidence { return e.through(e.alone[0].saw) }, func(b, a evidence) bool {
			what, _ := a.Findings[len(a.Findings)-1].fact.(resultFact).sayAfter(&a.Report)
			return len(a.Through) == len(b.Through)+1 && strings.Contains(what, a.Loader.Title()) && a.Loader.Version == "1.3.0"
		}},
		{"entered", evidence.entered, func(b, a evidence) bool {
			return len(a.Probes) == 2 && len(a.Findings) == len(b.Findings)+1 && a.Findings[len(b.Findings)].Code == DriverCrashes
		}},
		{"weighed", evidence.weighed, func(_, a evidence) bool { return a.dead == 1 && len(a.out) == 1 && a.base == a.alone[0].Manifest }},
		{"covered", evidence.covered, func(b, a evidence) bool {
			return len(a.GPUs[intel].Drivers) == 1 && len(a.Findings) == len(b.Findings)-1
		}},
		{"elevated", evidence.elevated, func(b, a evidence) bool { return a.Findings[len(b.Findings)].Severity == diag.Warning }},
	}
	for _, step := range steps {
		before := e.next()
		for i := range before.GPUs {
			before.GPUs[i].Drivers = append([]string(nil), before.GPUs[i].Drivers...)
			e.GPUs[i].Drivers = append([]string(nil), e.GPUs[i].Drivers...)
		}
		loader := *e.Loader
		after := step.take(e)
		if !step.grew(before, after) {
			t.Errorf("%s adds nothing: %+v", step.name, after)
		}
		for _, pair := range [][2]any{{before.Findings, e.Findings}, {before.Probes, e.Probes}, {before.Through, e.Through}, {before.GPUs, e.GPUs},
			{before.Drivers, e.Drivers}, {before.Layers, e.Layers}, {before.alone, e.alone}, {before.out, e.out}, {loader, *e.Loader}} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("%s changes its argument: %+v, before %+v", step.name, pair[1], pair[0])
			}
		}
		e = after
	}
}

// A trial whose children cannot start has tried nothing, also with a selection of devices: the verdict is of the files.
func TestImpossibleTrial(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the machine is one with Linux")
	}
	for _, device := range []string{"", "0000:01:00.0"} {
		report := examine(t, desktop(t), Options{Device: device})
		want := report.Verdict
		how := Tries{At: probe.Companions{Child: filepath.Join(t.TempDir(), "none")}, Environ: []string{"PATH=" + os.Getenv("PATH")}, Limit: time.Minute}
		report, err := report.Try(context.Background(), how)
		if err == nil {
			t.Errorf("device %q: no error", device)
		}
		if report.Tried || len(report.Probes) != 0 || report.Verdict != want {
			t.Errorf("device %q: tried %v, probes %v, verdict %q; before the trial %q", device, report.Tried, report.Probes, report.Verdict, want)
		}
	}
}
