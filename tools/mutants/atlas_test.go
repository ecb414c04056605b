package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	old := lines("a\nb\nc\nd\n")
	now := lines("a\nnew\nc\nd\n")
	if got, want := match(old, now), []int{0, 1, -1, 3, 4, 5}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWithin(t *testing.T) {
	text := lines("static int table[] = {\n    1,\n};\n\nstatic int one(void) { return 1; }\nint two(int a,\n        int b) {\n    if (a) {\n" +
		"done:\n        b++;\n    }\n}\nint declared(void);\nint three(int a,\n" +
		"          int b)\n{\n    return a;\n}\n")
	for line, want := range map[int][2]int{1: {}, 2: {}, 4: {}, 5: {5, 5}, 6: {6, 12}, 8: {6, 12}, 10: {6, 12}, 12: {6, 12}, 13: {},
		14: {14, 18}, 16: {14, 18}, 17: {14, 18}, 18: {14, 18}} {
		from, to, ok := within(text, line)
		if ok != (want[0] > 0) || ok && [2]int{from, to} != want {
			t.Errorf("line %d: %d to %d, %v", line, from, to, ok)
		}
	}
}

func TestSameCode(t *testing.T) {
	dir := t.TempDir()
	object := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".c", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("gcc", "-O2", "-g", "-fPIC", "-c", "-o", path+".o", path+".c").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path + ".o"
	}
	const head = "extern int f(int), g(int);\n"
	base := object("base", head+"int h(int a) { if (a > 3) return f(a); return 1; }\n")
	for text, want := range map[string]bool{
		"int h(int b) { if (!(b <= 3)) { return f(b); } return 1; }\n": true,
		"int h(int a) { if (a > 3) return g(a); return 1; }\n":         false,
		"int h(int a) { if (a > 4) return f(a); return 1; }\n":         false,
	} {
		if same, err := sameCode(base, object("other", head+text)); err != nil || same != want {
			t.Errorf("%s: the same: %v, %v", text, same, err)
		}
	}
	one, other := object("one", "const char *f(void) { return \"one\"; }\n"), object("two", "const char *f(void) { return \"two\"; }\n")
	if same, err := sameCode(one, other); err != nil || same {
		t.Errorf("two texts are the same: %v, %v", same, err)
	}
}

func TestInstrumentGo(t *testing.T) {
	text := "package p\n\nfunc f(a int) int {\n\tif a < 3 {\n\t\treturn 1\n\t}\n\tswitch a {\n\tcase 4:\n\t\treturn 2\n\t}\n\treturn 3\n}\n"
	places := map[int][]place{}
	out, next, err := instrumentGo("x.go", []byte(text), marksHalf, places)
	if err != nil || next != marksHalf+3 {
		t.Fatalf("%d, %v\n%s", next, err, out)
	}
	for number, want := range map[int][]int{0: {3, 4, 7, 8, 10, 11, 12}, 1: {5, 6}, 2: {9}} {
		if got := places[marksHalf+number]; len(got) != 1 || !reflect.DeepEqual(got[0].lines, want) {
			t.Errorf("place %d: %v, want the lines %v", number, got, want)
		}
	}
	if strings.Count(string(out), "zmarks.At(") != 3 || strings.Count(string(out), "\n") != strings.Count(text, "\n") {
		t.Errorf("%s", out)
	}
}

// A line of the translated core says where it comes from by itself, and those that goc has added come from nowhere.
func TestLineByLine(t *testing.T) {
	const support = "static int help(void) {\n    return 1;\n}\n"
	core := "// generated\n" + support + "static int f(struct goc *g) {\n    int t0;\n#line 7 \"internal/core/p/x.go\"\n    t0 = 1;\n    t0 = 2;\n" +
		"b1:;\n    return t0;\n}\nstatic int g(void) {\n    return 3;\n}\n#define M \\\n    4\n"
	out, err := lineByLine(core, support)
	const nowhere, there = "#line 1 \"build/core.c\"\n", "#line 7 \"internal/core/p/x.go\"\n"
	want := "// generated\n#line 1 \"internal/core/runtime/c/goc.c\"\n" + support + nowhere + "static int f(struct goc *g) {\n" + nowhere + "    int t0;\n" +
		there + "    t0 = 1;\n" + there + "    t0 = 2;\n" + there + "b1:;\n" + there + "    return t0;\n" + there + "}\n" +
		nowhere + "static int g(void) {\n" + nowhere + "    return 3;\n" + nowhere + "}\n#define M \\\n    4\n"
	if err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := lineByLine("int a;\n", support); err == nil {
		t.Error("a core without the run-time support is taken")
	}
}

