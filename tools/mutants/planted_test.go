package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each guard of the list is in the source as the list has it, and the test that has to notice is there. Every numbered
// item has an entry.
func TestPlantedFaultsFit(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("planted.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, err := readPlanted(string(list))
	if err != nil {
		t.Fatal(err)
	}
	const top = "../.."
	items := map[string]bool{}
	for _, p := range all {
		m, err := p.locate(top)
		if err != nil {
			t.Error(err)
			continue
		}
		if apply(m.text, m) == m.text {
			t.Errorf("%s: changes nothing", p.name)
		}
		item, what, _ := strings.Cut(p.name, ": ")
		if items[p.name] || what == "" {
			t.Errorf("%s: a second one of this name, or one that does not say what is wrong", p.name)
		}
		items[p.name], items[item] = true, true
		tests, err := (&tree{directory: top}).list(p.by.pack)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, test := range tests {
			found = found || test.name == p.by.name
		}
		if !found {
			t.Errorf("%s: %s has no %s", p.name, p.by.pack, p.by.name)
		}
	}
	for area, count := range map[string]int{"library": 14, "translator": 9, "decisions": 7, "service": 7, "storm": 3} {
		for i := range count {
			if item := area + " " + strconv.Itoa(i+1); !items[item] {
				t.Errorf("no fault is planted for %s", item)
			}
		}
	}
}

func TestReadPlanted(t *testing.T) {
	t.Parallel()
	const head, file, test = "# a comment\nlibrary 1: it crashes\n", "in spine/a.c\n", "noticed by test/a TestA asan\n"
	all, err := readPlanted(head + file + test + "-    if (a)\n-        b();\n+    c();\n\n\n" + head + file + test + "-b\n")
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	if p := all[0]; p.name != "library 1: it crashes" || p.fault.file != "spine/a.c" || p.by != (testName{"test/a", "TestA", "asan"}) ||
		p.was != "    if (a)\n        b();" || p.fault.with != "    c();" || all[1].fault.with != "" {
		t.Errorf("%+v", all)
	}
	for _, wrong := range []string{head + file + test, head + file + "-a\n", head + test + "-a\n", head + file + test + "-a\nand so on\n"} {
		if _, err := readPlanted(wrong); err == nil {
			t.Errorf("accepted: %q", wrong)
		}
	}
}

func TestLocatePlanted(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for name, text := range map[string]string{"spine/a.c": "a\nb\nb\nc d\n", "test/a.go": "a\n"} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := planted{name: "x", fault: mutant{file: "spine/a.c", with: "e"}, was: "b\nc"}
	m, err := p.locate(top)
	if err != nil || m.line != 3 || apply(m.text, m) != "a\nb\ne\n d\n" {
		t.Errorf("%+v, %v", m, err)
	}
	for _, wrong := range []planted{{fault: mutant{file: "spine/a.c"}, was: "b"}, {fault: mutant{file: "spine/a.c"}, was: "x"},
		{fault: mutant{file: "test/a.go"}, was: "a"}, {fault: mutant{file: "spine/b.c"}, was: "a"}} {
		if _, err := wrong.locate(top); err == nil {
			t.Errorf("found: %+v", wrong)
		}
	}
}

// The page says how to try the list.
func TestPlantedIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/mutants.md")
	if err != nil || !regexp.MustCompile(`make mutants MUTANTS="-planted tools/mutants/planted\.txt"`).Match(text) {
		t.Errorf("docs/mutants.md does not name the list: %v", err)
	}
}
