package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vkloader/internal/core/variables"
)

// The names of variables stand in one table: no other file spells one to read it or to set it.
func TestVariablesStandInOneTable(t *testing.T) {
	t.Parallel()
	literal := regexp.MustCompile(`"([A-Z_]+)(=?)"`)
	check := func(path, text string) {
		for i, line := range strings.Split(text, "\n") {
			for _, match := range literal.FindAllStringSubmatch(line, -1) {
				if _, known := variables.Find(match[1]); known {
					t.Errorf("%s:%d writes %s down: take it from internal/core/variables", path, i+1, match[1])
				}
			}
		}
	}
	for _, f := range sources(t) {
		product := strings.HasPrefix(f.pack, "internal/") || strings.HasPrefix(f.pack, "cmd/")
		if product && !f.test && f.path != "internal/core/variables/table.go" {
			check(f.path, f.text)
		}
	}
	seen := 0
	for _, pattern := range []string{"spine/*.[ch]", "spine/*/*.[ch]", "spine/*/*/*.[ch]", "spine/gen/z*.inc", "cmd/*/*.[ch]", "internal/decide/probe/child/*.[ch]"} {
		paths, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Base(path) != "zvariables.h" {
				check(path, string(text))
			}
			seen++
		}
	}
	if seen < 20 {
		t.Errorf("only %d C files", seen)
	}
}
