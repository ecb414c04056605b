package source

import (
	"slices"
	"strings"
	"testing"
)

// entries are functions below internal/decide. Only the named packages call them directly, each for a reason. The test fails
// for a line whose package no longer calls the function.
var entries = []struct {
	call    string            // in the text
	what    string            // it is
	callers map[string]string // packages, with the reason
}{
	{"plan.Resolve(", "the decision", map[string]string{
		"internal/decide/explain": "the one place that asks the core"}},
	{"probe.Run(", "what a child is told by drivers", map[string]string{
		"discover":             "the entry",
		"internal/tool/cli":    "the log of a bundle, and the phases of a trial on the page",
		"internal/tool/doctor": "tries all drivers and layers, and each alone",
		"internal/tool/survey": "the loader's log, which names the driver of each device"}},
	{"probe.Twice", "what a child is told by drivers, with times", map[string]string{
		"internal/tool/survey": "the one place that shows times"}},
	{"drivers.GPUs", "the list of graphics devices", map[string]string{
		"discover":                "the entry",
		"internal/decide":         "judges whether a driver has a device",
		"internal/tool/doctor":    "judges them by drivers that decide leaves out as broken",
		"internal/containers/cdi": "wants nodes below another directory, also on machines without a driver",
		"internal/tool/cli":       "compares them with the requirements of a program"}},
	{".Follow(", "what a library needs", map[string]string{
		"internal/decide/drivers": "the one place that lists the files of drivers and layers",
		"internal/decide/binary":  "the linker: what a program has loaded when it starts",
		"internal/tool/doctor":    "compares a library with that of a plain environment",
		"internal/tool/cli":       "run.Follow is the splitter of standard error"}},
	{"drivers.FilesOf(", "the files of drivers and layers", map[string]string{
		"internal/decide/trust":     "judges who can change these files, below package discover",
		"internal/containers/offer": "wants descriptors in the order of opening, for clients with a C library of their own",
		"internal/containers/cdi":   "judges what an image has after the hook, with files that are not there yet"}},
	{"drivers.FindLibrary(", "the files of one library", map[string]string{
		"internal/containers/cdi": "likewise, of the stubs that the hook makes"}},
	{"drivers.Judged(", "whether a driver or layer works", map[string]string{
		"discover":             "the entry",
		"internal/decide":      "judges the drivers and layers of a decision",
		"internal/tool/doctor": "says each fault with its fix"}},
}

// The tool and package discover decide through one entry.
func TestOneEntry(t *testing.T) {
	t.Parallel()
	all := sources(t)
	for _, e := range entries {
		used := map[string]bool{}
		for _, f := range all {
			if f.test || !strings.Contains(f.text, e.call) || strings.HasPrefix(f.pack, "test/") {
				continue
			}
			if strings.HasPrefix(e.call, "plan.") && !slices.Contains(f.imports, module+"internal/core/plan") {
				continue
			}
			if used[f.pack] = true; e.callers[f.pack] == "" {
				t.Errorf("%s has %s: %s comes from internal/decide", f.path, e.call, e.what)
			}
		}
		for pack := range e.callers {
			if !used[pack] {
				t.Errorf("%s has no %s any more: take its line out of entries", pack, e.call)
			}
		}
	}
}
