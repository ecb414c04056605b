package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that docs/changing.md names exists in the directory beside it.
func TestChangingNamesTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(top, "docs/changing.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, m := range regexp.MustCompile("`([a-z/]+)`: (`Test\\w+`(?:, `Test\\w+`)*)").FindAllStringSubmatch(string(page), -1) {
		files, err := filepath.Glob(filepath.Join(top, m[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, file := range files {
			one, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(one)
		}
		for _, name := range strings.Split(m[2], ", ") {
			named++
			if name = strings.Trim(name, "`"); !strings.Contains(text.String(), "func "+name+"(t *testing.T)") {
				t.Errorf("docs/changing.md names %s, which %s does not have", name, m[1])
			}
		}
	}
	if all := strings.Count(string(page), "`Test"); named != all || named < 10 {
		t.Errorf("%d of %d tests have a directory before them", named, all)
	}
}

// The example of a situation in CONTRIBUTING.md quotes the tree: the archive, the row of systems.txt and the code of the rule.
func TestContributingQuotesASituation(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(readFile(t, "CONTRIBUTING.md"), "## A situation of the doctor")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(section, -1)
	calls := regexp.MustCompile("`(e\\.add\\([^`]*)\\(\\.\\.\\.\\)\\)`").FindStringSubmatch(section)
	if len(blocks) != 2 || calls == nil {
		t.Fatalf("%d blocks, call %q", len(blocks), calls)
	}
	for file, quote := range map[string]string{"test/tool/commands/testdata/situations/S02-in-a-pod.txtar": blocks[0][1],
		"internal/tool/doctor/systems.txt": blocks[1][1], "internal/tool/doctor/gpus.go": calls[1]} {
		if !strings.Contains(readFile(t, file), quote) {
			t.Errorf("%s does not have what CONTRIBUTING.md quotes: %s", file, quote)
		}
	}
}
