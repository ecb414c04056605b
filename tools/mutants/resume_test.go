package main

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// An interrupted run is resumed: a fault with a verdict is not tried again, unless its file has changed.
func TestResume(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seed-1.txt")
	faults := []mutant{{file: "spine/a.c", text: "a", with: "x\t"}, {file: "tools/goc/b.go", text: "b", to: 1}, {file: "internal/core/x/c.go", text: "c"},
		{file: "internal/core/x/d.go", text: "d"}}
	verdicts := []verdict{{killed, testName{"test/loader/chain", "TestA", "asan"}, true}, {what: survived}, {what: sameBuilt}, {what: notBuilt}}
	first := &tally{by: map[testName][]mutant{}}
	if err := first.open(path, false); err != nil {
		t.Fatal(err)
	}
	for i, m := range faults {
		v := verdicts[i]
		if _, _, _, err := first.recall(m, func() (outcome, testName, bool, error) { return v.what, v.by, v.executed, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := first.kept.WriteString("2\ttest"); err != nil { // the end of a process
		t.Fatal(err)
	}
	if err := first.kept.Close(); err != nil {
		t.Fatal(err)
	}
	r := &tally{by: map[testName][]mutant{}}
	if err := r.open(path, true); err != nil {
		t.Fatal(err)
	}
	defer r.kept.Close()
	r.work(&tree{ctx: context.Background()}, faults, &atlas{}, options{n: 10})
	if r.err != nil || r.tried != 2 || r.killed != 1 || r.same != 1 || r.notBuilt != 1 || len(r.survivors) != 1 || len(r.by[verdicts[0].by]) != 1 {
		t.Errorf("%+v", r)
	}
	asked := 0
	again := func() (outcome, testName, bool, error) { asked++; return survived, testName{}, false, nil }
	changed := faults[0]
	changed.text = "other"
	for _, m := range []mutant{faults[0], changed} {
		if _, _, _, err := r.recall(m, again); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 1 {
		t.Errorf("%d were asked about, want the one whose file has changed", asked)
	}
	fresh := &tally{}
	if err := fresh.open(path, false); err != nil || len(fresh.known) != 0 {
		t.Errorf("a new run knows %v, %v", fresh.known, err)
	}
	defer fresh.kept.Close()
}

// Faults are planted in the spine, the core and the translator alike.
func TestAllAreasGetFaults(t *testing.T) {
	t.Parallel()
	all, err := candidates("../..", regexp.MustCompile("."))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range all {
		count[area(m.file)]++
	}
	for _, name := range []string{"spine", "core", "goc", "tool"} {
		if count[name] < 1000 {
			t.Errorf("%d places for faults in %s", count[name], name)
		}
	}
	if names, err := sources("../.."); err != nil || !slices.Contains(names, "internal/core/runtime/c/goc.c") {
		t.Errorf("the translator's C is not among %d sources, %v", len(names), err)
	}
}
