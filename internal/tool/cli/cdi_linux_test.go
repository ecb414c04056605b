package cli

import (
	"bytes"
	"testing"

	"vkloader/internal/containers/cdi"
)

// A finding about several files is printed once with all of them. A finding in the table of drivers is not repeated.
func TestOneReasonOnce(t *testing.T) {
	t.Parallel()
	const wants = "libvulkan_intel.so needs GLIBC_2.38"
	var out bytes.Buffer
	s := &invocation{out: &out}
	printVerified(s, &cdi.Verdict{
		Drivers: []cdi.Driver{{Name: "intel_icd.json", Machine: "x86_64", Why: wants}, {Name: "lvp_icd.json", Machine: "x86_64", Added: true}},
		Findings: []cdi.Defect{{Severity: cdi.Warning, Path: "/usr/intel_icd.json", What: wants},
			{Severity: cdi.Warning, Path: "/dev/dri/renderD128", What: "this user may not open it", Do: "Start it again."},
			{Severity: cdi.Note, Path: "a.json", What: "the image has no programs of 32 bits"},
			{Severity: cdi.Warning, Path: "/dev/dri/renderD129", What: "this user may not open it", Do: "Start it again."},
			{Severity: cdi.Note, Path: "b.json", What: "the image has no programs of 32 bits"}}})
	const want = `state     driver          architecture  reason
left out  intel_icd.json  x86_64        libvulkan_intel.so needs GLIBC_2.38
added     lvp_icd.json    x86_64
warning: /dev/dri/renderD128, /dev/dri/renderD129: this user may not open it
    Start it again.
note: a.json, b.json: the image has no programs of 32 bits
`
	if out.String() != want {
		t.Errorf("got\n%s", &out)
	}
}
