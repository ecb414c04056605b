package doctor

import (
	"strings"
	"testing"

	"vkloader/internal/core/diag"
)

// A driver that fails for what was found before it was tried is one problem: that, and its failure follows from it. A
// crash is a finding of its own.
func TestProbeConfirms(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]struct {
		root    diag.Severity
		because Kind
		verdict string
	}{
		ProbeFails:   {diag.Problem, DriverHeadless, "1 problem: "},
		ProbeCrashes: {diag.Warning, nil, "1 problem: "},
	} {
		t.Run(result, func(t *testing.T) {
			t.Parallel()
			report := examine(t, card("0x10de", "nvidia", false, nvidia(t, "535.1"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
				file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")),
				file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), Options{})
			drivers, _ := report.toProbe()
			if len(drivers) != 1 {
				t.Fatalf("%d drivers", len(drivers))
			}
			drivers[0].Result, drivers[0].Detail = result, "create instance"
			report.probed(&drivers[0])
			report.Order()
			severity, because := diag.Note, Kind(nil)
			for _, f := range report.Findings {
				switch f.Code {
				case DriverHeadless:
					severity = f.Severity
				case DriverFails, DriverCrashes:
					because = f.Because
				}
			}
			if severity != want.root || because != want.because {
				t.Errorf("%v because of %v, want %v and %v", severity, because, want.root, want.because)
			}
			if !strings.Contains(report.Verdict, want.verdict) {
				t.Errorf("verdict %q", report.Verdict)
			}
		})
	}
}
