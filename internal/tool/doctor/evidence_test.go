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

// The steps of a trial change a copy of the report.
func TestTrialsChangeACopy(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the machine is one with Linux")
	}
	report := examine(t, twoCards(t), Options{})
	alone := report.driversAlone()
	if len(alone) != 2 {
		t.Fatalf("%d drivers", len(alone))
	}
	const intel = 1 // the card's place in the list
	device := probe.Device{VendorID: 0x8086, DeviceID: 0x5678}
	saw := &probe.Result{Library: "/usr/lib/libvulkan.so.1", Devices: []probe.Device{device}, Version: 1<<22 | 3<<12}
	alone[0].Result, alone[0].saw, alone[0].Millis = ProbeOK, saw, 1
	alone[1].Result, alone[1].Detail = ProbeCrashes, "killed by SIGSEGV"
	report.GPUs[intel].Drivers = nil
	report.add(GPUNoDriver, report.GPUs[intel].Name, "", sentence("nothing is for it"), nil).device = report.GPUs[intel].Name
	report.Loader = &loaders.Loader{File: saw.Library}
	report.add(LoaderIgnores, "VK_LAYER_PATH", "", unread{name: "VK_LAYER_PATH", loader: report.Loader}, nil)
	before, loader, n := *newEvidence(report), *report.Loader, len(report.Findings)
	e := newEvidence(report)
	e.alone = alone
	for a := range each(e.alone) {
		a.of = e.driverAt(a.Manifest)
	}
	e.addLoader(saw)
	what := e.Findings[n-1].fact.(unread).of(e.Loader)
	if len(e.Through) != 1 || !strings.Contains(what, e.Loader.Title()) || e.Loader.Version != "1.3.0" {
		t.Errorf("%q, %+v", what, e.Loader)
	}
	for a := range each(e.alone) {
		e.addResult(a)
	}
	if len(e.Probes) != 2 || len(e.Findings) != n+1 || e.Findings[n].Code != DriverCrashes {
		t.Errorf("%+v", e.Findings)
	}
	if e.countDrivers(); e.dead != 1 || len(e.out) != 1 || e.base != e.alone[0].Manifest {
		t.Errorf("%d, %v, %s", e.dead, e.out, e.base)
	}
	if e.dropCovered(); len(e.GPUs[intel].Drivers) != 1 || len(e.Findings) != n {
		t.Errorf("%+v", e.GPUs)
	}
	if e.addElevated(); e.Findings[n].Severity != diag.Warning {
		t.Errorf("%+v", e.Findings[n])
	}
	after := *newEvidence(report)
	for _, pair := range [][2]any{{before.Findings, after.Findings}, {before.Probes, after.Probes}, {before.Through, after.Through}, {before.GPUs, after.GPUs},
		{before.Drivers, after.Drivers}, {before.Layers, after.Layers}, {loader, *report.Loader}} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("the trial changes the report: %+v, before %+v", pair[1], pair[0])
		}
	}
}

// A trial whose children cannot start has tried nothing: the verdict is of the files.
func TestImpossibleTrial(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the machine is one with Linux")
	}
	report := examine(t, desktop(t), Options{})
	want := report.Verdict
	how := Tries{At: probe.Companions{Child: filepath.Join(t.TempDir(), "none")}, Limit: time.Minute,
		Environ: []string{"PATH=" + os.Getenv("PATH")}}
	report, err := report.Try(context.Background(), how)
	if err == nil {
		t.Error("no error")
	}
	if report.Tried || len(report.Probes) != 0 || report.Verdict != want {
		t.Errorf("tried %v, probes %v, verdict %q; before the trial %q", report.Tried, report.Probes, report.Verdict, want)
	}
}