// The debug information gives the executed places of the library.
func TestLibraryPlaces(t *testing.T) {
	dir := t.TempDir()
	const text = "void __sanitizer_cov_trace_pc(void) {}\n#line 1 \"internal/core/p/x.go\"\nint f(int a) {\n    if (a > 3) {\n        return f(a - 1);\n" +
		"    }\n    return 1;\n}\n"
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path+".c", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-g", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-optimize-sibling-calls",
		"-fsanitize-coverage=trace-pc", "-o", path+".so", path+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	places := map[int][]place{}
	if err := libraryPlaces(path+".so", places); err != nil {
		t.Fatal(err)
	}
	alone := map[int]bool{} // lines of the smallest places
	for _, list := range places {
		for _, p := range list {
			if p.file != "internal/core/p/x.go" {
				t.Errorf("%v", p)
			}
			if !slices.Contains(p.lines, 2) {
				for _, n := range p.lines {
					alone[n] = true
				}
			}
		}
	}
	if !alone[3] || len(places) < 2 {
		t.Errorf("%v", places)
	}
}

func TestSources(t *testing.T) {
	for path, want := range map[string]bool{"spine/sort.c": true, "spine/wsi/surface.c": true, "spine/wsi/physdev.h": false, "spine/gen/zvk_check.c": false,
		"spine/gen/core.c": false, "internal/core/plan/decide.go": true, "internal/core/plan/plan_test.go": false, "internal/decide/vk/zresults.go": false,
		"tools/wiregen/main.go": false, "internal/decide/binary/find.go": true, "tools/goc/main.go": false,
		"internal/core/runtime/c/goc.c": false} {
		if got := source.MatchString(path) && !leftOut(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	for path, want := range map[string]string{"spine/sort.c": "", "internal/core/plan/decide.go": "internal/core/plan"} {
		if got := packageOf(path); got != want {
			t.Errorf("%s is of package %q", path, got)
		}
	}
	for path, want := range map[string]string{"./spine/core/ask.c": "spine/core/ask.c", "/t/internal/core/plan/a.go": "internal/core/plan/a.go",
		"/t/other/x.c": "", "/t/myspine/x.c": ""} {
		if got := sourceName(path); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
}

// Tests that execute the line come first, quick ones before the others. Tests that do not come near are not asked. After an edit
// the lines are found again.
func TestChances(t *testing.T) {
	const file = "spine/x.c"
	old := "int f(int a) {\n    if (a)\n        a++;\n    return a;\n}\nint g(void) {\n    return 1;\n}\n"
	a := &atlas{Sources: map[string]string{file: old}, mapping: map[string][]int{}}
	chartOf := func(seconds float64, lines ...int) *chart {
		return &chart{Seconds: seconds, Lines: map[string][]int{file: lines}}
	}
	a.Tests = map[string]*chart{"p Quick": chartOf(0.1, 2, 3), "p Slow": chartOf(9, 2, 3), "p Near": chartOf(0.1, 2), "p Far": chartOf(0.1, 7),
		"p TestInstall": chartOf(0.1, 3), "p Unsound": {Unsound: true}}
	tr := &tree{packages: []testPackage{{name: "p"}}}
	m := mutant{file: file, text: "/* new */\n" + old, line: 4}
	order := func() (names []string) {
		tests, executed := a.chances(m, tr)
		if !executed {
			t.Error("no test executes the line")
		}
		for _, test := range tests {
			names = append(names, test.name)
		}
		return names
	}
	if got, want := order(), []string{"Quick", "Near", "Slow"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
