package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"vkloader/internal/decide/machine"
)

// makers has the place of the rule that makes the findings with each code, by the machines that were examined so far.
var makers sync.Map

// checkRules examines a machine and checks that one rule alone makes the findings with each code, on all machines.
func checkRules(t *testing.T, source *machine.Source, options Options) {
	t.Helper()
	e, err := newExam(source, options)
	if err != nil {
		t.Fatal(err)
	}
	for at, apply := range rules() {
		before := countCodes(e.Findings)
		apply(e)
		for code, count := range countCodes(e.Findings) {
			if count <= before[code] {
				continue
			}
			if by, _ := makers.LoadOrStore(code, at); by != at {
				t.Errorf("the rules %v and %v make the finding %s", by, at, code)
			}
		}
	}
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
