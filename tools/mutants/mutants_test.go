package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func apply(text string, m mutant) string { return text[:m.from] + m.with + text[m.to:] }

func TestFaultsInC(t *testing.T) {
	text := "int f(int a)\n{\n    /* if (a == 1) */\n    if (a == 1 && g(\")\")) return VK_ERROR_DEVICE_LOST;\n    first(a);\n    second(a);\n    log_line(NULL, 1, \"wrong %s thing\", b);\n}\n"
	want := []string{"if (!(a == 1 && g(\")\")))", "a != 1", "a == 1 || g", "return VK_ERROR_UNKNOWN", "    ;\n    second(a)", "second(a);\n    first(a);", "thinq"}
	all := cMutants("x.c", text)
	for _, w := range want {
		found := false
		for _, m := range all {
			found = found || strings.Contains(apply(text, m), w)
		}
		if !found {
			t.Errorf("no mutant with %q in %v", w, all)
		}
	}
	for _, m := range all {
		if m.line == 3 {
			t.Errorf("a comment is mutated: %v", m)
		}
	}
}

func TestOrderless(t *testing.T) {
	for lines, want := range map[string]bool{
		"    free(a);\n    free(b);": true, "    lock_drop();\n    plan_free(&p);": true, "    strncpy(a, b, 3);\n    strncpy(c, d, 4);": true,
		"    memcpy(a, b, 3);\n    lock_take();": true,
		"    lock_take();\n    memcpy(a, b, 3);": false, "    lock_drop();\n    memcpy(a, b, 3);": false, "    free(a);\n    lock_drop();": false, "    one(a);\n    free(b);": false,
	} {
		if orderless.MatchString(lines) != want {
			t.Errorf("%q: %v", lines, !want)
		}
	}
}

func TestLimits(t *testing.T) {
	for text, want := range map[string]int{"    if (a.n > MOST)\n        a.n = MOST;\n": 0, "    if (a < 3) a = 3;\n": 0,
		"    count = count < a->room ? count : a->room;\n": 0, "    count = count < room ? room : 3;\n": 1, "    if (a == MOST)\n        a = MOST;\n": 1,
		"    if (a > MOST)\n        b = MOST;\n": 1, "    if (a > MOST)\n        return a;\n": 1} {
		n := 0
		for _, m := range cMutants("x.c", text) {
			if strings.Contains(m.what, " for ") {
				n++
			}
		}
		if n != want {
			t.Errorf("%q: %d comparisons are changed, want %d", text, n, want)
		}
	}
}

func TestFaultsInGo(t *testing.T) {
	text := "package p\n\nimport \"os\"\n\nvar list = []string{\"alpha\", \"beta\"}\n\nfunc f(a int) bool {\n\tif a < 3 {\n\t\tg()\n\t\th()\n\t\treturn true\n\t}\n\treturn false\n}\n"
	all, err := goMutants("x.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"if !(a < 3)", "a <= 3", "{\"beta\"}", "\"alphq\"", "h()\n\t\tg()", "return false\n\t}"} {
		found := false
		for _, m := range all {
			found = found || strings.Contains(apply(text, m), w)
		}
		if !found {
			t.Errorf("no mutant with %q in %v", w, all)
		}
	}
	for _, m := range all {
		if m.line == 3 {
			t.Errorf("an import is mutated: %v", m)
		}
	}
}

// The packages that are asked on the build with sanitizers are those that make test repeats on it.
func TestRepeatedPackages(t *testing.T) {
	var script []string
	for _, part := range []struct{ file, begin, end string }{{"../test.sh", "VKLOADER_TEST_BUILD=asan", "\n}"}, {"../suites.sh", `sanitized="`, `"`}} {
		text, err := os.ReadFile(part.file)
		if err != nil {
			t.Fatal(err)
		}
		_, list, ok := strings.Cut(string(text), part.begin)
		if !ok {
			t.Fatalf("%s has no %s", part.file, part.begin)
		}
		list, _, _ = strings.Cut(list, part.end)
		script = append(script, regexp.MustCompile(`test/\w+/\w+`).FindAllString(list, -1)...)
	}
	for _, pack := range script {
		if !repeated.MatchString(pack) {
			t.Errorf("%s is left out", pack)
		}
	}
	if n := strings.Count(repeated.String(), "|") + 1; n != len(script) {
		t.Errorf("%d packages, tools/test.sh and tools/suites.sh have %d", n, len(script))
	}
}

// Faults are planted in the spine, the core, the decisions, the tool and the service.
func TestAllAreasGetFaults(t *testing.T) {
	t.Parallel()
	all, err := candidates("../..", regexp.MustCompile("."))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range all {
		for _, area := range []string{"spine/", "internal/core/", "internal/decide/", "internal/tool/", "internal/containers/"} {
			if strings.HasPrefix(m.file, area) {
				count[area]++
			}
		}
	}
	if len(count) != 5 || slices.Min(slices.Collect(maps.Values(count))) < 100 {
		t.Errorf("places for faults: %v", count)
	}
}
