package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// TestBudgets checks that every budget is for a measured item, and sets one limit.
func TestBudgets(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, it := range items {
		if keys[it.key] {
			t.Errorf("two items %q", it.key)
		}
		keys[it.key] = true
		if headings[it.group] == "" {
			t.Errorf("%s: no heading for the group %q", it.key, it.group)
		}
		if (it.from == counted) != (it.long > it.short) {
			t.Errorf("%s: lengths %d and %d", it.key, it.short, it.long)
		}
	}
	for _, b := range budgets {
		ways := 0
		for _, limited := range []bool{b.ratio > 0, b.more > 0, b.is} {
			if limited {
				ways++
			}
		}
		if !keys[b.item] || ways != 1 {
			t.Errorf("budget %+v", b)
		}
	}
}

func TestRow(t *testing.T) {
	t.Parallel()
	at := func(v float64) statistic { return statistic{Median: v, Lowest: v} }
	for _, c := range []struct {
		set, item       string
		ours, reference float64
		met             bool
	}{
		{"null", "load", 60, 100, true},
		{"null", "load", 60.4, 100, true},
		{"null", "load", 61, 100, false},
		{"null", "gipa", 7, 100, true},
		{"null", "n-draw-export", 22, 22, true},
		{"null", "n-draw-export", 23, 22, false},
		{"null", "cold", 0.6e6, 1e6, true},
		{"null", "cold", 0.61e6, 1e6, false},
		{"null", "space", 5096, 1000, true},
		{"null", "space", 5097, 1000, false},
		{"null", "threads", 1, 1, true},
		{"null", "threads", 2, 1, false},
		{"null", "draw-own", 1, 1, true},
		{"null", "draw-own", 0, 1, false},
		{"nvidia", "cycle", 5, 100, true},
		{"nvidia", "cycle", 6, 100, false},
	} {
		r := newRow(c.set, itemOf(c.item), at(c.ours), at(c.reference))
		if r.Met == nil || *r.Met != c.met {
			t.Errorf("%+v: %s, met: %q", c, r.Budget, r.met())
		}
	}
	b := bench{}
	b.lack(set{name: "null"}, itemOf("load"), "why")
	b.lack(set{name: "alone"}, itemOf("load"), "why")
	if len(b.notes) != 2 || len(b.lacking) != 1 {
		t.Errorf("%v, of them with a budget %v", b.notes, b.lacking)
	}
	if r := newRow("alone", itemOf("load"), at(1), at(1)); r.Met != nil || r.Budget != "" {
		t.Errorf("a budget where there is none: %+v", r)
	}
}

// TestSteps checks the limit on the growth from one world to a larger one, together with the limit on the ratio.
func TestSteps(t *testing.T) {
	t.Parallel()
	at := func(v float64) statistic { return statistic{Median: v, Lowest: v} }
	for _, c := range []struct {
		large, reference float64
		met              bool
	}{{150, 1200, true}, {151, 1200, false}, {150, 300, false}} {
		rows := []row{newRow("100 manifests", itemOf("cycle"), at(10), at(20)), newRow("100 manifests", itemOf("layers"), at(1), at(2)),
			newRow("1000 manifests", itemOf("cycle"), at(c.large), at(c.reference))}
		limitSteps(rows)
		if last := rows[2]; *last.Met != c.met || !strings.Contains(last.Budget, "≤ 15 × 100 manifests") || !*rows[0].Met {
			t.Errorf("%+v: %v, %s", c, *last.Met, last.Budget)
		}
	}
}

func TestStatistic(t *testing.T) {
	t.Parallel()
	s := samples{{{5, 4}, {1, 0.5}, {3, 2}}, {{4, 4}, {2, 1}}}
	if got := s.statistic(ours); got != (statistic{3, 0.5}) {
		t.Error(got)
	}
	if got := s.statistic(reference); got != (statistic{3, 1}) {
		t.Error(got)
	}
}

