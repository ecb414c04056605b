package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
)

// Every code has exactly one rule.
func TestEachCodeHasOneRule(t *testing.T) {
	t.Parallel()
	by := map[Code]int{}
	for _, r := range rules() {
		for _, c := range r.codes {
			if by[c]++; c.Entry() == nil {
				t.Errorf("a rule has the code %s, which codes.txt lacks", c)
			}
		}
	}
	for _, c := range Codes() {
		if by[c] != 1 {
			t.Errorf("%d rules have the code %s", by[c], c)
		}
	}
}

// checkRules examines a machine and checks that each rule makes findings with its own codes only.
func checkRules(t *testing.T, source *machine.Source, options Options) {
	t.Helper()
	e, err := newExam(source, options)
	if err != nil {
		t.Fatal(err)
	}
	apply(e, func(r *rule) func(*exam) {
		if r.linux == nil {
			return nil
		}
		return func(e *exam) {
			before := countCodes(e.Findings)
			r.linux(e)
			for code, count := range countCodes(e.Findings) {
				if count > before[code] && !slices.Contains(r.codes, code) {
					t.Errorf("the rule of %v makes the finding %s", r.codes, code)
				}
			}
		}
	})
}

// countCodes counts the findings with each code of the doctor.
func countCodes(list []Finding) map[Code]int {
	count := map[Code]int{}
	for _, f := range list {
		if c, is := f.Code.(Code); is {
			count[c]++
		}
	}
	return count
}

// collectors are the files that read a machine: the system and its packages, libraries and loaders, programs, manifests and
// settings, users and services. Every other file has rules, remedies or words.
var collectors = []string{"distribution.go", "leftout.go", "ldconfig.go", "libraries.go", "loader.go", "probed.go", "program.go", "settings.go",
	"systems.go", "user.go", "wish.go"}

// A rule asks the machine for facts, and opens, lists or describes no file: how a fact is read stands below
// internal/decide, or in a collector.
func TestRulesReadNoFiles(t *testing.T) {
	t.Parallel()
	reads := regexp.MustCompile(`(os|machine|source)\.(Open|OpenFile|Stat|Lstat|ReadFile|ReadLarge|ReadDir|Names|Readlink|Attribute)\(`)
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := reads.Find(text); (found != nil) != slices.Contains(collectors, name) {
			t.Errorf("%s: %q, and a collector: %v", name, found, slices.Contains(collectors, name))
		}
	}
}