// TestColumns checks that other measurements than those of the two loaders have separate columns and, in the tables
// about growth, a place in each cell.
func TestColumns(t *testing.T) {
	t.Parallel()
	s := samples{ours: {{5, 5}}, reference: {{10, 10}}, peer: {{20, 20}}, bare: {{2, 2}}}
	r := report{Peer: "newer.so", Sets: []titled{{"null", "Null"}, {"mesa", "Mesa"}}, Rows: []row{s.row("null", itemOf("cold"))}}
	alone := s
	alone[peer], alone[bare] = nil, nil
	r.Rows = append(r.Rows, alone.row("mesa", itemOf("cold")))
	grown := s
	grown[bare] = nil
	w := grown.row("4 drivers", itemOf("cold"))
	w.Group = "growth"
	r.Rows = append(r.Rows, w)
	text := strings.Join(strings.Fields(r.markdown()), " ")
	for _, want := range []string{
		"| | vkloader | reference | ratio | peer | ratio to it | no loader | ratio to it | budget | met |",
		"| 5.00 ns (5.00 ns) | 10.0 ns (10.0 ns) | 0.50 (0.50) | 20.0 ns (20.0 ns) | 0.25 | 2.00 ns (2.00 ns) | 2.50 |",
		"| | vkloader | reference | ratio | budget | met |", "and, as the peer, newer.so;",
		"| 4 | 5.00 ns / 10.0 ns, 0.50; / 20.0 ns, 0.25 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, r.markdown())
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.md")
	page := "a\n<!-- bench one: begin -->\nold\n<!-- bench one: end -->\nb\n<!-- bench two, brief: begin -->\n<!-- bench two, brief: end -->\n"
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	r := report{Date: "today", Rounds: 3, Sets: []titled{{"null", "Null"}}, Rows: []row{newRow("null", itemOf("load"), statistic{5, 4}, statistic{10, 9})}}
	for range 2 { // the second time changes nothing
		if err := r.update(file, "one"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := content(file)+"\n", strings.Replace(page, "old\n", "\n"+r.markdown()+"\n", 1); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if err := r.update(file, "two"); err != nil || !strings.Contains(content(file), "two, brief: begin -->\n\ntoday;") {
		t.Error(err, content(file))
	}
	if text := r.markdown(); !strings.Contains(text, "| 5.00 ns (4.00 ns) | 10.0 ns (9.00 ns) | 0.50 (0.44) | ≤ 0.60 |") {
		t.Error(text)
	}
	if text := r.brief(); !strings.Contains(text, "|  5.00 ns |   10.0 ns |  0.50 |") {
		t.Error(text)
	}
	if err := r.update(file, "three"); err == nil || !strings.Contains(err.Error(), "bench three: begin") {
		t.Error(err)
	}
}

// TestPages checks that the pages have the sections for results.
func TestPages(t *testing.T) {
	t.Parallel()
	for page, name := range map[string]string{"docs/benchmarks.md": "main", "README.md": "main, brief"} {
		for _, want := range []string{"<!-- bench " + name + ": begin -->\n", "<!-- bench " + name + ": end -->"} {
			if !strings.Contains(content("../../../"+page), want) {
				t.Errorf("%s has no line %q", page, want)
			}
		}
	}
}

// TestRun runs the whole program once: every item of the null driver on the built library, which is also the
// reference here.
func TestRun(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	gcc := func(out string, flags []string, sources ...string) {
		t.Helper()
		args := append([]string{"-std=c11", "-D_GNU_SOURCE", "-O1", "-I" + filepath.Join(top, "spine"), "-o", filepath.Join(directory, out)}, flags...)
		for _, source := range sources {
			args = append(args, filepath.Join("program", source))
		}
		if err := world.Compile(append(args, "-ldl")...); err != nil {
			t.Fatal(err)
		}
	}
	gcc("measure", nil, "measure.c", "bench.c", "state.c", "operations.c")
	gcc("libVkLayer_nothing.so", []string{"-shared", "-fPIC"}, "nothing.c")
	program := filepath.Join(directory, "bench")
	if text, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	library := filepath.Join(world.Build(), "libvulkan.so.1")
	out, err := exec.Command(program, "-build", world.Build(), "-reference", library, "-rounds", "1",
		"-only", "start,warm,calls,memory", "-sets", "alone", "-json", "-", "-peer", library).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var r report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, it := range items {
		if it.from == counted {
			continue
		}
		if n >= len(r.Rows) || r.Rows[n].Item != it.key || r.Rows[n].Ours.Median <= 0 || r.Rows[n].Reference.Median <= 0 {
			t.Fatalf("row %d is not a measured %s: %+v", n, it.key, r.Rows)
		}
		if w := r.Rows[n]; w.Peer == nil || w.Peer.Median <= 0 || (w.Bare != nil) != slices.Contains(withoutLoader, it.key) {
			t.Errorf("%s: beside %+v and %+v", it.key, w.Peer, w.Bare)
		} else if it.key == "cycle" && w.Bare.Median >= w.Ours.Median {
			t.Errorf("a cycle takes %f, and %f without a loader", w.Ours.Median, w.Bare.Median)
		}
		n++
	}
	text := r.markdown()
	for _, want := range []string{" peer |", " no loader |", "as the peer, libvulkan.so.", "| library load ", "| resident after the first device list ", "The null driver, no layer"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"-only", "nonsense"}, 3, "no such item or group"},
		{[]string{"-sets", "nonsense"}, 3, "no such set"},
		{[]string{"-drivers", "nonsense"}, 3, "NAME=FILE"},
		{[]string{"-drivers", "a=/nonsense"}, 3, "no file /nonsense"},
		{[]string{"-reference", "/nonsense"}, 3, "there is no /nonsense"},
		{[]string{"-peer", "/nonsense"}, 3, "there is no /nonsense"},
		{[]string{"nonsense"}, 2, "Usage"},
		{[]string{"-rounds", "0"}, 2, "Usage"},
	} {
		cmd := exec.Command(program, append([]string{"-build", world.Build(), "-reference", library}, c.args...)...)
		text, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != c.code || !strings.Contains(string(text), c.text) {
			t.Errorf("%v: exit code %d\n%s", c.args, cmd.ProcessState.ExitCode(), text)
		}
	}
}
